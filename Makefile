# Every command of this project. The work is in scripts/; this file names it.
# `make demo` and `make test` set up what they need by themselves.
SHELL := bash
export PATH := $(PATH):$(HOME)/.cargo/bin
export SQLX_OFFLINE ?= true
.DEFAULT_GOAL := help
.PHONY: help setup demo quick test test-full fuzz fmt lint deny advisories site prepare bench-intake bench-pages bench-list bench-replay bench-fleet bench-retries seed-letters bench-grouping e2e pictures check clean

help: ## list the commands
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) \
		| awk -F ':.*## ' '{ printf "  make %-13s %s\n", $$1, $$2 }'

demo: ## run the product on simulated dead letters and print its address; ARGS="--port 4000 --data DIR"
	@scripts/demo $(ARGS)

quick: ## format, boundaries, clippy and the tests that need no server: before every commit
	@scripts/gate format boundaries clippy-native unit

test: ## the gate: tests in Rust and in the browser, one after the other, and one closing count
	@scripts/gate set-up site build rust browser

test-full: ## kills, outages and bounds, with one table of the reliability goals; ARGS="replay::kills"
	@scripts/test-full $(ARGS)

setup: ## install what any of these commands needs
	@scripts/setup all

check: ## compile everything, quickly, without building programs
	@scripts/check-code compile

fmt: ## format the code
	@cargo fmt --all

lint: ## rustfmt, clippy for the server and for the browser, rustdoc, module boundaries
	@scripts/check-code format boundaries clippy-native clippy-browser docs

advisories: ## known faults of all dependencies; needs the network
	@scripts/check-code advisories

deny: ## licences, bans and sources of all dependencies
	@scripts/check-code dependencies

site: ## build what the browser loads into target/site
	@scripts/setup demo
	@scripts/build-site

prepare: ## migrate a fresh database and refresh .sqlx from it
	@scripts/prepare-queries

e2e: ## the browser tests alone; ARGS="--headed -g replay"
	@scripts/setup test
	@scripts/build-site
	@cargo build -p dlo-server --bin dlo
	@scripts/test-browser $(ARGS)

pictures: ## take the pictures of README again
	@scripts/setup test
	@scripts/build-site
	@cargo build -p dlo-server --bin dlo
	@UPDATE_DOC_IMAGES=1 scripts/test-browser every-page -g 'in (letters|overview), it fits'

bench-intake: ## a whole office's intake against the floor program: goals P1, P2 and the memory of P11
	@scripts/bench-intake $(ARGS)

bench-replay: ## replay against the broker's own shovel: goals P3 and P4
	@scripts/bench-replay $(ARGS)

bench-pages: ## pages against the API's answers to the same questions: goal P10
	@scripts/bench-pages $(ARGS)

bench-fleet: ## pages and monitors with 10,000 workers and a million executions
	@scripts/bench-fleet $(ARGS)

fuzz: ## fuzz targets of the parsers, a minute of each: goal R9; ARGS="300 headers"
	@scripts/fuzz $(ARGS)

bench-retries: ## the retry scheduler against a bare loop over due rows: goal P11
	@scripts/bench-retries $(ARGS)

bench-list: ## lists, groups and searches at 10 million letters: goals P5 to P7; ARGS="--letters N --data DIR"
	@scripts/bench-list $(ARGS)

seed-letters: ## fill an empty database with made up letters; N=1000000 DATABASE=postgres://… ARGS="--replace"
	@$(if $(and $(N),$(DATABASE)),,$(error give N=… and DATABASE=postgres://…))
	@cargo build --release -q -p dlo-server --bin dlo
	@DLO_DATABASE_URL=$(DATABASE) $${CARGO_TARGET_DIR:-target}/release/dlo seed-letters $(N) $(ARGS)

bench-grouping: ## grouping accuracy and speed: goal P8; FILES="A.tsv B.tsv" for your own
	@cargo run --release -q -p dlo-domain --example grouping_score -- \
		$(or $(FILES),domain/tests/grouping/failures.tsv)

clean: ## remove what was built (the tools' cache outside the clone stays)
	@cargo clean
	@rm -rf node_modules end2end/node_modules end2end/test-results end2end/playwright-report
