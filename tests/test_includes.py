#!/usr/bin/env python3
"""Includes in src/ and kernels/: folders include only lower ones, and no chain of includes is circular.
Usage: test_includes.py ROOT

Files that share the word before the first underscore (mesh.h, mesh.c, mesh_cuda.c) are one module and may include each
other; modules of src/ may not form a circle. First the rules are tested on small trees that break them."""
import os
import re
import sys
import tempfile

# Each folder, and the others that it may include.
MAY = {
    "kernels": [],
    "core": ["kernels"],
    "open": ["core", "kernels"],
    "live": ["open", "core", "kernels"],  # no window, no OpenGL
    "look": ["core", "kernels"],  # no OpenGL: names that every program knows
    "view": ["look", "core", "kernels"],
    "ladder": ["open", "core", "kernels"],
    "window": ["live", "view", "look", "open", "core", "kernels"],
    "cli": ["window", "ladder", "live", "view", "look", "open", "core", "kernels"],
    "mpi": ["open", "core", "kernels"],
    "manual": ["cli", "window", "ladder", "live", "view", "look", "open", "core", "kernels"],
}
SOURCE = (".c", ".h", ".cpp", ".cu", ".cuh", ".inc")


def read_tree(root):
    """{path: [names of #include "..."]} for all files of these folders; paths start with the folder."""
    tree = {}
    for folder in MAY:
        place = os.path.join(root, "kernels" if folder == "kernels" else f"src/{folder}")
        for name in sorted(os.listdir(place)) if os.path.isdir(place) else []:
            if name.endswith(SOURCE):
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    tree[f"{folder}/{name}"] = re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read(), re.M)
    return tree


def find_file(tree, path, name):
    """The file that `path` includes as `name`: in its own folder, or the only one of that name; None: none."""
    near = f"{path.split('/')[0]}/{name}"
    if name in tree or near in tree:
        return name if name in tree else near
    found = [other for other in tree if other.split("/")[1] == name]
    return found[0] if len(found) == 1 else None


def module(path):
    return re.match(r"\w+/[^_.]+", path)[0]


def find_circles(arrows):
    """Cycles a -> b -> ... -> a, one for each edge that closes a cycle in a walk of the graph."""
    circles, done = [], set()

    def walk(node, chain):
        if node in chain:
            circles.append(chain[chain.index(node):] + [node])
        elif node not in done:
            for other in arrows.get(node, []):
                walk(other, chain + [node])
            done.add(node)

    for node in arrows:
        walk(node, [])
    return circles


def find_wrong(tree):
    """One sentence per include that breaks a rule."""
    wrong, arrows = [], {}
    for path, names in tree.items():
        for name in names:
            other = find_file(tree, path, name)
            if not other:
                wrong.append(f"{path} includes {name}, which is no file of src/ or kernels/, or more than one")
                continue
            here, there = path.split("/")[0], other.split("/")[0]
            if there != here and there not in MAY[here]:
                wrong.append(f"{path} includes {other}: {here} may include {', '.join(MAY[here]) or 'nothing else'}")
            node, target = module(path), module(other)
            if here != "kernels" and node != target and target not in arrows.setdefault(node, []):
                arrows[node].append(target)
    return wrong + ["a circle: " + " -> ".join(chain) for chain in find_circles(arrows)]


# Small trees {path: text} with the expected complaint; None: no complaint.
TREES = [
    ({"src/core/a.h": "", "src/core/a.c": '#include "a.h"\n#include "kernels/k.h"', "kernels/k.h": "",
      "src/live/l.c": '#include "a.h"'}, None),
    ({"src/core/a.c": '#include "v.h"', "src/view/v.h": ""}, "core/a.c includes view/v.h"),
    ({"src/live/a.c": '#include "v.h"', "src/view/v.h": ""}, "live/a.c includes view/v.h"),
    ({"src/look/l.c": '#include "v.h"', "src/view/v.h": ""}, "look/l.c includes view/v.h"),
    ({"src/view/v.c": '#include "l.h"', "src/live/l.h": ""}, "view/v.c includes live/l.h"),
    ({"src/ladder/a.c": '  #  include "l.h"', "src/live/l.h": ""}, "ladder/a.c includes live/l.h"),
    ({"src/window/w.cpp": '#include "o.h"', "src/cli/o.h": ""}, "window/w.cpp includes cli/o.h"),
    ({"kernels/k.cu": '#include "a.h"', "src/core/a.h": ""}, "kernels/k.cu includes core/a.h: kernels may include nothing"),
    ({"src/core/a.c": '#include "gone.h"'}, "core/a.c includes gone.h, which is no file"),
    ({"src/core/a.c": '#include "b.h"', "src/core/b.h": "", "src/core/b.c": '#include "c.h"', "src/core/a.h": "",
      "src/core/c.h": '#include "a.h"'}, "core/a -> core/b -> core/c -> core/a"),
    ({"src/view/m.h": "", "src/view/m.c": '#include "m_parts.h"', "src/view/m_parts.h": '#include "m.h"'}, None),
]


def test_rules():
    """Whether each small tree gets the expected complaint."""
    failed = 0
    for files, expected in TREES:
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text + "\n")
            wrong = find_wrong(read_tree(root))
        fine = not wrong if expected is None else any(expected in line for line in wrong)
        failed += not fine
        if not fine:
            print(f"FAILED the rules: expected {expected!r}, found {wrong}")
    return failed


failed = test_rules()
tree = read_tree(sys.argv[1])
wrong = find_wrong(tree)
for line in wrong:
    print(f"FAILED {line}")
print(f"{len(tree)} files, {sum(map(len, tree.values()))} includes, {len(TREES)} small trees: {failed + len(wrong)} failed")
sys.exit(1 if failed or wrong or len(tree) < 100 else 0)
