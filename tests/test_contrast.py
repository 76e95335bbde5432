#!/usr/bin/env python3
"""Every colour of text in the panel has a contrast of 4.5 to 1 on every background that text stands on (WCAG 2.1, AA).
Usage: test_contrast.py ROOT"""
import pathlib
import re
import sys

WINDOW = pathlib.Path(sys.argv[1]) / "src/window"
LEAST = 4.5


def luminance(colour):
    return sum(part * (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4)
               for part, v in zip((0.2126, 0.7152, 0.0722), colour))


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def numbers(text):
    return [float(n) for n in re.findall(r"[\d.]+(?=f)", text)][:3]


assert abs(contrast((1, 1, 1), (0, 0, 0)) - 21) < 1e-9
parts, style = (WINDOW / "panel_parts.h").read_text(), (WINDOW / "panel_style.cpp").read_text()
texts = {name: numbers(of) for name, of in re.findall(r"(\w+_TEXT)\(([^)]*)\)", parts)}
rows = dict(re.findall(r"\{ ImGuiCol_(\w+), ImVec4\(([^)]*)\)", style))
texts["Text"] = numbers(rows["Text"])
grounds = {name: numbers(rows[name]) for name in ("WindowBg", "PopupBg", "FrameBg", "FrameBgHovered")}
wrong = [f"{text} on {ground}: {contrast(texts[text], grounds[ground]):.2f} to 1" for text in texts for ground in grounds
         if not contrast(texts[text], grounds[ground]) >= LEAST]
for line in wrong:
    print("FAILED", line)
print(f"{len(texts)} colours of text on {len(grounds)} backgrounds: {len(wrong)} failed")
sys.exit(1 if wrong or len(texts) < 4 else 0)
