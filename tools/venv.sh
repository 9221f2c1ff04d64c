#!/bin/sh
# Make .venv hold this project and what it needs; does nothing when it already does.
#
#   tools/venv.sh          what a run needs
#   tools/venv.sh dev      what tests and lint need besides
#
# PYTHON=/path/to/python chooses the interpreter of a new environment.
set -eu
cd "$(dirname "$0")/.."

extra=${1:-}
package=.${extra:+[$extra]}
stamp=.venv/.installed${extra:+-$extra}

usable() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if usable "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    echo "BazaarBench needs Python 3.11 or newer and found none${PYTHON:+ at $PYTHON}." >&2
    echo "Install one, or name it: make demo PYTHON=/path/to/python3" >&2
    exit 1
}

create() {
    python=$(find_python)
    if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        echo "$python has no venv module, which virtual environments need." >&2
        echo "On Debian and Ubuntu: apt-get install python$version-venv; then run make again." >&2
        exit 1
    fi
    rm -rf .venv
    "$python" -m venv .venv
    # Scripts in an environment name its folder: a moved or copied project needs a new one.
    pwd -P >.venv/.place
}

if ! usable .venv/bin/python || [ "$(cat .venv/.place 2>/dev/null)" != "$(pwd -P)" ]; then
    create
fi
state=$(cat pyproject.toml constraints.txt bazaarbench/__init__.py | cksum)
if [ "$(cat "$stamp" 2>/dev/null)" = "$state" ]; then
    exit 0
fi
echo "Installing $package into .venv ..."
.venv/bin/python -m pip install --quiet --disable-pip-version-check \
    --constraint constraints.txt --editable "$package"
echo "$state" >"$stamp"
# What tests need holds what a run needs.
echo "$state" >.venv/.installed
