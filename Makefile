# The commands of this project. Each does its own set-up; `make` lists them.
#
# The build itself is CMake's (CMakePresets.json); this only strings the steps together.

SETUP ?= yes
PRESET ?= release
# What ThreadSanitizer watches: the folders where threads meet.
TSAN_FOLDERS := core runtime backends graph data

.DEFAULT_GOAL := help
.PHONY: help
help: ## lists these commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | \
	  awk -F'|' '{printf "  make %-20s %s\n", $$1, $$2}'

# ---- set-up and build ------------------------------------------------------------------------

.PHONY: setup packages lint-tools build
setup: lint-tools ## installs what is missing (Debian 12 or Ubuntu 24.04; SETUP=no skips it everywhere)

packages:
ifeq ($(SETUP),yes)
	@tools/setup
endif

lint-tools:
ifeq ($(SETUP),yes)
	@tools/setup lint
endif

build: configure-$(PRESET) ## builds everything (PRESET=release, debug, asan or tsan)
	cmake --build --preset $(PRESET)

.PHONY: configure-release configure-debug configure-asan configure-tsan
configure-release configure-debug configure-asan configure-tsan: configure-%: packages
	@[ -f build/$*/build.ninja ] || cmake --preset $*

# ---- see it, test it, measure it ---------------------------------------------------------------

.PHONY: demo test test-release test-asan test-tsan bench bench-data bench-ops readme-table
demo: configure-release ## builds Alula and shows it at work
	cmake --build --preset release --target example_demo
	build/release/bin/example_demo

# One after the other, so that each has all cores and the output reads in order.
test: ## runs all tests: optimised, then under the sanitizers
	@$(MAKE) --no-print-directory test-release
	@$(MAKE) --no-print-directory test-asan
	@$(MAKE) --no-print-directory test-tsan

test-release: configure-release ## builds and runs all tests, optimised
	cmake --build --preset release
	tools/run_tests release

test-asan: configure-asan ## the same under AddressSanitizer and UndefinedBehaviorSanitizer
	cmake --build --preset asan
	tools/run_tests asan

empty :=
space := $(empty) $(empty)
test-tsan: configure-tsan ## the tests of the folders where threads meet, under ThreadSanitizer
	cmake --build --preset tsan --target $(TSAN_FOLDERS:%=%_test)
	tools/run_tests tsan -L '^($(subst $(space),|,$(TSAN_FOLDERS)))$$'

# BENCH is for tools/bench: `make bench BENCH='--only cnn28 --rounds 3'`.
bench: configure-release ## training steps beside TensorFlow's, PyTorch's and JAX's, which it installs
	cmake --build --preset release --target train_step
	tools/bench $(BENCH)

bench-data: configure-release ## input pipelines beside tf.data and PyTorch's DataLoader
	cmake --build --preset release --target data
	tools/bench --suite data $(BENCH)

readme-table: ## writes the README's table from the newest results of `make bench`
	tools/readme_table

OP_BENCHMARKS := $(filter-out data train_step step_ops instructions,$(basename $(notdir $(wildcard benchmarks/*.cpp))))
bench-ops: configure-release ## benchmarks of single ops, and of a process's start
	cmake --build --preset release --target $(OP_BENCHMARKS)
	@for program in $(OP_BENCHMARKS); do \
	  echo "== $$program"; build/release/bin/$$program || exit 1; \
	done

.PHONY: bundle gpu-report
BUNDLED := $(shell sed -n 's/.*"program": "\([a-z_]*\)".*/\1/p' tests/gpu_tests.json) runtime_test backends_test testing_test \
  $(patsubst %,example_%,$(basename $(notdir $(wildcard examples/cpp/*.cpp)))) \
  $(filter-out matmul instructions,$(basename $(notdir $(wildcard benchmarks/*.cpp))))
bundle: configure-release ## packs tests, examples, benchmarks and libraries for another machine (build/bundle.tar.xz)
	cmake --build --preset release --target $(BUNDLED)
	tools/bundle release

# GPU_CHECK names what gpu_check wrote on a machine with a GPU.
gpu-report: ## writes docs/gpu_report.md and the GPU's results from GPU_CHECK=gpu_check.json
	tools/gpu_report $(GPU_CHECK)

# FUZZ names some of them: `make fuzz FUZZ='json csv' FUZZ_SECONDS=600`.
FUZZ_SECONDS ?= 60
.PHONY: fuzz
fuzz: packages ## runs the fuzzers of all parsers, FUZZ_SECONDS=60 each (needs clang)
	@command -v clang++ >/dev/null || \
	  { echo "make fuzz: there is no clang++, and libFuzzer is a part of clang. Install it (apt-get install clang)." >&2; exit 1; }
	@[ -f build/fuzz/build.ninja ] || cmake --preset fuzz
	cmake --build --preset fuzz --target fuzzers
	FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz $(FUZZ)

.PHONY: goldens
goldens: configure-release ## writes the compiled graphs of the example models anew (tests/graphs)
	cmake --build --preset release --target program_test
	@mkdir -p tests/graphs
	ALULA_WRITE_GOLDENS=1 build/release/bin/program_test --gtest_brief=1 --gtest_filter='Graphs.*'
	@git --no-pager diff --stat -- tests/graphs

# ---- how the code looks ------------------------------------------------------------------------

.PHONY: format check check-format lint lint-all
format: lint-tools ## formats the sources
	tools/format

check: check-format check-folders check-readme lint ## all checks of the sources

.PHONY: check-folders check-readme check-instructions update-instructions
check-readme: ## checks that the README's table is that of the newest results
	tools/readme_table --check

check-instructions: configure-release ## counts instructions; fails if something costs 10% more than it did
	cmake --build --preset release --target instructions
	tools/check_instructions

update-instructions: configure-release ## writes today's counts to benchmarks/instructions.json
	cmake --build --preset release --target instructions
	tools/check_instructions --update

check-folders: ## checks that folders include only folders above them
	tools/check_folders

check-format: lint-tools ## says which sources aren't formatted
	tools/format --check

lint: lint-tools ## runs clang-tidy on the changed files
	tools/lint

lint-all: lint-tools ## runs clang-tidy on all files
	tools/lint --all

.PHONY: clean
clean: ## removes all that was built
	rm -rf build
