import logging
import os

log = logging.getLogger(__name__)


def plan(config):
    return os.path.join(config.root, "plan.json")
