DEFAULTS = {"colour": "auto", "width": 100, "quote": "double", "indent": 4}
