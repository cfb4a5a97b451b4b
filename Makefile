# The front door of Cairn. `make` prints what there is. Everything is built by CMake in build/.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
WERROR ?= OFF
SHELL := /bin/bash
CTEST = ctest -j $(JOBS)
MAKEFLAGS += --no-print-directory

.DEFAULT_GOAL := help
.PHONY: help packages build page demo check install debug asan tsan coverage fuzz golden golden-counts random-worlds bench bench-siconos bench-convex bench-report bench-linalg bench-anitescu bench-mt bench-chrono bench-t4 bench-engines bench-t21 bench-akm bench-ac bench-large bench-certainty bench-heaps bench-referee bench-judge bench-warm bench-page results figures pictures site tidy format clean

help: ## print this list
	@echo "Cairn: cone complementarity problems of nonsmooth dynamics. Targets:"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
	    awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

packages: ## install what the build needs and the system lacks
	@bash tools/install_packages.sh $(if $(filter check,$(MAKECMDGOALS)),--checks,$(if $(filter demo page,$(MAKECMDGOALS)),--page))

# $(call run,PRESET,TARGET): configures and builds one preset; all of it without TARGET.
define run
@echo "== build: preset $(1)"
@cmake --preset $(1) -DCAIRN_WERROR=$(WERROR) --log-level=WARNING >/dev/null
@env -u MAKEFLAGS -u MAKELEVEL cmake --build --preset $(1) --parallel $(JOBS) $(if $(2),--target $(2))
endef

build: packages ## build the library and build/cairn
	$(call run,release)

demo: packages ## build the program, then solve a stack of stones with several methods and run the wrecking ball
	$(call run,release,cairn_cli)
	@echo "== demo: build/cairn demo"
	@build/cairn demo
	@echo "== demo: the wrecking ball, a small one; cairn run wall is the whole"
	@rm -f build/demo.html
	@build/cairn run wall --until 2 --set walls=1 --set rows=6 --set columns=6 \
	    $$(grep -q 'view_page_size = 0,' build/view_page.c || echo --html build/demo.html)
	@if test -e build/demo.html; then echo "== demo: open build/demo.html in a browser to see it"; else \
	    echo "== demo: no replay page: it needs Node.js 18, npm and, once, a network; then make page and make demo again"; fi

