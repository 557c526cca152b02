SAMPLE = """\
<<<<<<< HEAD
a
=======
b
>>>>>>> topic
"""


def test_count():
    assert count(SAMPLE, size=7) == 1
