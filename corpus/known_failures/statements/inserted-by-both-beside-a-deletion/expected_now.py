class TestClean:
    def test_run(self):
        job = Clean(self.place)
<<<<<<< ours
        prepare_3()
        job.run()
||||||| base
        job.run()
=======
        prepare_3()
>>>>>>> theirs
        job.check()
