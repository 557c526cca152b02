path = base()
path = path / "datasets"
path = path.resolve()
print(str(path))
