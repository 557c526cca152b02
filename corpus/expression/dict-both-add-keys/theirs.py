HANDLERS = {
    "create": handle_create,
    "delete": handle_delete,
    "restore": handle_restore,
}
