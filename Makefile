# make demo   a market under three conditions, with a scripted model, no key and no network
# make test   lint, types, import contract, tests

.PHONY: demo test lint bench soak mutants test-packaging venv venv-dev
.DEFAULT_GOAL := demo

BIN := .venv/bin
# What `make bench` runs: every benchmark but those that take many minutes. One alone:
# make bench BENCHMARKS=turns
SLOW_BENCHMARKS := effects_coverage liveliness viewer
BENCHMARKS := $(filter-out __init__ machine $(SLOW_BENCHMARKS), \
    $(basename $(notdir $(wildcard benchmarks/*.py))))

demo: venv
	$(BIN)/bazaarbench demo

test: lint
	$(BIN)/python -m pytest -n 2 -q

lint: venv-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: venv-dev
	set -e; for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name; done

soak: venv-dev
	$(BIN)/python -m pytest -q -m soak
	$(BIN)/python -m tests.policies.worlds --seeds 20
	$(BIN)/python -m tests.policies.defences --seeds 20
	$(BIN)/python -m tests.judge.blindness

# Changes what measures in thousands of ways, in a copy, and prints which changes no test notices
# (docs/validity.md, "Mutation testing"). What survived once more: make mutants MUTANTS=--again
mutants:
	@PYTHON="$(PYTHON)" tools/venv.sh dev,mutants
	$(BIN)/python -u tools/mutants.py --processes 2 $(MUTANTS)

# Builds and installs the wheel; needs a package index for the build's own tools.
test-packaging: venv-dev
	$(BIN)/python -m pytest -q -m packaging

venv:
	@PYTHON="$(PYTHON)" tools/venv.sh

venv-dev:
	@PYTHON="$(PYTHON)" tools/venv.sh dev