page: ## try again to build the replay page of cairn view (needs Node.js, npm and a network)
	@rm -f build/view_page.c build/*/view_page.c
	@$(MAKE) build

check: build ## build, then run all tests
	@echo "== check: all tests"
	@$(CTEST) --preset release

golden: build ## compare answers and files bit for bit with tests/golden; RENEW=1 writes the hashes anew
	@env $(if $(RENEW),CAIRN_GOLDEN_RENEW=1) $(CTEST) --preset release -L golden --verbose

golden-counts: build ## instruction counts of eight runs against tests/golden, to 3 % (needs valgrind); RENEW=1 writes them anew
	@bash tests/golden/golden_counts.sh build/cairn "$$(cat build/golden_build)" $(if $(RENEW),--renew) $(ARGS)

random-worlds: build ## N random worlds from number FIRST on, CLASS=heap alone; goes on where it was stopped: build/random-worlds.log
	@build/tests/test_random_worlds --first $(or $(FIRST),1) --count $(or $(N),1000) $(if $(CLASS),--class $(CLASS)) --jobs 2 \
	    --folder $(or $(TMPDIR),/tmp) --log $(or $(LOG),build/random-worlds.log)

install: packages ## build library and program, install to PREFIX (now: /usr/local)
	$(call run,release,cairn_cli cairn_shared cairn_static)
	@echo "== install: $(PREFIX)"
	@cmake --install build --prefix "$(PREFIX)"
	@if [ -w /etc/ld.so.cache ] && command -v ldconfig >/dev/null; then ldconfig; fi # so that programs find the shared library

debug: packages ## build with assertions in build/debug, run all tests
	$(call run,debug)
	@$(CTEST) --preset debug

asan: packages ## the same with address, leak and undefined behaviour sanitizers
	$(call run,asan)
	@$(CTEST) --preset asan

tsan: packages ## the same with the thread sanitizer
	$(call run,tsan)
	@$(CTEST) --preset tsan

coverage: packages ## the same with line counters, then a summary by file
	$(call run,coverage)
	@$(CTEST) --preset coverage
	@bash tools/coverage.sh build/coverage

fuzz: packages ## build the fuzzers in build/fuzz/fuzz (needs clang)
	$(call run,fuzz)

bench: build ## build, then run the benches
	@for bench in $$(find build/bench -maxdepth 1 -type f -perm -u+x | sort); do \
	    echo "== bench: $$bench"; "$$bench" || exit 1; done

bench-siconos: packages ## race Siconos on FCLIB problems, options in ARGS (installs Siconos)
	@JOBS=$(JOBS) bash bench/peers/run.sh siconos $(ARGS)

bench-convex: packages ## Ipopt and CVXOPT on the associated problem, options in ARGS (installs them)
	@JOBS=$(JOBS) bash bench/peers/run.sh convex $(ARGS)

results: build ## renew the figures of all pages, for hours; goes on after an interruption; NAME=wall for one (needs python3)
	@python3 tools/results_run.py $(NAME)

bench-report: build ## Cairn, Siconos, Ipopt and CVXOPT in one report (FILES, LIMIT, METHODS)
	@JOBS=$(JOBS) bash bench/peers/run.sh report

bench-engines: packages ## race Bullet, ODE, MuJoCo, Rapier, Jolt, and Box3D where it is installed, on scenes that move, options in ARGS
	@JOBS=$(JOBS) bash bench/peers/run.sh engines $(ARGS)

bench-chrono: packages ## TEST 2 of [T21] step by step against the cost of Chrono's ADMM with Eigen's LDLT, options in ARGS
	@JOBS=$(JOBS) bash bench/peers/run.sh chrono $(ARGS)

bench-t4: packages ## TEST 4 of [T21], bars of finite elements, against the cost of Chrono's ADMM with Eigen's LDLT, options in ARGS
	@JOBS=$(JOBS) bash bench/peers/run.sh t4 $(ARGS)

bench-large: build ## time and memory from 10 000 to 100 000 contacts, solved to 1e-6 (ARGS="--mu 0.4 --law associated")
	@build/bench/large $(ARGS)

bench-linalg: packages ## race CHOLMOD, LDL, MUMPS, Eigen on saddle-point matrices (installs them)
	@JOBS=$(JOBS) bash bench/peers/run.sh linalg $(ARGS)

bench-certainty: build ## count what auto certifies of problems changed in many ways, options and files in ARGS
	@build/bench/certainty $(ARGS)

bench-heaps: build ## work of sweeps on dense heaps to 1, 0.3 and 0.1 mm/s, with and without the joint repair (needs python3)
	@bash bench/heaps/run.sh build/cairn build/bench-heaps

bench-judge: build ## memory traffic of a question to the judge against iterations of methods (needs valgrind)
	@bash bench/judge/judge_traffic.sh build/bench/judge_traffic $(ARGS)

bench-referee: build ## all problems of FCLIB_ALL judged again by a program that knows nothing of Cairn (needs the folder REFEREE, python3-h5py, python3-scipy)
	@bash bench/referee/run.sh build/cairn "$(FCLIB_ALL)" "$(REFEREE)" build/bench-referee

bench-warm: build ## what a first guess saves and what a poor one costs, options in ARGS
	@build/bench/warm $(ARGS) $$(ls $(FCLIB)/*.hdf5 | sort -t- -k4 -n)

bench-t21: build ## TEST 1 to 4 of [T21]: iterations, and Figures 2 to 6, 8 to 10 in build/bench-t21 (needs python3)
	@bash bench/t21/figures.sh build/cairn build/bench-t21
	@python3 bench/t21/tables.py build/cairn column wall-step robot sweeps own-stop bars

bench-mt: build ## Tables 1 and 2 and Figure 1(b) of [MT]: iterations of its interior point method, in build/bench-mt
	@bash bench/mt/run.sh build/bench build/bench-mt | tee build/bench-mt.md

bench-anitescu: build ## Painleve's rod and the Brazil nut of [A], in build/bench-anitescu
	@bash bench/anitescu/run.sh build/bench scenes build/bench-anitescu

bench-page: build ## size and opening time of the wall's replay page, pictures of 5000 balls (needs Chromium; UNTIL=2 for a short wall)
	@bash bench/page/run.sh build/cairn build/bench-page

FCLIB ?= ../shared/fclib/box_stacks
FCLIB_ALL ?= ../shared/fclib
REFEREE ?= ../shared/referee

bench-akm: build ## the comparisons of [AKM] on the box stacks in FCLIB (needs python3-h5py, python3-scipy)
	@bash bench/akm/run.sh build/cairn "$(FCLIB)" build/bench-akm

bench-ac: build ## the comparisons of [AC] on the box stacks in FCLIB (needs python3-h5py, python3-scipy)
	@bash bench/ac/run.sh build/cairn "$(FCLIB)" build/bench-ac

figures: build ## build, then draw the figures of docs/figures
	@bash bench/t21/figures.sh build/cairn docs/figures

pictures: build ## run scenes and draw the pictures of docs/pictures (needs Chromium and python3-pil)
	@bash tools/pictures.sh build/cairn docs/pictures

site: packages ## build the documentation as a site: build/site/index.html (needs Node.js and npm)
	$(call run,release,cairn_cli)
	@[ -d web/node_modules/@fontsource/stix-two-math ] && [ -d web/node_modules/temml ] || (cd web && npm ci --no-audit --no-fund)
	@node web/site/build.mjs build/cairn build/site

tidy: build ## let clang-tidy read the library (needs clang-tidy)
	@clang-tidy -p build --quiet $$(find src -name '*.c')

format: ## format all C files in place
	@git ls-files -z -co --exclude-standard '*.c' '*.h' | xargs -0 clang-format -i

clean: ## remove build/
	rm -rf build
