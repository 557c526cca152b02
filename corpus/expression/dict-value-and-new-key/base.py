DEFAULTS = {"colour": "auto", "width": 88, "indent": 4}
