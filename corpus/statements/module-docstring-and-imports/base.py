"""Command line of the sync bot."""
import argparse
import sys
