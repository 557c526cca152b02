from tests.tools import (
    mirror,
    Matcher,
    spawn,
    wait,
)

run = mirror(Matcher(), spawn)
wait()
