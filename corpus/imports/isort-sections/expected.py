import os
import re
import shlex

import attrs
import click
import rich
import yaml

from app.cli import main
from app.config import Config
from app.errors import AppError
