import logging
import os

from app.enums import GraphScope

log = logging.getLogger(__name__)


def plan(config):
    return os.path.join(config.root, "plan.json")
