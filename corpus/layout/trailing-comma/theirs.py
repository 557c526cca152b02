COLUMNS = {"id", "name", "phone"}
