urls = [
    home,
    ship(pk, name),
    crew,
    piers,
    ports,
]
