def prepare(frame):
    frame = frame.dropna()
    return frame.sort_values("date", kind="stable")
