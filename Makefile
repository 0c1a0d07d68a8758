# The front door. `make sweep` and `make test` work from a clean clone on Debian 12.
JOBS    ?= $(shell nproc)
PRESET  ?= release
BUILD   := build/$(PRESET)
SWEEP_ARGS ?=
PROFILE_ARGS ?= roma_like --scene undulating

.DEFAULT_GOAL := help
.PHONY: help deps library-deps configure build program libraries sweep test headers conformance dev-test docs docs-bundle demo-site performance profile profile-micro \
        profile-clean format lint fuzz fuzz-build clean install uninstall packages wheel wheel-files portable portable-full

help: ## Show what there is
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## Install missing Debian packages
	@scripts/install-deps.sh

# A first configuration is a unity build (fast from clean); configure by hand with --preset for single files.
$(BUILD)/build.ninja: | deps
	@cmake --preset $(PRESET) $(if $(filter release,$(PRESET)),-DCMAKE_UNITY_BUILD=ON) >$(BUILD).log 2>&1 || \
	  { cat $(BUILD).log >&2; exit 1; }

build: deps ## Build everything (build/release/aqbench)
	@mkdir -p build && $(MAKE) --no-print-directory $(BUILD)/build.ninja
	@cmake --build $(BUILD) --parallel $(JOBS)

program: deps ## Build the program alone (build/release/aqbench), without tests
	@mkdir -p build && $(MAKE) --no-print-directory $(BUILD)/build.ninja
	@cmake --build $(BUILD) --parallel $(JOBS) --target aqbench

# Apart from `make build`: it takes some seconds.
LIBRARIES := -DAQBENCH_LIBRARIES=ON
library-deps:
	@AQBENCH_LIBRARIES=1 scripts/install-deps.sh

libraries: library-deps program ## Build and try the libraries for C++ and Python (docs/libraries.md)
	@cmake $(LIBRARIES) -DAQBENCH_PACKAGING=OFF $(BUILD) >$(BUILD).log || { cat $(BUILD).log >&2; exit 1; }
	@cmake --build $(BUILD) --parallel $(JOBS) --target aqbench_installed
	@ctest --test-dir $(BUILD) --output-on-failure -R '^python$$' --no-tests=error
	@scripts/try_libraries.sh $(BUILD)

sweep: program ## Run the default sweep (SWEEP_ARGS="--suite seed ...")
	@$(BUILD)/aqbench sweep $(SWEEP_ARGS)

demo-site: program ## Write a site over the committed bundles (build/demo-site/index.html)
	@$(BUILD)/aqbench site docs/bundles --out build/demo-site

# A quarter of an hour on one processor. Times of a machine that does nothing else are best.
PERFORMANCE_RECORD := docs/performance/one_thread.json
performance: build ## Measure the stages beside their peers and fill docs/performance.md
	@mkdir -p $(dir $(PERFORMANCE_RECORD))
	@$(BUILD)/performance_benchmark --benchmark_repetitions=12 --benchmark_enable_random_interleaving=true \
	  --benchmark_context=commit=$$(git rev-parse --short=8 HEAD) --benchmark_out=$(BUILD)/performance.json
	@sed '/"host_name"/d' $(BUILD)/performance.json >$(PERFORMANCE_RECORD)
	@$(FILL_DOCS)

profile: ## Profile with symbols (PROFILE_ARGS="METHOD --trace")
	@scripts/profile.sh run $(PROFILE_ARGS)

profile-micro: ## Profile the kernels' benchmarks (MICRO="plane_sweep stage_scope")
	@scripts/profile.sh micro $(MICRO)

profile-clean: ## Remove what profiling has made, and nothing else
	@scripts/profile.sh clean

test: deps ## Build and run every test (benchmarks are in `make build` alone)
	@mkdir -p build && $(MAKE) --no-print-directory $(BUILD)/build.ninja
	@cmake --build $(BUILD) --parallel $(JOBS) --target aqbench_tests
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $$(($(JOBS) + 1))  # some tests sleep

