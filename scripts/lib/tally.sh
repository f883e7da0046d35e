# shellcheck shell=bash
# Counts what the test runners report. A runner that ran nothing is a failure: a suite that is
# not found must not look like a suite that passes.

passed=0
failed=0

# report COMMAND…: what lib/report.mjs answers.
report() { "$NODE" "$ROOT/scripts/lib/report.mjs" "$@"; }

# count RUNNER FILE STATUS: adds one runner's result, which it reported in FILE; STATUS is its exit code.
count() {
    local runner=$1 status=$3 runner_passed runner_failed skipped
    read -r runner_passed runner_failed skipped < <(report count "$2")
    if [[ $status != 0 && ${runner_failed:-0} == 0 ]]; then
        say "$runner ended with code $status without naming a failed test (did it compile, start and end in time?)"
        runner_failed=1
    elif [[ $((runner_passed + runner_failed)) == 0 ]]; then
        say "$runner ran no test at all"
        runner_failed=1
    fi
    [[ ${skipped:-0} == 0 ]] || say "$runner: $skipped skipped"
    say "$runner: $runner_passed passed, $runner_failed failed"
    passed=$((passed + runner_passed))
    failed=$((failed + runner_failed))
}

# closing_line: what `make test` and CI end with.
closing_line() { printf '%d passed, %d failed\n' "$passed" "$failed"; }
