import unittest


class ReadTests(unittest.TestCase):
    def test_empty(self):
        self.assertEqual(read(""), [])


class SyncTests(unittest.TestCase):
    def test_nothing(self):
        self.assertTrue(sync([]))

    def test_twice(self):
        self.assertTrue(sync(["a", "a"]))


class WriteTests(unittest.TestCase):
    def test_empty(self):
        self.assertEqual(write([]), "")
