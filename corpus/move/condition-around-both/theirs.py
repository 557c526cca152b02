def link(sheet):
    url = sheet.url
    # no query in a book
    if builder.name != "book":
        if sheet.checksum and sheet.local:
            url += "?v=" + sheet.checksum + "&t=" + sheet.kind
    return url
