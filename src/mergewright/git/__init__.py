"""The only importer of pygit2: repositories, merging, commits, writing."""
