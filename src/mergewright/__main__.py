"""``python -m mergewright`` is the ``resolve`` command."""

from mergewright.cli.main import main

if __name__ == "__main__":
    main()
