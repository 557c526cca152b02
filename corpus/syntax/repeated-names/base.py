path = base()
path = path / "data"
path = path.resolve()
print(path)
