def sync(repo):
    repo.fetch("origin")
<<<<<<< ours
    try:
        repo.merge("origin/main")
        repo.push()
    except ConflictError:
        repo.abort()
||||||| base
    repo.merge("origin/main")
    repo.push()
=======
    repo.merge("origin/main")
    repo.run_hooks()
    repo.push()
>>>>>>> theirs
