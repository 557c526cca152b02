urls = [
    home,
    ship(pk),
    crew,
]