headers: deps ## Compile every header alone
	@mkdir -p build && $(MAKE) --no-print-directory $(BUILD)/build.ninja
	@cmake --build $(BUILD) --parallel $(JOBS) --target aqbench_headers

conformance: program ## Check the protocols of `eval` and the layouts against conformance/
	@conformance/check.py $(BUILD)/aqbench
	@conformance/check_layouts.py $(BUILD)/aqbench

dev-test: ## Every test under ASan + UBSan
	@$(MAKE) --no-print-directory test PRESET=dev

fuzz-build: ## Compile the fuzzer with clang, without sanitizers: quick, and CI sees what clang refuses
	@AQBENCH_FUZZ=1 scripts/install-deps.sh && mkdir -p build
	@cmake --preset fuzz -B build/clang -DAQBENCH_SANITIZE= -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 >build/clang.log 2>&1 || \
	  { cat build/clang.log >&2; exit 1; }
	@cmake --build build/clang --parallel $(JOBS) --target aqbench_fuzz

fuzz: SECONDS ?= 60
fuzz: ## Fuzz the readers with clang, ASan + UBSan (SECONDS=60 each)
	@AQBENCH_FUZZ=1 scripts/install-deps.sh && mkdir -p build
	@cmake --preset fuzz >build/fuzz.log 2>&1 || { cat build/fuzz.log >&2; exit 1; }
	@cmake --build build/fuzz --parallel $(JOBS) --target aqbench_fuzz
	@scripts/fuzz.sh build/fuzz/aqbench_fuzz $(SECONDS)

