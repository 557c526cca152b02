def show(items):
    for item in items:
        print item
    try:
        flush()
    except IOError, error:
        print >>sys.stderr, 'error:', error
