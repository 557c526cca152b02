def export(frame, path):
<<<<<<< ours
    import gzip
||||||| base
=======
    import logging

    logging.info("writing %s", path)
>>>>>>> theirs

    frame.to_csv(gzip.open(path, "wb"))
