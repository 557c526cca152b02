import logging
import os

<<<<<<< ours
log = logging.getLogger(__name__)


def plan(config):
||||||| base
from app.enums import GraphScope

log = logging.getLogger(__name__)


def plan(config):
=======
from app.enums import GraphScope

log = logging.getLogger(__name__)


def plan(config):
    if config.scope is GraphScope.FULL:
        log.info("full graph")
>>>>>>> theirs
    return os.path.join(config.root, "plan.json")
