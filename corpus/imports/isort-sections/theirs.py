import os
import re

import click
import rich
import yaml

from app.cli import main
from app.config import Config
from app.errors import AppError
