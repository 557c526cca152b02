def link(sheet):
    url = sheet.url
    if sheet.checksum and sheet.local:
        url += "?v=" + sheet.checksum + "&t=" + sheet.kind
    return url
