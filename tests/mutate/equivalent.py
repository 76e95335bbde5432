"""Bugs that are none: {(file, line, line with the bug): why nobody could see a difference}, as the page prints them."""

REASONS = {
    ("src/core/stats.c", "if (below == 0 || below == total) continue;", "if (below == total) continue;"):
        "0 / 0 is NaN, and NaN is never larger than the best",
}
