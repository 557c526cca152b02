import logging
import os

from app.config import load


def main():
    return load(os.environ)
