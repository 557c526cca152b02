from tests.tools import (
    record,
    Matcher,
    spawn,
    wait,
)

run = record(Matcher(), spawn)
wait()
