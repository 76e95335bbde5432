# Sourced by run.sh, test.sh and .ci/*: what isoscope needs from Debian 12, and how to get it.
# Each package has its reason in CONTRIBUTING.md.
build_packages=(gcc g++ cmake make pkg-config zlib1g-dev libbz2-dev libexpat1-dev libtiff-dev libglfw3-dev libglew-dev libcglm-dev libstb-dev libimgui-dev
    libgl-dev libegl-dev libgl1-mesa-dri libegl-mesa0 fonts-dejavu-core)
test_packages=(xvfb xdotool python3 locales dcm2niix)
clang_packages=(clang-14 clang libclang-rt-14-dev libomp-14-dev) # .ci/fuzz, and the preset tsan
lint_packages=(git clang-format-14 clang-tidy-14 cppcheck libomp-14-dev)
coverage_packages=(gcovr)
package_packages=(appstream dpkg-dev desktop-file-utils fish lintian man-db mandoc shared-mime-info zsh) # .ci/package

# Installs what is missing of the packages named, as root or through sudo; else prints the one command and fails.
install_missing() {
    command -v dpkg-query >/dev/null || return 0 # not Debian: the build says what it misses
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
