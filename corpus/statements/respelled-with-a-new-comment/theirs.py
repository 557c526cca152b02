class TestDock:
    def test_empty(self):
        assert dock.size == 0  # ships only, no boats
