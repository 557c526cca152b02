class TestTotals(TestCase):
    def test_sum(self):
        self.assertEqual(total([1, 2]), 3)

    def test_empty(self):
        self.assertEqual(total([]), None)

    def test_floats(self):
        self.assertEqual(total([0.5]), 0.5)
