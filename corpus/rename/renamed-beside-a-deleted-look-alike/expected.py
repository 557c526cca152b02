"""Codecs of the shards."""


class TokenReader(Codec, streams.TokenReader):
    pass
<<<<<<< ours
||||||| base


class ShardReader(Codec, streams.ShardReader):
    pass
=======


class ShardReader(Codec, streams.ShardReader):
    # Reads the old files, too.
    pass
>>>>>>> theirs


def entry():
    return Codec()
