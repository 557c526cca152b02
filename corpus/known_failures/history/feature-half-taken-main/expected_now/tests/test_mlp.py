from pkg.config import Config


def test_default():
    assert not Config().fused


def test_dense_grouped():
    assert not Config().dense_grouped
