"""
Merging
=======

Text.
"""

LEVEL = 2
