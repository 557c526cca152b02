def test_builders(self):
    builders = connect()
    # A small check of the result, to be sure that the request
    # means what it seems to mean.
    self.assertIsInstance(builders, Sequence)
    self.assertTrue([x for x in builders if "3.x" in x], builders)
