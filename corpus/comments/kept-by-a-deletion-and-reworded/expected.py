def test_builders(self):
    builders = connect()
<<<<<<< ours
    # A small check of the result, to be sure that the request
    # was understood.
    self.assertIsInstance(builders, Sequence)
||||||| base
    # A small check of the result, to be sure that the request
    # means what it seems to mean.
    self.assertIsInstance(builders, Sequence)
=======
>>>>>>> theirs
    # A small check of the result, to be sure that the request
    # means what it seems to mean.
    self.assertTrue([x for x in builders if "3.x" in x], builders)
