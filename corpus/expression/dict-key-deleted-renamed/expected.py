FORMATS = {
    "gz": (compress_gz, "gzip"),
<<<<<<< ours
||||||| base
    "xz": (compress_xz, "lzma"),
=======
    "lzma": (compress_xz, "lzma"),
>>>>>>> theirs
    "zip": (compress_zip, "deflate"),
}
