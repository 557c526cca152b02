class TestDock:
    def test_empty(self):
<<<<<<< ours
        check(dock.size, 0)
||||||| base
        self.assertEqual(dock.size, 0)
=======
        assert dock.size == 0  # ships only, no boats
>>>>>>> theirs
