"""What holds for all tests."""

from hypothesis import settings

# A busy machine is no failure: how long one example takes is not what properties are about.
settings.register_profile("mergewright", deadline=None)
settings.load_profile("mergewright")
