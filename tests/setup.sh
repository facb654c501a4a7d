#!/usr/bin/env bash
# Installs what tests need, where it is missing: `tests/setup.sh NEED...`.
#
#   valgrind   profiles programs
#   node       runs the tests of the workflows, and serves GitHub's description of its API
#   suites     Google Benchmark, GoogleTest, Catch2, CTest, pytest, asv and pyperf, which list their benchmarks
#   buckets    a server of S3, which keeps stores
#   slurm      hands the tasks of a sampling job to machines
#   strace     kills lito before a system call, and lets a disk be full
#   chromium   opens the reports
#   nextest    runs the Rust tests, each in a process of its own
set -euo pipefail
cd "$(dirname "$0")/.."

# The release that is installed where there is none; any other will do.
nextest=0.9.143

fail() {
    echo "tests/setup.sh: $1" >&2
    exit 3
}

has() {
    command -v "$1" >/dev/null
}

needs() {
    [[ " ${wanted[*]} " == *" $1 "* ]]
}

wanted=("$@")
has cargo || fail "cargo is missing: install a Rust toolchain with rustup"

# Packages by their name in Debian and its descendants, where that is not the program's.
packages=()
has git || packages+=(git)
has cc || packages+=(gcc libc6-dev)
if needs valgrind; then
    has valgrind || packages+=(valgrind)
fi
if needs suites; then
    has c++ || packages+=(g++)
    has ctest || packages+=(cmake make)
    [[ -e /usr/include/benchmark/benchmark.h ]] || packages+=(libbenchmark-dev)
    [[ -e /usr/include/gtest/gtest.h ]] || packages+=(libgtest-dev)
    [[ -e /usr/include/catch2/catch.hpp || -e /usr/include/catch2/catch_all.hpp ]] || packages+=(catch2)
fi
if needs slurm; then
    has slurmctld || packages+=(slurmctld)
    has slurmd || packages+=(slurmd)
    has sbatch || packages+=(slurm-client)
fi
if needs strace; then
    has strace || packages+=(strace)
fi
if needs buckets; then
    python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3 python3-venv)
fi
if needs node; then
    has node || packages+=(nodejs)
    has npm || packages+=(npm)
    has openssl || packages+=(openssl)
    has curl || packages+=(curl)
fi
if needs chromium && [[ -z ${CHROMIUM-} ]]; then
    has chromium || has chromium-browser || has google-chrome || packages+=(chromium)
fi
if ((${#packages[@]})); then
    has apt-get || fail "these programs are missing, and so is apt-get: install ${packages[*]}"
    if [[ $(id -u) == 0 ]]; then
        sudo=()
    elif sudo -n true 2>/dev/null; then
        sudo=(sudo -n)
    else
        fail "programs are missing, and only root may install them: run \`sudo apt-get install ${packages[*]}\`"
    fi
    echo "tests/setup.sh: installing ${packages[*]}" >&2
    "${sudo[@]}" apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${packages[@]}" >&2
fi

if needs node; then
    # npm notes there what it installed.
    installed=tests/github/node_modules/.package-lock.json
    if [[ ! -e $installed || tests/github/package-lock.json -nt $installed ]]; then
        echo "tests/setup.sh: installing the packages of tests/github" >&2
        npm ci --prefix tests/github --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
            fail "installing the packages of tests/github: \`npm ci\` failed: check the network, then repeat"
        touch "$installed"
    fi
fi

# An interpreter that names its functions: CPython 3.12 or newer, of those in PATH and of pyenv.
naming_python() {
    local python
    for python in python3 python3.14 python3.13 python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3; do
        if "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
}

# Installs the packages that the tests in a folder need, for an interpreter.
python_packages() {
    local folder=$1 python=$2 environment=$1/environment
    [[ ! $environment/installed -nt $folder/requirements.txt ]] || return 0
    echo "tests/setup.sh: installing the packages of $folder" >&2
    "$python" -m venv --clear "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check -r "$folder/requirements.txt" >&2 ||
        fail "installing the packages of $folder: \`pip install\` failed: check the network, then repeat"
    touch "$environment/installed"
}

if needs suites; then
    python=$(naming_python)
    # Without such an interpreter, tests that need one tell so.
    [[ -z $python ]] || python_packages tests/python "$python"
fi
if needs buckets; then
    python_packages tests/object_storage python3
fi

if needs nextest && ! cargo nextest --version >/dev/null 2>&1; then
    echo "tests/setup.sh: installing cargo-nextest $nextest" >&2
    cargo install --locked --quiet --version "$nextest" cargo-nextest >&2 ||
        fail "installing cargo-nextest $nextest failed: check the network, then repeat"
fi
