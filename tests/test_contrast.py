#!/usr/bin/env python3
"""In every theme, each text colour of the panel has a contrast of at least 4.5 to 1 on every background behind text (WCAG 2.1, AA).
Usage: test_contrast.py ROOT"""
import pathlib
import re
import sys

STYLE = pathlib.Path(sys.argv[1]) / "src/window/panel_style.cpp"
LEAST = 4.5
LEAST_SHAPE = 3  # of controls without text
TEXTS = {"Text": "Text", "TextDisabled": "DIM_TEXT", "CheckMark": "ACCENT_TEXT", "PlotLines": "GOOD_TEXT"}
GROUNDS = ("WindowBg", "PopupBg", "FrameBg", "FrameBgHovered", "TitleBg")


def luminance(colour):
    return sum(part * (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4)
               for part, v in zip((0.2126, 0.7152, 0.0722), colour))


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


assert abs(contrast((1, 1, 1), (0, 0, 0)) - 21) < 1e-9
rows = {name: [[float(n) for n in re.findall(r"[\d.]+", colour)][:3] for colour in re.findall(r"ImVec4\(([^)]*)\)", row)]
        for name, row in re.findall(r"\{ ImGuiCol_(\w+), \{ (ImVec4.*?\)) \}", STYLE.read_text())}
checked, wrong = 0, 0
for theme in range(len(rows["Text"])):
    for text, name in TEXTS.items():
        for ground in GROUNDS:
            ratio = contrast(rows[text][theme], rows[ground][theme])
            checked += 1
            if not ratio >= LEAST:
                wrong += 1
                print(f"FAILED theme {theme}: {name} on {ground}: {ratio:.2f} to 1")
    for ground, name in (("TitleBgActive", "the back of errors"), ("SliderGrab", "the grabs of sliders")):
        if not contrast(rows["Text"][theme], rows[ground][theme]) >= LEAST:
            wrong += 1
            print(f"FAILED theme {theme}: Text on {name}")
    if not contrast(rows["SliderGrab"][theme], rows["FrameBg"][theme]) >= LEAST_SHAPE:
        wrong += 1
        print(f"FAILED theme {theme}: grabs on sliders")
print(f"{checked} pairs of colours: {wrong} failed")
sys.exit(1 if wrong or checked < 40 else 0)
