def test_setup(request):
    fixtures = fill(request)
    names = dict(getfixture=request.getfixturevalue)
    globs.update(names)
