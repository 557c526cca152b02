DEFAULTS = {"colour": "auto", "width": 88, "quote": "double", "indent": 4}
