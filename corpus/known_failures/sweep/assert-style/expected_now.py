class TestTotals:
    def test_sum(self):
        assert total([1, 2]) == 3

    def test_empty(self):
<<<<<<< ours
        assert total([]) == 0
||||||| base
        self.assertEqual(total([]), 0)
=======
        self.assertEqual(total([]), None)
>>>>>>> theirs

    def test_floats(self):
        assert total([0.5]) == 0.5
