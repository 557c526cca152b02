def test_setup(request):
    fixtures = fill(request)
    names = dict(getfixture=request.getfuncargvalue)
    globs.update(names)
