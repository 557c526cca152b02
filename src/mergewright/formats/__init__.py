"""Three-way merges by structure for TOML, JSON, YAML, Markdown, changelogs and line lists."""
