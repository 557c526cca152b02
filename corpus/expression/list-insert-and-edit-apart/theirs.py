urls = [
    home,
    ship(pk),
    crew,
    piers,
    ports,
]
