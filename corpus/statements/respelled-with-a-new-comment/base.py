class TestDock:
    def test_empty(self):
        self.assertEqual(dock.size, 0)