# Bundles in docs/bundles for the tables of the documents, without pages. Sections of the first one need no name.
# `make docs-bundle DOCS_MEASURED="seed ..."` measures the named ones again, where records must change: presets takes a
# quarter of an hour, each of the others some minutes.
DOCS_BUNDLES := seed $(filter-out seed,$(notdir $(wildcard docs/bundles/*)))
DOCS_MEASURED ?=
FILL_DOCS = $(BUILD)/aqbench docs README.md docs/*.md $(DOCS_BUNDLES:%=--bundle docs/bundles/%)
DOCS_SWEEP_seed := --suite seed --baseline baselines/seed.json --gate
DOCS_SWEEP_pipeline := --suite pipeline --scene undulating --method dense_flow \
  --method plane_sweep:balanced --method sparse
DOCS_SWEEP_sensitivity := --suite sensitivity --no-pictures
DOCS_SWEEP_presets := --suite presets --no-pictures
DOCS_SWEEP_batching := --suite batching --workload absorption --workload tricubic --workload equirect_views \
  --repetitions 12 --max-time 0.5
DOCS_SWEEP_OPENCL := --workload absorption --workload tricubic --workload equirect_views --device opencl --threads 1 \
  --repetitions 50 --max-time 2
DOCS_SWEEP_opencl_memory := $(DOCS_SWEEP_OPENCL) --axis memory=pageable,pinned
DOCS_SWEEP_opencl_queues := $(DOCS_SWEEP_OPENCL) --axis queues=1,2
DOCS_SWEEP_opencl_submission := $(DOCS_SWEEP_OPENCL) --axis submission=enqueued,recorded

PREFIX ?= /usr/local
install: library-deps ## Build and install into PREFIX (default /usr/local); DESTDIR is honoured
	@$(MAKE) --no-print-directory program && cmake $(LIBRARIES) -DAQBENCH_PACKAGING=OFF $(BUILD) >$(BUILD).log
	@cmake --build $(BUILD) --parallel $(JOBS) --target aqbench_installed
	@cmake --install $(BUILD) --prefix $(abspath $(PREFIX)) >$(BUILD).install.log || { cat $(BUILD).install.log >&2; exit 1; }
	@echo "installed $$(grep -c '' $(BUILD)/install_manifest.txt) files below $(PREFIX)"

packages: library-deps program ## Build Debian packages in build/release/packages (scripts/try_packages.sh tries them)
	@cmake $(LIBRARIES) -DAQBENCH_PACKAGING=ON $(BUILD) >$(BUILD).log && cmake --build $(BUILD) --parallel $(JOBS) --target aqbench_installed
	@cd $(BUILD) && cpack >packages.log 2>&1 || { tail -n 20 packages.log >&2; exit 1; }
	@ls -l $(BUILD)/packages/*.deb

wheel-deps: library-deps
	@AQBENCH_WHEEL=1 scripts/install-deps.sh

wheel-files: wheel-deps program
	@cmake $(LIBRARIES) -DAQBENCH_PACKAGING=OFF $(BUILD) >$(BUILD).log && cmake --build $(BUILD) --parallel $(JOBS) --target aqbench_libraries
	@packaging/bundle.py $(BUILD) $(BUILD)/wheel/aqbench --wheel

wheel: wheel-files ## Build a wheel in build/release/wheels: Python module and program (scripts/try_wheel.sh tries it)
	@rm -rf $(BUILD)/wheels $(BUILD)/bdist.* aqbench.egg-info && mkdir -p $(BUILD)/wheels
	@/usr/bin/python3 -c "from setuptools import build_meta; build_meta.build_wheel('$(BUILD)/wheels')" >$(BUILD)/wheels.log 2>&1 || \
	  { tail -n 20 $(BUILD)/wheels.log >&2; exit 1; }
	@rm -rf aqbench.egg-info build/bdist.* build/lib && ls -l $(BUILD)/wheels/*.whl

VERSION := $(shell sed -n 's/^project.aqbench VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
portable: wheel-deps program ## Build a folder that runs from anywhere, as build/release/portable/aqbench-*.tar.zst
	@$(call PORTABLE,aqbench-$(VERSION)-linux-x86_64,)

portable-full: wheel-deps program ## The same with all modules: LibTorch, Open3D, OpenCV (needs Debian 12's glibc or newer)
	@$(call PORTABLE,aqbench-full-$(VERSION)-linux-x86_64,--full)

define PORTABLE
mkdir -p $(BUILD)/portable && packaging/bundle.py $(BUILD) $(BUILD)/portable/$(1) $(2) && \
  tar -C $(BUILD)/portable --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$$(git log -1 --format=%ct) \
  -cf - $(1) | zstd -q -f -19 -T0 --long=27 -o $(BUILD)/portable/$(1).tar.zst && ls -l $(BUILD)/portable/$(1).tar.zst
endef

uninstall: ## Remove what `make install` put there, with the folders that it made
	@cmake -DBUILD_DIR=$(CURDIR)/$(BUILD) -P cmake/uninstall.cmake

docs: program ## Fill the tables of the documents from the bundles in docs/
	@$(FILL_DOCS)

docs-bundle: program ## Measure bundles in docs/ again (DOCS_MEASURED="seed ..."), then fill the documents
	@rm -rf $(BUILD)/docs-bundles
	@$(foreach bundle,$(DOCS_MEASURED),$(BUILD)/aqbench sweep $(DOCS_SWEEP_$(bundle)) --no-report \
	  --out $(BUILD)/docs-bundles/$(bundle) &&) true
	@$(foreach bundle,$(DOCS_MEASURED),rm -rf docs/bundles/$(bundle) && \
	  mkdir docs/bundles/$(bundle) && cp -r $(BUILD)/docs-bundles/$(bundle)/*/. docs/bundles/$(bundle) &&) true
	@$(FILL_DOCS)

format: ## Format all sources
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

# clang-tidy needs the flags of each file; a unity build only has those of its batches.
lint: ## Check formatting, then clang-tidy
	@AQBENCH_LINT=1 scripts/install-deps.sh && mkdir -p build
	@git ls-files '*.h' '*.cc' | xargs clang-format --dry-run --Werror
	@cmake --preset release -B build/lint >build/lint.log 2>&1 || { cat build/lint.log >&2; exit 1; }
	@cmake --build build/lint --target aqbench_source_state >/dev/null
	@git ls-files '*.cc' | xargs -P $(JOBS) -n 4 clang-tidy -p build/lint --quiet --extra-arg=-Wno-unused-command-line-argument

clean: ## Remove build/
	@rm -rf build
