import os
import stat
import unittest


class PathTests(unittest.TestCase):
    def test_exists(self):
        self.assertTrue(os.path.exists(os.curdir))

    @unittest.skipUnless(hasattr(os, "chmod"), "needs chmod")
    def test_mode(self):
        self.assertTrue(stat.S_ISDIR(os.stat(os.curdir).st_mode))
