def export(frame, path):
    import gzip

    frame.to_csv(gzip.open(path, "wb"))
