def export(frame, path):
    import gzip
    import logging

    logging.info("writing %s", path)

    frame.to_csv(gzip.open(path, "wb"))
