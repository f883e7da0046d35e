# shellcheck shell=bash
# Where things are: the clone, the cache of tools, what is run from them. Sourced by every
# script; it must not change anything.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Outside the clone: the tools take minutes to build and serve every clone of this machine.
TOOLS=${DLO_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/dead-letter-office}/tools
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}
# What the last run of tests said, wherever it was built.
RESULTS=$ROOT/target/test-results
# The demo and the tests use the dev profile: one set of artefacts serves both.
DLO_BIN=${DLO_BIN:-$TARGET/debug/dlo}
# Queries were checked against a real schema when `.sqlx` was written, so a build needs no database.
export SQLX_OFFLINE=${SQLX_OFFLINE:-true}
export DLO_BIN
# Rustup's directory is not on the PATH of a shell that was open before rustup was installed.
export PATH="$TOOLS/bin:$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"

# Playwright needs Node 20; Debian 12 has 18, and `setup-system` then fetches one of our own.
NODE_MINIMUM=20
NODE=$TOOLS/node/bin/node
[[ -x $NODE ]] || NODE=$(command -v node || true)
export ROOT TOOLS TARGET RESULTS NODE NODE_MINIMUM

# node_major PROGRAM: the major version of that Node, or 0.
node_major() {
    local version
    version=$("$1" --version 2>/dev/null) || { echo 0; return; }
    version=${version#v}
    echo "${version%%.*}"
}
