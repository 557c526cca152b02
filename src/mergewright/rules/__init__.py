"""Rule files: schema, loading with file and line, predicates and actions."""

#: Rules of a repository, at its root.
RULE_FILE_NAME = ".mergewright.yaml"
