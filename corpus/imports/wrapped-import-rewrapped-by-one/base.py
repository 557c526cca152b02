from tests.tools import (record, Matcher,
                         spawn)

run = record(Matcher(), spawn)
