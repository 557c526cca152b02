import unittest


class ReadTests(unittest.TestCase):
    def test_empty(self):
        self.assertEqual(read(""), [])


class WriteTests(unittest.TestCase):
    def test_empty(self):
        self.assertEqual(write([]), "")
