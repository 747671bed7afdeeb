# Thin over CMake: installs what is missing, configures into build/, builds with all cores.
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
CMAKE_ARGS ?=

# CMake's own make must not see the options of this one.
cmake = MAKEFLAGS= MFLAGS= MAKELEVEL= cmake
ctest = MAKEFLAGS= MFLAGS= MAKELEVEL= ctest

.PHONY: help setup configure build demo test python bench install format words clean

help:
	@echo "make demo      build gersh and show it at work on the data of data/"
	@echo "make test      build gersh and run all tests"
	@echo "make python    build gersh, install its Python package in build/venv, and run the tests of that"
	@echo "make bench     build gersh and measure it, some five minutes; GERSH_DATA=DIR for more (docs/benchmarks.md)"
	@echo "make build     build the program and the libraries in build/"
	@echo "make install   install below PREFIX (/usr/local), staged in DESTDIR if set"
	@echo "make format    lay out all sources with clang-format"
	@echo "make words     look for words of a private dialect in sources and documents"
	@echo "make clean     remove build/"

setup:
	@scripts/setup

configure: setup
	@$(cmake) -S . -B $(BUILD) $(CMAKE_ARGS)

build: configure
	@$(cmake) --build $(BUILD) --parallel $(JOBS)

demo: build
	@scripts/demo $(BUILD)

test: build
	@cd $(BUILD) && $(ctest) --output-on-failure --parallel $(JOBS)
	@grep -h '^skipped: ' $(BUILD)/Testing/Temporary/LastTest.log || true

# Debian keeps pip out of its own Python: the package goes into an environment that sees Debian's packages.
python_packages = python3 python3-venv python3-setuptools python3-wheel python3-numpy python3-scipy python3-sklearn \
	python3-pandas python3-matplotlib python3-networkx python3-pytest
venv = $(abspath $(BUILD))/venv

python: build
	@scripts/setup $(python_packages)
	@/usr/bin/python3 -m venv --system-site-packages "$(venv)"
	@rm -rf python/build
	@GERSH_BUILD="$(abspath $(BUILD))" "$(venv)/bin/python" -m pip install -q --no-build-isolation --no-deps \
		--no-index --force-reinstall ./python
	@GERSH="$(abspath $(BUILD))/gersh" "$(venv)/bin/python" -m pytest -q python/tests --pyargs gersh

bench: override CMAKE_ARGS += -DGERSH_BENCH=ON
bench: build
	@scripts/setup binutils git time valgrind
	@GERSH_DATA="$(GERSH_DATA)" $(cmake) --build $(BUILD) --target bench

install: build
	@DESTDIR="$(DESTDIR)" $(cmake) --install $(BUILD) --prefix "$(PREFIX)"

format:
	@scripts/format

words:
	@scripts/words

clean:
	@rm -rf $(BUILD)
