"""Bugs that are none: {(file, line, line with the bug): why nobody could see a difference}, as the page prints them."""

REASONS = {
    ("src/core/iso.c", "{ &iso->scratch, scan_bytes > compact_bytes ? scan_bytes : compact_bytes } };",
     "{ &iso->scratch, scan_bytes >= compact_bytes ? scan_bytes : compact_bytes } };"):
        "the larger of two equal sizes is either",
    ("src/core/stats.c", "if (below == 0 || below == total) continue;", "if (below == total) continue;"):
        "0 / 0 is NaN, and NaN is never larger than the best",
}
