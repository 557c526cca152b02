def export(frame, path):
    import logging

    logging.info("writing %s", path)
    frame.to_csv(path)
