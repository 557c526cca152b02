class TestClean:
    def test_run(self):
        job = Clean(self.place)
        prepare_3()
        job.check()
