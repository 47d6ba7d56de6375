# make demo: set up and answer three questions, offline.   make test: set up and pass the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# What is compiled is kept, whatever the machine says: else each process that a test starts compiles all libraries anew (4 s of CPU).
export PYTHONDONTWRITEBYTECODE :=
EXTRAS := clouds,dask,llm,mcp,notebook,ogc,peers,postgres,remote

.PHONY: demo test lint format benchmarks reference constraints clean

demo: $(STAMP)
	$(BIN)/knowflow demo --out demo-out

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -q -n auto --maxprocesses 4 --dist loadfile

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix-only -q .
	$(BIN)/ruff format -q .

benchmarks: $(VENV)/.installed-dev
	for file in benchmarks/[a-z]*.py; do $(BIN)/python $$file || exit 1; done

# The pages of docs/reference; a test fails where they are older than what they describe.
reference: $(VENV)/.installed-dev
	$(BIN)/python -m knowflow.roof.reference docs/reference

# What the constraints file is made with; run it to move to newer versions, then run everything.
constraints: $(VENV)/.uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --no-annotate \
	    --no-header --no-emit-index-url --upgrade -q -o constraints.txt

$(VENV)/.uv:
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("KnowFlow needs Python 3.11 or newer, \
	found %d.%d: make PYTHON=python3.12 ..." % v[:2])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@touch $@

$(STAMP): $(VENV)/.uv pyproject.toml constraints.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt -e .
	$(BIN)/python -m compileall -q knowflow benchmarks
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.uv pyproject.toml constraints.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt -e '.[dev,$(EXTRAS)]'
	$(BIN)/python -m compileall -q knowflow benchmarks
	@touch $@ $(STAMP)

clean:
	rm -rf $(VENV) dist demo-out
