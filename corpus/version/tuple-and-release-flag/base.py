version = "5.0.1"
released = False
