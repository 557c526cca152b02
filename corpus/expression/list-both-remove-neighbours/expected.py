PARTS = [
    Part(
        "bow",
        source="bow.c",
    ),
    Part(
<<<<<<< ours
        "mast",
        source="mast.c",
    ),
    Part(
||||||| base
        "keel",
        source="keel.c",
    ),
    Part(
        "mast",
        source="mast.c",
    ),
    Part(
=======
        "keel",
        source="keel.c",
    ),
    Part(
>>>>>>> theirs
        "stern",
        source="stern.c",
    ),
]
