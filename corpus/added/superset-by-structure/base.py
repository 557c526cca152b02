ROOT = "/"
