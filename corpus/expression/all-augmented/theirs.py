__all__ = ["encode", "decode", "detect"]

if HAVE_ZSTD:
    __all__ += ["encode_zstd"]
