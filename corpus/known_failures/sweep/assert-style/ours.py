class TestTotals:
    def test_sum(self):
        assert total([1, 2]) == 3

    def test_empty(self):
        assert total([]) == 0

    def test_floats(self):
        assert total([0.5]) == 0.5
