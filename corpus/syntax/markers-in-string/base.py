SAMPLE = """\
<<<<<<< HEAD
a
=======
b
>>>>>>> topic
"""


def test_count():
    assert count(SAMPLE) == 1
