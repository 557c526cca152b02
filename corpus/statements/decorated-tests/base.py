import os
import unittest


class PathTests(unittest.TestCase):
    def test_exists(self):
        self.assertTrue(os.path.exists(os.curdir))
