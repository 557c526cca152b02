def link(sheet):
    url = sheet.url
    if sheet.checksum and sheet.local:
        if builder.name != "help":
            url += "?v=" + sheet.checksum + "&t=" + sheet.kind
    return url
