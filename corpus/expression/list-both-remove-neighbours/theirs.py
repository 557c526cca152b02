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
        "stern",
        source="stern.c",
    ),
]
