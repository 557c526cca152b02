from tests.tools import (mirror, Matcher,
                         spawn)

run = mirror(Matcher(), spawn)
