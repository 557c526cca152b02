class TestDock:
    def test_empty(self):
<<<<<<< ours
        self.assertEqual(dock.size, 1)
||||||| base
        self.assertEqual(dock.size, 0)
=======
        assert dock.size == 0
>>>>>>> theirs
        dock.seal()
