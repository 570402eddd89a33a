# Every target works from a fresh clone with python3 and make alone.

PYTHON ?= python3
PORT ?= 8000
ARGS ?=

PY := .venv/bin/python
# Where it is set, every start compiles all it imports anew: 5 s a time instead of once.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo run setup test lint format check bench migrate lock clean base

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: base ## Start everything with sample data (PORT=8000)
	@$(PY) manage.py demo --port $(PORT) $(ARGS)

run: base ## Start everything on your own data (PORT=8000)
	@$(PY) manage.py migrate --noinput
	@$(PY) manage.py serve --port $(PORT) $(ARGS)

setup: ## Install all a developer needs into .venv
	@$(PYTHON) scripts/install.py dev

test: setup ## Run all tests on SQLite, then on PostgreSQL and Redis (ARGS="-k name")
	@$(PY) scripts/run_tests.py $(ARGS)

lint: setup ## Check style, imports, types, migrations and settings
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	.venv/bin/lint-imports
	$(PY) -m mypy
	$(PY) manage.py makemigrations --check --dry-run
	$(PY) manage.py check

format: setup ## Rewrite the code in the one style
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

check: lint test ## Lint and test: what CI runs

bench: setup ## Measure the speed goals
	$(PY) -m benchmarks $(ARGS)

migrate: base ## Bring the database up to date
	$(PY) manage.py migrate $(ARGS)

lock: setup ## Write requirements/*.txt anew from the *.in files
	@for name in uv base dev; do \
		$(PY) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
			--no-emit-index-url --no-header --no-annotate \
			requirements/$$name.in --output-file requirements/$$name.txt || exit 1; \
	done

clean: ## Remove the venv, caches and collected files (never a database)
	rm -rf .venv .venv.lock .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	rm -rf htmlcov .coverage .coverage.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

base:
	@$(PYTHON) scripts/install.py base
