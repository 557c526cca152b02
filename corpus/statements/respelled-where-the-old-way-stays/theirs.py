class TestDock:
    def test_empty(self):
        assert dock.size == 0
        dock.close()
