# Two entry points for a fresh machine with Python >= 3.11, git and make:
#   make demo   sets up and resolves the bundled conflict
#   make test   sets up and runs the tests
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: setup demo test lint typecheck format long benchmarks clean
setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . --group dev
	touch $@

test: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2

# A merge of main into dev that stopped with conflicts, settled by one command.
demo: setup
	$(BIN)/python scripts/build_demo.py demo
	@echo; echo '$$ git merge main; git status --short'
	@git -C demo status --short
	@echo; echo '$$ resolve'
	@cd demo && $(abspath $(BIN))/resolve || test $$? -eq 1
	@echo; echo '$$ git status --short'
	@git -C demo status --short
	@echo; echo '$$ resolve explain tidewatch/forecast.py'
	@cd demo && $(abspath $(BIN))/resolve explain tidewatch/forecast.py
	@echo; echo 'Look around in ./demo: git diff, resolve explain PATH, resolve undo.'

lint: setup
	$(BIN)/ruff check .

format: setup
	$(BIN)/ruff format .

typecheck: setup
	$(BIN)/mypy

clean:
	rm -rf $(VENV) demo dist build
