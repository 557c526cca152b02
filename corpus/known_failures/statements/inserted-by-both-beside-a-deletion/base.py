class TestClean:
    def test_run(self):
        job = Clean(self.place)
        job.run()
        job.check()
