from test.support import (run_unittest, requires,
                          verbose)


def test_main():
    run_unittest()
