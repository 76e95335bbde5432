#!/usr/bin/env bash
# Builds isoscope with warnings as errors, installing what is missing, and runs all tests.
# Usage: ./test.sh [CTEST OPTION]...   like ./test.sh -R load
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$root/packages.sh"
install_missing "${build_packages[@]}" "${test_packages[@]}"
cd "$root"
grep -qs '^ISO_WERROR:[A-Z]*=ON' build/CMakeCache.txt || cmake --preset test
cmake --build build -j "$(nproc)"
# More tests than cores, because windows and ranks wait half of the time.
ctest --test-dir build -j "$(($(nproc) + 4))" --output-on-failure "$@"
