HANDLERS = {
    "create": handle_create,
    "delete": handle_delete,
}
