"""The only importer of pygit2: repositories, merging, commits, writing."""

#: Whether the process does nothing but one command of ours. Only then are settings of libgit2 changed, which
#: hold for all that a process does (see :meth:`mergewright.git.repository.Repository.open`).
own_process = False
