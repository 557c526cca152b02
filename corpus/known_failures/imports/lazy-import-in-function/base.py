def export(frame, path):
    frame.to_csv(path)
