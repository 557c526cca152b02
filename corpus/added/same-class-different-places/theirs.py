import unittest


class ReadTests(unittest.TestCase):
    def test_empty(self):
        self.assertEqual(read(""), [])


class WriteTests(unittest.TestCase):
    def test_empty(self):
        self.assertEqual(write([]), "")


class SyncTests(unittest.TestCase):
    def test_nothing(self):
        self.assertTrue(sync([]))

    def test_twice(self):
        self.assertTrue(sync(["a", "a"]))
