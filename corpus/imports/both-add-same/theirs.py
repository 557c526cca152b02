import os
import logging

from app.config import load


def main():
    return load(os.environ)
