COLUMNS = {
    "id",
    "name",
    "email",
}
