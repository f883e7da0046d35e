# shellcheck shell=bash
# Counts what the test runners report. A runner that ran nothing is a failure: a suite that is
# not found must not look like a suite that passes.

passed=0
failed=0

# count RUNNER PASSED FAILED STATUS: adds one runner's result; STATUS is its exit code.
count() {
    local runner=$1 runner_passed=${2:-0} runner_failed=${3:-0} status=$4
    if [[ $status != 0 && $runner_failed == 0 ]]; then
        say "$runner ended with code $status without naming a failed test (did it compile and start?)"
        runner_failed=1
    elif [[ $((runner_passed + runner_failed)) == 0 ]]; then
        say "$runner ran no test at all"
        runner_failed=1
    fi
    say "$runner: $runner_passed passed, $runner_failed failed"
    passed=$((passed + runner_passed))
    failed=$((failed + runner_failed))
}

# count_cargo LOG STATUS: sums the "test result:" lines of `cargo test`, doc tests included.
count_cargo() {
    local sums ignored
    sums=$(sed 's/\x1b\[[0-9;]*m//g' "$1" | awk '/^test result: / {
        for (i = 2; i <= NF; i++) {
            if ($i == "passed;") passed += $(i - 1)
            if ($i == "failed;") failed += $(i - 1)
            if ($i == "ignored;") ignored += $(i - 1)
        }
    } END { print passed + 0, failed + 0, ignored + 0 }')
    ignored=${sums##* }
    [[ $ignored == 0 ]] || say "Rust tests: $ignored ignored"
    sums=${sums% *}
    count "Rust tests" "${sums% *}" "${sums#* }" "$2"
}

# show_failures LOG: what the failed tests of `cargo test` said, shortened. What comes last in a log
# is what is read first.
show_failures() {
    [[ -s $1 ]] || return 0
    sed 's/\x1b\[[0-9;]*m//g' "$1" | awk '
        /^---- .* stdout ----$/ { left = 14 }
        /^failures:$/ { left = 0 }
        left > 0 && NF { print substr($0, 1, 240); left-- }' | head -40
}

# count_playwright REPORT STATUS: reads the JSON report. A test that passes only when it is run
# again counts as failed.
count_playwright() {
    local sums='0 0 0'
    # shellcheck disable=SC2016 # JavaScript, not shell
    [[ ! -s $1 ]] || sums=$("$NODE" -e '
        const { stats } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
        console.log(stats.expected, stats.unexpected + stats.flaky, stats.skipped);' "$1")
    [[ ${sums##* } == 0 ]] || say "Browser tests: ${sums##* } skipped"
    sums=${sums% *}
    count "Browser tests" "${sums% *}" "${sums#* }" "$2"
}

# closing_line: what `make test` and CI end with.
closing_line() { printf '%d passed, %d failed\n' "$passed" "$failed"; }
