# Each target works as the first command on a machine with Python 3.11 or newer, its venv, and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: gate test test-long check lint site clean

gate: $(INSTALLED)
	$(BIN)/counterpoint gate $(OPTIONS)

test: $(INSTALLED)
	$(BIN)/python -m pytest -n auto --dist loadscope --max-worker-restart 0

# The tests that take seconds each, and that `make test` leaves out.
test-long: $(INSTALLED)
	$(BIN)/python -m pytest -m "long and not slow" -n auto --dist loadscope --max-worker-restart 0

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test test-long gate

# The documents as a site in build/site; each warning is an error.
site: $(VENV)/.site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict
	@echo "The site is in build/site."

$(VENV)/.site: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

clean:
	rm -rf $(VENV) report build *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
