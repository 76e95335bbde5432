# Sourced by run.sh, test.sh and .ci/*: what isoscope needs from Debian 12, and how to get it.
# CONTRIBUTING.md says why each package is needed.
build_packages=(gcc g++ cmake make pkg-config zlib1g-dev libbz2-dev libexpat1-dev libtiff-dev libjansson-dev libblosc-dev libzstd-dev libglfw3-dev libglew-dev libcglm-dev libstb-dev libimgui-dev
    libgl-dev libegl-dev libgl1-mesa-dri libegl-mesa0 fonts-dejavu-core)
test_packages=(xvfb xdotool python3 locales dcm2niix libopenmpi-dev openmpi-bin iproute2)
clang_packages=(clang-14 clang libclang-rt-14-dev libomp-14-dev) # .ci/fuzz and the preset tsan
lint_packages=(git clang-format-14 clang-tidy-14 cppcheck libomp-14-dev)
coverage_packages=(gcovr)
cuda_packages=(nvidia-cuda-toolkit g++-11) # optional; in Debian's components contrib and non-free
package_packages=(appstream dpkg-dev desktop-file-utils fish lintian man-db mandoc shared-mime-info zsh) # .ci/package

# Installs those of the named packages that are missing, as root or through sudo. Otherwise prints the command and fails.
install_missing() {
    command -v dpkg-query >/dev/null || return 0 # not Debian: the build reports what is missing
    local missing=() name
    for name in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
    done
    [ ${#missing[@]} -eq 0 ] && return 0

    local apt="apt-get install -y --no-install-recommends ${missing[*]}" sudo=
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
            echo "isoscope needs packages that only root can install: sudo $apt" >&2
            return 1
        fi
        sudo=sudo
    fi
    echo "installing ${missing[*]}" >&2
    local log=/tmp/isoscope-apt.$$
    if $sudo apt-get update -qq >"$log" 2>&1 &&
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
        rm -f "$log"
    else
        cat "$log" >&2
        echo "apt-get failed; the command was: sudo $apt" >&2
        return 1
    fi
}

# Whether there is an NVIDIA GPU. Looks for its tool, its driver, and the PCI devices in the given folder.
has_nvidia() {
    local device
    command -v nvidia-smi >/dev/null && return 0
    [ -e /proc/driver/nvidia/version ] && return 0
    for device in "${1:-/sys/bus/pci/devices}"/*; do
        [ -r "$device/vendor" ] && [ "$(<"$device/vendor")" = 0x10de ] || continue
        case $(<"$device/class") in 0x03*) return 0 ;; esac # a display controller; NVIDIA makes other devices, too
    done
    return 1
}

# Looks in the same places as cmake/cuda.cmake.
has_nvcc() { command -v "${CUDACXX:-nvcc}" >/dev/null || [ -x "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" ]; }

# If there is a GPU but no nvcc, prints one line on what the CUDA backend needs.
suggest_cuda() {
    has_nvcc || ! has_nvidia "$@" && return 0
    local how="NVIDIA's CUDA toolkit 11.8 or newer"
    command -v dpkg-query >/dev/null && how="${cuda_packages[*]} (apt, components contrib and non-free)"
    echo "there is an NVIDIA GPU but no nvcc: isoscope will use the CPU; for the GPU, install $how and start again" >&2
}
