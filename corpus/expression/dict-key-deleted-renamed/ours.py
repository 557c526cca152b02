FORMATS = {
    "gz": (compress_gz, "gzip"),
    "zip": (compress_zip, "deflate"),
}
