import os
import re
import shlex

import attrs
import click
import rich

from app.cli import main
from app.config import Config
