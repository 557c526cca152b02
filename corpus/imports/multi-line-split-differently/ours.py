from test.support import (main_unittest, requires,
                          verbose)


def test_main():
    main_unittest()
