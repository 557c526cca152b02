"""
Merging
=======

Text.
"""

LEVEL = 1
