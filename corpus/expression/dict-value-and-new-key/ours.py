DEFAULTS = {"colour": "auto", "width": 100, "indent": 4}
