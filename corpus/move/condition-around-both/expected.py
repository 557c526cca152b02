def link(sheet):
    url = sheet.url
<<<<<<< ours
    if sheet.checksum and sheet.local:
        if builder.name != "help":
            url += "?v=" + sheet.checksum + "&t=" + sheet.kind
||||||| base
    if sheet.checksum and sheet.local:
        url += "?v=" + sheet.checksum + "&t=" + sheet.kind
=======
    # no query in a book
    if builder.name != "book":
        if sheet.checksum and sheet.local:
            url += "?v=" + sheet.checksum + "&t=" + sheet.kind
>>>>>>> theirs
    return url
