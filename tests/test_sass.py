#!/usr/bin/env python3
"""Checks in the program's machine code what the comments of kernels say about instructions. Usage: test_sass.py ISOSCOPE

Skipped without CUDA in the program, and without the toolkit's cuobjdump."""
import re
import shutil
import subprocess
import sys

SKIPPED = 77
# kernel: instructions that it has, those that it has not. LDL, STL: registers in memory.
claims = {
    "triad_vector": ({"LDG.E.128", "STG.E.128"}, {"LDL", "STL"}),
    "triad_textbook": ({"LDG.E", "STG.E"}, {"LDG.E.128", "STG.E.128", "LDL", "STL"}),
    "copy_vector": ({"LDG.E.128", "STG.E.128"}, {"LDL", "STL"}),
    "branch_data": ({"LOP3.LUT", "IMAD"}, {"LDL", "STL"}),
    "branch_all": ({"LOP3.LUT", "IMAD"}, {"BRX", "LDL", "STL"}),
    "banks_read": ({"LDS", "CS2R"}, {"LDL", "STL"}),
    "latency_barrier": ({"BAR.SYNC"}, set()),
    "latency_atomic": (set(), {"RED", "REDG"}),  # or nobody would wait for the answer
}


def code_of(program):
    """Yields each kernel's name and instructions, once for each architecture and template instance."""
    tool = shutil.which("cuobjdump")
    if not tool:
        sys.exit(print("no cuobjdump here") or SKIPPED)
    done = subprocess.run([tool, "--dump-sass", program], capture_output=True, text=True)
    for part in done.stdout.split("Function : ")[1:]:
        yield part.split()[0], re.findall(r"/\*[0-9a-f]{4,}\*/ +(?:@!?U?P\w+ +)?([A-Z][\w.]+)", part)


def main():
    wrong, found = 0, set()
    for symbol, code in code_of(sys.argv[1]):
        for kernel in claims:
            if not re.match(rf"_ZL?\d+{kernel}(?!_)", symbol):
                continue
            found.add(kernel)
            has, has_not = claims[kernel]
            words = {word for word in code} | {".".join(word.split(".")[:k]) for word in code for k in (1, 2, 3)}
            for word in sorted(has - words) + sorted(has_not & words):
                print(f"{symbol}: {'without' if word in has else 'has'} {word}")
                wrong += 1
    if not found:
        sys.exit(print("no CUDA in this build") or SKIPPED)
    for kernel in sorted(set(claims) - found):
        print(f"no kernel {kernel}")
        wrong += 1
    print(f"test_sass: {len(found)} kernels, {wrong} wrong")
    sys.exit(wrong > 0)


main()
