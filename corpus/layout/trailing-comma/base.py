COLUMNS = {"id", "name"}
