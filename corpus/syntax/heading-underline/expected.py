"""
Merging
=======

More text.
"""

LEVEL = 2
