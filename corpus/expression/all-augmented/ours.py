__all__ = ["encode", "decode"]

if HAVE_ZSTD:
    __all__ += ["encode_zstd", "decode_zstd"]
