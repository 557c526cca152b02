"""A web library."""

__version__ = "2.0.3"
