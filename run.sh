#!/usr/bin/env bash
# Builds isoscope, installing what is missing, and opens the window on FILE or on a built-in volume.
# Without a display it renders a picture to isoscope.png instead.   Usage: ./run.sh [FILE] [OPTION]...
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$root/packages.sh"
install_missing "${build_packages[@]}"
suggest_cuda

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cache=$root/build/CMakeCache.txt
# Configures once, and again if nvcc has been installed since.
is_configured() { [ -f "$cache" ] && { ! has_nvcc || grep -qE '^(CMAKE_CUDA_COMPILER:|ISO_CUDA:[A-Z]+=OFF)' "$cache"; }; }
# Builds for the GPUs of this machine only, which takes a small part of the time. If there is none, builds PTX, which the
# driver of a later GPU compiles.
architectures() {
    if [ -n "${CUDAARCHS:-}" ] || ! has_nvcc; then return; fi
    if nvidia-smi -L >/dev/null 2>&1; then echo native; else echo 75-virtual; fi
}
configure() {
    local for_gpus
    for_gpus=$(architectures)
    (cd "$root" && cmake --preset release -DISO_WINDOW=ON ${for_gpus:+"-DCMAKE_CUDA_ARCHITECTURES=$for_gpus"})
}
build() {
    { is_configured || configure; } &&
        cmake --build "$root/build" --target isoscope -j "$(nproc)"
}
[ -x "$root/build/isoscope" ] || echo "building isoscope (some minutes, once)" >&2
build >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
grep -A1 '^CMake Warning' "$log" >&2 || true

[ $# -gt 0 ] || set -- "$root/data/vessels_256.nrrd" --iso 80.5 # the built-in volume, computed in advance

# Exit code 4: no usable OpenGL window, for example because nothing serves DISPLAY.
code=4
if [ -n "${DISPLAY:-}" ]; then
    code=0
    "$root/build/isoscope" "$@" || code=$?
    [ $code -eq 4 ] || exit $code
fi
echo "no display here: rendering to isoscope.png instead"
exec "$root/build/isoscope" render "$@" -o isoscope.png
