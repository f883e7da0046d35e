# shellcheck shell=bash
# Which crates are built together, and which of their tests. Never `--workspace` for the browser: it would unify
# leptos' `ssr` with `hydrate`.

# Everything that runs natively. One selection for tests, lints and docs, so that they share artefacts.
NATIVE=(-p dlo-domain -p dlo-islands -p dlo-sandbox -p dlo-app -p dlo-server -p dlo-bind)
# What the browser runs.
BROWSER=(-p dlo-islands --features dlo-islands/hydrate --target wasm32-unknown-unknown)
# The gate: unit tests, and the folders `tests/it` of the crates.
GATE_TESTS=(--lib --test it)
# What `make test-full` adds: the folders `tests/faults`.
FULL_TESTS=(--test faults)
export NATIVE BROWSER GATE_TESTS FULL_TESTS
