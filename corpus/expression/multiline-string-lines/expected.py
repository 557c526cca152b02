USAGE = """\
usage: sync [options] SOURCE TARGET

options:
  --dry-run     print the plan and stop
  --delete      remove what SOURCE lacks
  --jobs N      parallel copies (default: 4)
"""
