def test_setup(request):
    fixtures = fill(request)
<<<<<<< ours
    names = dict(getfixture=request.getfuncargvalue)
    for name, value in request.getfuncargvalue("namespace").items():
        names[name] = value
||||||| base
    names = dict(getfixture=request.getfuncargvalue)
=======
    names = dict(getfixture=request.getfixturevalue)
>>>>>>> theirs
    globs.update(names)
