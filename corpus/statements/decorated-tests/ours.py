import os
import unittest


class PathTests(unittest.TestCase):
    def test_exists(self):
        self.assertTrue(os.path.exists(os.curdir))

    def test_join(self):
        self.assertEqual(os.path.join("a", "b"), "a" + os.sep + "b")

    def test_split(self):
        self.assertEqual(os.path.split("a"), ("", "a"))
