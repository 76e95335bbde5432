#!/usr/bin/env python3
"""CUDA keeps the last error of each thread until cudaGetLastError() reads it, which every op does after its launches. So an error
that a call returned must be cleared (clear_error), or the next successful op reports it. Usage: test_cuda_errors.py ROOT

Checks kernels/*.cu and *.cuh line by line for code that returns `error` to the caller of an op, or drops what a call returns;
also for what only some of the GPUs take that the program is built for."""
import pathlib
import re
import sys

CALL = r"cuda(?!GetLastError|PeekAtLastError)[A-Z]\w*\("
faults = [
    (re.compile(r"\(void\)" + CALL), "drops an error without clear_error"),
    (re.compile(r"return (\w+ \? )?" + CALL), "returns an error without clear_error"),
    (re.compile(r"(cub\w*::\w+::\w+|cub_\w+|cudaDeviceGetAttribute)\(.*\) != cudaSuccess\)"),
     "drops an error without clear_error"),
    (re.compile(r"if \(error != cudaSuccess.*\) return error;"), "returns an error without clear_error"),
    (re.compile(r"__grid_constant__"), "does not compile for GPUs before Volta; GRID_CONST does"),
]
# Helpers, whose callers clear what they return; and a condition behind which cudaGetLastError() is called.
helpers = re.compile(r"static (inline )?cudaError_t (\w+)\(")
allowed = {("sum_cuda.cu", "resident_blocks")}


def functions(text):
    """(name, is a helper, number, line) for each line inside a function."""
    name, helper = "", False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"(template|static|int|void|size_t|const char)\b", line) and "(" in line and not line.endswith(";"):
            found = re.search(r"(\w+)\([^()]*(\(|\)|,|$)", line)
            name, helper = found[1] if found else name, bool(helpers.match(line))
        yield name, helper, number, line


def look(path):
    for name, helper, number, line in functions(path.read_text(encoding="utf-8")):
        for pattern, what in faults:
            if pattern.search(line) and not helper and (path.name, name) not in allowed:
                yield f"{path.name}:{number}: {name} {what}: {line.strip()}"


root = pathlib.Path(sys.argv[1]) / "kernels"
files = sorted(root.glob("*.cu")) + sorted(root.glob("*.cuh"))
wrong = [fault for path in files if path.name != "cuda_util.cuh" for fault in look(path)]
print("\n".join(wrong + [f"{len(files)} files: {len(wrong)} failed"]))
sys.exit(1 if wrong or len(files) < 30 else 0)
