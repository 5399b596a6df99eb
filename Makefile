.DEFAULT_GOAL := help
.PHONY: help run test build deps check smoke slow crash fuzz agents e2e soak bench sim picture mutants requirements index format clean

node_modules/.stamp: package.json package-lock.json bin/dev/preflight.sh
	@sh bin/dev/preflight.sh
	@! test -L node_modules || { echo "node_modules is a symbolic link: npm ci would empty the directory that it leads to. Remove the link." >&2; exit 1; }
	npm ci --ignore-scripts --prefer-offline --no-audit --no-fund && touch $@

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile

run: node_modules/.stamp ## install, build, open the workspace (ARGS="..." is passed on); without a terminal a tour that proves the installation
	@node bin/dev/build.mjs --warm && node bin/dev/run.mjs $(ARGS)

test: node_modules/.stamp ## install, build, run the tests (only="part of a path or name|another")
	@node bin/dev/build.mjs --tests=fast && node bin/dev/test.mjs fast "only=$$only"

build: node_modules/.stamp ## write dist
	@node bin/dev/build.mjs --warm

deps: node_modules/.stamp ## install what package-lock.json names

check: node_modules/.stamp ## types, linter and the project's own checks
	@node bin/dev/check.mjs

smoke: node_modules/.stamp ## the built program on each release of Node that is promised
	@node bin/dev/build.mjs --warm && node bin/dev/smoke.mjs

slow: node_modules/.stamp ## long tables and histories on fake clocks
	@node bin/dev/build.mjs --tests=slow && node bin/dev/test.mjs slow "only=$$only"

crash: node_modules/.stamp ## simulated crashes, power losses, schedules (short=1 takes small budgets)
	@node bin/dev/build.mjs --tests=crash && AGENT_TEST_SHORT=$(short) node bin/dev/test.mjs crash "only=$$only"

fuzz: node_modules/.stamp ## bad inputs (short=1)
	@node bin/dev/build.mjs --tests=fuzz && AGENT_TEST_SHORT=$(short) node bin/dev/test.mjs fuzz "only=$$only"

fixtures/agents/node_modules/.stamp: fixtures/agents/package.json fixtures/agents/package-lock.json
	npm ci --prefix fixtures/agents --ignore-scripts --prefer-offline --no-audit --no-fund && touch $@

agents: fixtures/agents/node_modules/.stamp ## install other agents that end-to-end tests drive (400 MB)

e2e: node_modules/.stamp ## real processes, files, sockets and terminals (short=1)
	@node bin/dev/build.mjs --tests=e2e --warm && AGENT_TEST_SHORT=$(short) node bin/dev/test.mjs e2e "only=$$only"

soak: node_modules/.stamp ## long runs
	@node bin/dev/build.mjs --tests=soak --warm && AGENT_TEST_SHORT=$(short) node bin/dev/test.mjs soak "only=$$only"

bench: node_modules/.stamp ## figures to hold, as ratios to floors of the same run
	@node bin/dev/build.mjs --warm && node bin/dev/bench.mjs "only=$$only" "n=$(n)"

sim: node_modules/.stamp ## one simulated history again (seed=... days=...)
	@node bin/dev/build.mjs --tests=crash && AGENT_SIM_SEED=$(seed) AGENT_SIM_DAYS=$(days) node bin/dev/test.mjs crash "only=$$only"

picture: node_modules/.stamp ## play a scene in tmux and in a browser, and write the pictures that README shows
	@node bin/dev/build.mjs --warm && node bin/dev/picture.mjs

mutants: node_modules/.stamp ## sabotages that the tests must notice (only=<id>)
	@node bin/dev/mutants.mjs "only=$$only"

requirements: node_modules/.stamp ## which promises of the specification (fixtures/spec) are met
	@node bin/dev/check.mjs requirements spec

index: node_modules/.stamp ## write the generated indexes and help tables
	@node bin/dev/index.mjs

format: node_modules/.stamp ## let the linter write what it can
	@npx --no-install biome check --write .

clean: ## remove what was built
	@rm -rf dist node_modules/.stamp
