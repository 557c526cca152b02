"""Command line of the sync bot."""
import argparse
import os
import sys
