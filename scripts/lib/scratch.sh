# shellcheck shell=bash
# Where the servers of the tests keep their files. Hundreds of databases come and go in a run, each of a thousand
# files: in memory that takes a third less time. `make test-full` and the benchmarks stay on disk.

# In a run with less free memory than this, in KiB, the files stay on disk.
SCRATCH_NEEDS_KIB=6291456

# keep_scratch_in_memory: sets TMPDIR to a new folder in memory, which goes with this shell; does nothing where
# there is too little memory or somebody chose a place.
keep_scratch_in_memory() {
    local free
    [[ -z ${TMPDIR:-} && -d /dev/shm && -w /dev/shm ]] || return 0
    free=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
    [[ $free -ge $SCRATCH_NEEDS_KIB ]] || return 0
    free=$(df --output=avail -k /dev/shm | tail -1)
    [[ $free -ge $SCRATCH_NEEDS_KIB ]] || return 0
    TMPDIR=$(mktemp -d /dev/shm/dlo-test.XXXXXX)
    # The servers run as users of their own.
    chmod 1777 "$TMPDIR"
    export TMPDIR
    scratch_in_memory=$TMPDIR
    trap drop_scratch EXIT
}

drop_scratch() { [[ -z ${scratch_in_memory:-} ]] || rm -rf "$scratch_in_memory"; }
