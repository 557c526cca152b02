version = "5.1.0"
released = False
