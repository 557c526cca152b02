FORMATS = {
    "gz": (compress_gz, "gzip"),
    "xz": (compress_xz, "lzma"),
    "zip": (compress_zip, "deflate"),
}
