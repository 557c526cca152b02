def test_repeats(self):
    warnings.warn("new", DeprecationWarning)
    warnings.warn("old", DeprecationWarning)
    warnings.warn("old", DeprecationWarning, stacklevel=1)
