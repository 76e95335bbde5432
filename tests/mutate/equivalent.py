"""Bugs that are none: {(file, line, line with the bug): why nobody could see a difference}, as the page prints them."""

REASONS = {}
