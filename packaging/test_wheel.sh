#!/usr/bin/env bash
# `pip install .` as a user types it, build isolation and all, into an environment without MPI; then the environment
# is moved, and must still find liblapwing.so and the MPI library. No mpicxx may be on PATH, so the mpich wheel is taken.
# The sources are those of an archive, without git: what packaging leaves out is then up to pyproject.toml alone.
#
# usage: packaging/test_wheel.sh [PYTHON]
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
python=${1:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

mkdir sources
git -C "$project" ls-files -z | tar -C "$project" --null -T - -cf - | tar -C sources -xf -
"$python" -m venv first
# without optimisation, in half of the time: what is asked here is where files lie
export SKBUILD_CMAKE_DEFINE="CMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG"
first/bin/python -m pip install --quiet --disable-pip-version-check -c sources/requirements/constraints.txt ./sources
first/bin/python -m pip check
mv first moved

packages=$(moved/bin/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
for package in sources/python/lapwing sources/models/*/lapwing_* sources/adapters/*/lapwing_*; do
  while read -r module; do
    test -e "$packages/$module" || { echo "test_wheel: $module is not in the wheel" >&2; exit 1; }
  done < <(cd "$(dirname "$package")" && find "$(basename "$package")" -name '*.py')
done
for file in "$packages"/lapwing*/*.so "$packages"/lapwing/core/*.so; do
  run_path=$(readelf -d "$file" | sed -n 's/.*R.*PATH.*\[\(.*\)\]/\1/p')
  echo "$(basename "$file"): $run_path"
  case :$run_path in *:/*) echo "test_wheel: absolute run path in $file" >&2; exit 1 ;; esac
done

if find "$packages" -path '*lapwing_lab*' | grep .; then
  echo "test_wheel: the laboratory is in the wheel of the product" >&2
  exit 1
fi

# not lapwing.__file__'s folder first on the path, and not the MPI that some environment variable names
run=(env -u LD_LIBRARY_PATH -u MPI4PY_LIBMPI moved/bin/python -I -c)
"${run[@]}" '
import subprocess, sys
from lapwing.core import mpi_runtime
code = "from lapwing.core import mpi_runtime, _core; import lapwing_coast._kernels, lapwing_weather._kernels\n"
code += "assert _core.communicator_size(mpi_runtime.start().COMM_WORLD) == 3"
command = [*mpi_runtime.launcher_command(3), sys.executable, "-I", "-c", code]
sys.exit(subprocess.run(command, env=mpi_runtime.launcher_environment(), timeout=60).returncode)'
# a C++ program of one's own, on the headers and the library in the wheel
if command -v cmake >/dev/null; then
  PATH="$PWD/moved/bin:$PATH" moved/bin/python -I -m lapwing --cmake-dir >cmake-dir
  cmake -S sources/examples/03_first_model -B first_model -Dlapwing_DIR="$(cat cmake-dir)" >/dev/null
  cmake --build first_model >/dev/null
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 moved/bin/mpiexec -n 2 first_model/heat | grep -x "heat 18556.592295258"
else
  echo "test_wheel: skipped the C++ program: no cmake"
fi
echo "test_wheel: passed"
