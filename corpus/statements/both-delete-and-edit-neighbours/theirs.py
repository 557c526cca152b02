def prepare(frame):
    frame = frame.dropna()
    frame = frame.reset_index()
    return frame.sort_values("date", kind="stable")
