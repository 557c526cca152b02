"""Joins git to the core: resolve a merge, replay many, sync."""
