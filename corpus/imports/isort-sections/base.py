import os
import re

import click
import rich

from app.cli import main
from app.config import Config
