COLUMNS = {
    "id",
    "name",
    "email",
    "phone",
}
