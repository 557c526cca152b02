from test.support import (main_unittest, requires, cpython_only,
                          verbose)


def test_main():
    main_unittest()
