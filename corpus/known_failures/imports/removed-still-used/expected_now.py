import logging
import os

log = logging.getLogger(__name__)


def plan(config):
    if config.scope is GraphScope.FULL:
        log.info("full graph")
    return os.path.join(config.root, "plan.json")
