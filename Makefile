# SPDX-License-Identifier: BSD-3-Clause
# The daily words. Each one calls meson, ninja or a script in devtools/; nothing is decided here.

BUILD        ?= build
PORTS        ?=
ARGS         ?=
BENCH_ARGS   ?=
COUNTS_ARGS  ?=
TEST_ARGS    ?=
FUZZ_SECONDS ?= 300
SUITES       ?= trixie sid
DEB_SUITES   ?= bookworm trixie
ARCH         ?= arm64
PREFIX       ?= /usr/local
LINKS        ?=
export PORTS

# Drivers of our own need DPDK's source; without it they are left out, in one line.
SOURCE = -Ddpdk_source="$$(devtools/driver-source --optional)"

# Words given together share a build folder; ninja and meson run things in parallel by themselves.
.NOTPARALLEL:
.PHONY: help compile run test test-all test-vm bench lab published counts lint asan fuzz tsan docs install uninstall matrix cross deb deb-test rpm image image-test wheel layouts-check dts dts-suites mutants coverage soak bundle clean
.DEFAULT_GOAL := help

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## /  make \1\t/p' Makefile | expand -t 16

compile: ## build/zcfwd
	@devtools/setup run
	@TARGETS=program devtools/compile $(BUILD) $(SOURCE)

run: compile ## the shell on two embedded ports: PORTS=xl710|82599|x540|wire|veth|hosts|null|ring|tap|none EAL='-l 0-3' ARGS='--burst=64' HUGEPAGES=0
	@devtools/run $(BUILD)/zcfwd $(ARGS)
	@devtools/where $(BUILD)/zcfwd

# Of the cases that take turns, those of the seed; all of them where TEST_ARGS names tests.
ROTATE = $(if $(filter-out -%,$(firstword $(TEST_ARGS))),,yes)

test: ## every law, contract and unit test; the last line counts them: TEST_ARGS='--suite core'
	@devtools/setup test
	@export ZCFWD_TEST_ROTATE="$${ZCFWD_TEST_ROTATE-$(ROTATE)}"; devtools/test $(BUILD) $(or $(TEST_ARGS),--no-suite extended)

test-all: ## make test with all cases and seeds, and the extended tests: long random runs, DPDK's own tests, figures
	@devtools/setup test
	@ZCFWD_TEST_ROTATE= devtools/test $(BUILD)

test-vm: ## Linux guests under QEMU: behind vhost ports, beside netem, and as hosts with two nodes and PCI cards
	@devtools/setup vm
	@source=$$(devtools/driver-source) && devtools/compile $(BUILD) -Ddpdk_source="$$source"
	@ZCFWD=$(abspath $(BUILD)/zcfwd) /usr/bin/python3 -m pytest -c tests/pytest.ini -s tests/vm

bench: ## measure against testpmd, and drivers' cycles on modelled NICs: BENCH_ARGS='--help'
	@devtools/setup test
	@devtools/compile $(BUILD) $(SOURCE)
	@ZCFWD=$(abspath $(BUILD)/zcfwd) /usr/bin/python3 tests/bench/bench.py $(BENCH_ARGS)

lab: ## the rows of doc/published.md that this machine can repeat, on its own NICs, DMA engines and counters: LAB_ARGS='--help'
	@devtools/setup test
	@devtools/compile $(BUILD) $(SOURCE)
	@ZCFWD=$(abspath $(BUILD)/zcfwd) /usr/bin/python3 tests/bench/lab.py $(LAB_ARGS)

published: ## doc/published.md from the kept samples in tests/bench/results, which FILES join: FILES='run.csv'
	@/usr/bin/python3 tests/bench/published.py $(FILES)

counts: ## instructions per packet of every engine, under valgrind, against tests/bench/counts.csv: COUNTS_ARGS='--help'
	@devtools/setup test
	@source=$$(devtools/driver-source) && devtools/compile $(BUILD) -Ddpdk_source="$$source"
	@ZCFWD=$(abspath $(BUILD)/zcfwd) /usr/bin/python3 tests/bench/counts.py $(COUNTS_ARGS)

lint: ## format and the rules of the house
	@devtools/setup run lint
	@devtools/compile $(BUILD)
	@devtools/lint $(BUILD)

asan: ## the core tests under the address and undefined behaviour sanitizers, without precompiled headers
	@devtools/setup test
	@devtools/compile $(BUILD)-asan -Db_sanitize=address,undefined -Db_pch=false
	@devtools/asan $(BUILD)-asan

fuzz: ## the fuzzers under the same sanitizers, hostile guests among them, FUZZ_SECONDS=300 each
	@devtools/setup test
	@source=$$(devtools/driver-source) || source=; \
		TARGETS="zcfwd tests/fuzz/grammar_fuzz tests/fuzz/replay_fuzz tests/fuzz/engines_fuzz" devtools/compile $(BUILD)-fuzz \
		-Dtests=enabled -Db_sanitize=address,undefined -Db_pch=false -Ddpdk_source="$$source"
	@devtools/fuzz $(BUILD)-fuzz $(FUZZ_SECONDS)

tsan: ## recordings, telemetry and random commands beside forwarding under the thread sanitizer, FUZZ_SECONDS=300 each; 0: the short form
	@devtools/setup test
	@TARGETS=zcfwd devtools/compile $(BUILD)-tsan -Db_sanitize=thread -Db_pch=false '-Dc_args=-Wno-tsan -DRTE_FORCE_INTRINSICS'
	@devtools/tsan $(BUILD)-tsan $(FUZZ_SECONDS)

