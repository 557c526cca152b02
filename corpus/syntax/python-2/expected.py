def show(items):
    for item in items:
        print item.name
    try:
        flush()
    except IOError, error:
        print >>sys.stderr, 'error:', error
