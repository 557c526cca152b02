def newest(commits):
    return sorted(commits, key=lambda commit: (commit.date, commit.id), reverse=True)
