def test_repeats(self):
    warnings.warn("old", DeprecationWarning)
    warnings.warn("old", DeprecationWarning)
    warnings.warn("old", DeprecationWarning)
