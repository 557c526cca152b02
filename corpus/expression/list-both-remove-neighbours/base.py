PARTS = [
    Part(
        "bow",
        source="bow.c",
    ),
    Part(
        "keel",
        source="keel.c",
    ),
    Part(
        "mast",
        source="mast.c",
    ),
    Part(
        "stern",
        source="stern.c",
    ),
]
