class TestDock:
    def test_empty(self):
        check(dock.size, 0)
