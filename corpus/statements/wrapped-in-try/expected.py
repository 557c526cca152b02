def sync(repo):
    repo.fetch("origin")
    try:
        repo.merge("origin/main")
        repo.run_hooks()
        repo.push()
    except ConflictError:
        repo.abort()
