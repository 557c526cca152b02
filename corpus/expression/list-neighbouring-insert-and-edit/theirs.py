urls = [
    home,
    ship(pk),
    ship_log(pk),
    crew,
]
