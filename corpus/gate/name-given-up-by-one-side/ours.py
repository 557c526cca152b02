def test_setup(request):
    fixtures = fill(request)
    names = dict(getfixture=request.getfuncargvalue)
    for name, value in request.getfuncargvalue("namespace").items():
        names[name] = value
    globs.update(names)
