"""
Merging
=======

More text.
"""

LEVEL = 1
