#!/usr/bin/env bash
# The check of a device: builds the library and one program on a bare machine, and runs it on 1 and 2 ranks of the
# device, at most 6 minutes in all. Results are a file of JSON for each number of ranks.
#
#   tests/device/run.sh [FOLDER]      FOLDER: where results go; $OUT, or build/device-results
#
# It needs a compiler of C++20, Python 3, network access to PyPI or an environment in .venv, and NVIDIA's driver.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-${OUT:-build/device-results}}
kind=${KIND:-cuda} # fake: without a device
mkdir -p "$out"
ends=$((SECONDS + 360))

if [ ! -x .venv/bin/cmake ]; then
  python3 -m venv .venv
  .venv/bin/python -m pip --quiet install -r requirements/build.txt -r requirements/mpi-mpich.txt -r requirements/test-cpp.txt
fi
build=${BUILD:-build/device}
if [ ! -e "$build/build.ninja" ]; then
  .venv/bin/cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DLAPWING_TESTS=ON \
    -DCMAKE_MAKE_PROGRAM="$PWD/.venv/bin/ninja" -DLAPWING_MPICXX="$PWD/.venv/bin/mpicxx" > "$out/configure.log"
fi
.venv/bin/cmake --build "$build" --target check_device --parallel > "$out/build.log"

nvidia-smi > "$out/device.txt" 2>&1 || echo "no nvidia-smi" > "$out/device.txt"
for ranks in 1 2; do
  left=$((ends - SECONDS))
  if [ "$left" -lt 10 ]; then
    echo "device: no time left for $ranks ranks" >&2
    exit 3
  fi
  timeout "$left" .venv/bin/mpiexec -n "$ranks" "$build/cpp/tests/check_device" "$kind" > "$out/ranks-$ranks.json"
  cat "$out/ranks-$ranks.json"
done
