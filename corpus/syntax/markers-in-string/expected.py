SAMPLE = """\
<<<<<<< HEAD
a
=======
b
>>>>>>> topic
"""


def test_empty():
    assert count("") == 0


def test_count():
    assert count(SAMPLE, size=7) == 1
