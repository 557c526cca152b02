urls = [
    home,
    ship(pk, name),
    crew,
    ports,
]
