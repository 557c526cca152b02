"""Rule files: schema, loading with file and line, predicates and actions."""
