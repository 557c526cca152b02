import os
import stat
import unittest


class PathTests(unittest.TestCase):
    def test_exists(self):
        self.assertTrue(os.path.exists(os.curdir))

    def test_join(self):
        self.assertEqual(os.path.join("a", "b"), "a" + os.sep + "b")

    def test_split(self):
        self.assertEqual(os.path.split("a"), ("", "a"))

    @unittest.skipUnless(hasattr(os, "chmod"), "needs chmod")
    def test_mode(self):
        self.assertTrue(stat.S_ISDIR(os.stat(os.curdir).st_mode))
