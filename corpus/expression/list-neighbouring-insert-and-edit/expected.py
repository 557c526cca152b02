<<<<<<< ours
urls = [
    home,
    ship(pk, name),
    crew,
]
||||||| base
urls = [
    home,
    ship(pk),
    crew,
]
=======
urls = [
    home,
    ship(pk),
    ship_log(pk),
    crew,
]
>>>>>>> theirs
