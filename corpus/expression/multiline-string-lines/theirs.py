USAGE = """\
usage: sync [options] SOURCE TARGET

options:
  --dry-run     show what would be done
  --delete      remove what SOURCE lacks
  --jobs N      parallel copies (default: 4)
"""
