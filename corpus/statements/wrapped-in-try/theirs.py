def sync(repo):
    repo.fetch("origin")
    repo.merge("origin/main")
    repo.run_hooks()
    repo.push()
