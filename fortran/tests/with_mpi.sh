#!/usr/bin/env bash
# Fortran programs with MPI of their own (`use mpi`, `use mpi_f08`) on lapwing: with each of Debian's MPICH and Open MPI that
# is installed (libmpich-dev, libopenmpi-dev), and a program of one on the lapwing of the other, which must be refused in
# words. What is missing is skipped by name. Packages put an mpicxx onto PATH, which `make` then takes: say MPI=mpich.
#
# usage: fortran/tests/with_mpi.sh [BUILD_FOLDER]
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath -m "${1:-$project/build/fortran-mpi}")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
fail() { echo "with_mpi: $1" >&2; exit 1; }

kinds=()
for kind in mpich openmpi; do
  if command -v "mpicxx.$kind" >/dev/null && command -v "mpifort.$kind" >/dev/null && command -v gfortran >/dev/null; then
    kinds+=("$kind")
  else
    echo "skipped: $kind: no mpicxx.$kind, mpifort.$kind or gfortran (apt-get install gfortran lib$kind-dev)"
  fi
done

# configure FOLDER LAPWING_OF FORTRAN_OF
configure() {
  cmake -G Ninja -S "$project/fortran/tests/with_mpi" -B "$1" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$build/$2/prefix" -DMPI_Fortran_COMPILER="$(command -v "mpifort.$3")" >"$1.log" 2>&1 || return 1
  cmake --build "$1" >>"$1.log" 2>&1
}

for kind in "${kinds[@]}"; do
  mkdir -p "$build/$kind"
  cmake -G Ninja -S "$project" -B "$build/$kind/library" -DLAPWING_PYTHON=OFF -DLAPWING_TESTS=OFF -DCMAKE_BUILD_TYPE=Debug \
    -DLAPWING_MPICXX="$(command -v "mpicxx.$kind")" >"$build/$kind/library.log"
  cmake --build "$build/$kind/library" >>"$build/$kind/library.log" || fail "$(tail -20 "$build/$kind/library.log")"
  cmake --install "$build/$kind/library" --component cpp --prefix "$build/$kind/prefix" >/dev/null
  configure "$build/$kind/programs" "$kind" "$kind" || fail "$(tail -30 "$build/$kind/programs.log")"
  for module in mpi mpi_f08; do
    for ranks in 1 2 4; do
      timeout 120 "mpiexec.$kind" -n $ranks "$build/$kind/programs/use_$module" >"$build/said" 2>&1 || true
      grep -qx "with_mpi: all as it should be" "$build/said" || fail "$kind, use $module, $ranks ranks: $(cat "$build/said")"
    done
    echo "with_mpi: $kind, use $module: passed on 1, 2 and 4 ranks"
  done
done

if [ ${#kinds[@]} = 2 ]; then
  configure "$build/mixed" mpich openmpi || fail "$(tail -30 "$build/mixed.log")"
  timeout 60 mpiexec.openmpi -n 1 "$build/mixed/use_mpi" >"$build/said" 2>&1 || true
  grep -q "MPI library: got Open MPI.*expected MPICH" "$build/said" || fail "two MPIs: $(cat "$build/said")"
  echo "with_mpi: a program of Open MPI on a lapwing of MPICH is refused in words"
fi
echo "with_mpi: ${#kinds[@]} passed, 0 failed, $((2 - ${#kinds[@]})) skipped"
