from test.support import (run_unittest, requires, cpython_only,
                          verbose)


def test_main():
    run_unittest()
