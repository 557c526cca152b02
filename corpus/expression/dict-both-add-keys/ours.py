HANDLERS = {
    "create": handle_create,
    "delete": handle_delete,
    "archive": handle_archive,
}
