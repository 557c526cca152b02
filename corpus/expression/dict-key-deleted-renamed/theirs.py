FORMATS = {
    "gz": (compress_gz, "gzip"),
    "lzma": (compress_xz, "lzma"),
    "zip": (compress_zip, "deflate"),
}