coverage: ## doc/coverage.md: which test runs which source file, from `make test` on a build that counts
	@devtools/setup test
	@source=$$(devtools/driver-source) && devtools/compile $(BUILD)-coverage -Dtests=enabled -Db_coverage=true -Doptimization=1 -Ddpdk_source="$$source"
	@devtools/coverage $(BUILD)-coverage

docs: compile ## write the reference in doc/ from the tables in the program
	@devtools/docs $(BUILD)/zcfwd

bundle: ## a folder that travels to a machine with a GPU, build-bundle, and proves there what needs one
	@devtools/setup test
	@devtools/compile $(BUILD) $(SOURCE)
	@devtools/bundle $(BUILD)

install: ## honours PREFIX and DESTDIR; LINKS=testpmd,dpdk-testpmd installs it under these names too
	@devtools/setup run
	@TARGETS=program devtools/compile $(BUILD) $(SOURCE) -Dprefix=$(PREFIX) -Dsymlinks=$(LINKS)
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild
	@[ -n "$(DESTDIR)" ] || ldconfig 2>/dev/null || true # for libzcfwd-recycle; only root may

uninstall: ## remove what the last install from this build folder left
	@ninja -C $(BUILD) --quiet uninstall

matrix: ## build and test in Debian roots with other DPDK releases: SUITES='bookworm trixie sid 26.07' DPDK_SOURCES=DIR TEST_ARGS='NAME ...'
	@devtools/setup matrix
	@TEST_ARGS='$(TEST_ARGS)' devtools/matrix $(SUITES)

cross: ## build for another processor and test under qemu-user: ARCH=arm64|ppc64el TEST_ARGS='--suite core'
	@devtools/setup matrix
	@devtools/cross $(ARCH) $(TEST_ARGS)

deb: ## Debian packages of the tree as it stands, into build-deb/
	@devtools/setup deb
	@devtools/deb

deb-test: ## build them in Debian roots, install them in bare ones, try and purge them: DEB_SUITES='bookworm trixie'
	@devtools/setup matrix
	@devtools/deb-test $(DEB_SUITES)

rpm: ## RPM packages of the tree as it stands, into build-rpm/
	@! command -v dpkg-query >/dev/null || devtools/setup rpm
	@devtools/rpm

image: ## an OCI image of Debian packages of the tree, build-image/zcfwd.tar
	@devtools/setup deb image
	@devtools/image

image-test: ## run that image with crun, and check the manifests in doc/kubernetes/
	@devtools/setup image
	@devtools/image-test

wheel: ## the Python package as a wheel, into build-wheel/
	@devtools/wheel build-wheel

layouts-check: ## pmd_shims/recycle/layout_rows.h against the headers of all releases: DPDK=CLONE of DPDK's repository
	@devtools/setup test
	@devtools/layouts --check $(DPDK)

dts: ## each method of the class by which DPDK's own test suite drives testpmd, on zcfwd and dpdk-testpmd: DPDK=CLONE of DPDK's repository
	@[ -n "$(DPDK)" ] || { echo "dts: expected DPDK=CLONE of DPDK's repository" >&2; exit 2; }
	@devtools/setup core dts
	@TARGETS=program devtools/compile $(BUILD) $(SOURCE)
	@devtools/dts $(DPDK) $(BUILD)/zcfwd dpdk-testpmd

dts-suites: ## DPDK's own test suites on zcfwd and dpdk-testpmd, on modelled NICs and veths, as root: DPDK=CLONE of DPDK's repository, SUITES=NAME,..., GENERATOR=scapy,zcfwd
	@[ -n "$(DPDK)" ] || { echo "dts-suites: expected DPDK=CLONE of DPDK's repository" >&2; exit 2; }
	@devtools/setup core dts
	@TARGETS=program devtools/compile $(BUILD) $(SOURCE)
	@devtools/dts-suites $(if $(SUITES),--suites $(SUITES)) $(if $(GENERATOR),--generator $(GENERATOR)) $(DPDK) $(BUILD)/zcfwd dpdk-testpmd

variants: compile ## build/zcfwd without each feature of meson_options.txt: VARIANTS='[--test] NAME ...'
	@devtools/variants $(BUILD) $(VARIANTS)

mutants: ## change the program in one place at a time and count what the tests notice: MUTANTS='NAME ...'
	@devtools/setup test
	@devtools/mutants $(MUTANTS)

# Orders of polls that begin with a seed, and polls that are interrupted: those of modelled NICs, whatever widths this build has.
TURNS = $$(meson test -C $(BUILD) --no-rebuild --list 2>/dev/null | \
	sed -nE 's,.* / ((ring|mirror|recycle)_turns.*|recycle_interrupted_.*|direct_((xl710_)?[0-9]+|mixed))$$,\1,p')

soak: ## the long-running tests
	@devtools/setup test
	@devtools/compile $(BUILD) $(SOURCE)
	@ZCFWD_TEST_SEEDS=10000 meson test -C $(BUILD) --no-rebuild --timeout-multiplier 0 $(TURNS)
	@export ZCFWD_TEST_SEED=$${ZCFWD_TEST_SEED:-$$(date +%s)}; echo "soak: ZCFWD_TEST_SEED=$$ZCFWD_TEST_SEED"; \
		ZCFWD=$(abspath $(BUILD)/zcfwd) /usr/bin/python3 -m pytest -m soak tests

clean: ## remove the build folders, but not the costly roots in build-matrix/ and build-deb/
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-fuzz $(BUILD)-tsan build-image
