LIMITS = {
    "upload": 10_000_000,
    "download": 50_000_000,
<<<<<<< ours
    "stream": 5_000_000,
||||||| base
=======
    "stream": 8_000_000,
>>>>>>> theirs
}
