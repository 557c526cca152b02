urls = [
    home,
    ship(pk),
    crew,
    ports,
]
