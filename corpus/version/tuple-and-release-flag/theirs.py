version = "5.0.2"
released = True
