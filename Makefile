# Each target works as the first command on a machine with Python 3.11 or newer, its venv, and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: gate test check lint clean

gate: $(INSTALLED)
	$(BIN)/counterpoint gate

test: $(INSTALLED)
	$(BIN)/python -m pytest -n auto --dist loadscope --max-worker-restart 0

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test gate

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

clean:
	rm -rf $(VENV) report build *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
