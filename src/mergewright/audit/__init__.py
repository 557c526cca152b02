"""Finds what a merge broke; shares no code with what it checks."""
