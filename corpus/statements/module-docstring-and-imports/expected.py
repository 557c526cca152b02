"""Command line of the nightly sync bot."""
import argparse
import os
import sys
