def sync(repo):
    repo.fetch("origin")
    try:
        repo.merge("origin/main")
        repo.push()
    except ConflictError:
        repo.abort()
