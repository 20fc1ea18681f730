#!/usr/bin/env bash
# From a clone to a program of one's own on two ranks, as the pages say it: installs lapwing, compiles the program of this
# folder with the CMakeLists.txt of the page, and runs it on one rank and on two, which must print the same. The programs
# are none of the pages'. Prints the seconds.
#
# usage, in a new clone on a machine with what docs/start.md asks for:  bash tests/newcomer/run.sh python|cpp|c|fortran
set -euo pipefail
language=${1:?python, cpp, c or fortran}
clone=$PWD
took() { echo "newcomer: $language: $1 after $SECONDS s"; }

if [ "$language" = cpp ]; then # docs/guide/first-model.md
  python3 -m venv ../mine/env && . ../mine/env/bin/activate
  pip install --quiet "$clone"
  command -v cmake >/dev/null || pip install --quiet cmake
else # docs/start.md
  make demo
  . .venv/bin/activate
fi
took installed

mkdir -p ../mine && cd ../mine
block() { awk '/^```cmake/ { inside = 1; next } /^```/ { inside = 0 } inside' "$clone/docs/guide/$1"; }
case $language in
  python) program=life.py ;;
  cpp) program=advection.cpp && block first-model.md >page.txt ;;
  fortran) program=advection.f90 && block fortran.md >page.txt ;;
  c) program=life.c && cp "$clone/examples/03_first_model/c/CMakeLists.txt" page.txt ;;
esac
cp "$clone/tests/newcomer/$program" .
if [ "$language" = python ]; then
  start=(python "$program")
else
  sed "s/\bheat\b/${program%.*}/g" page.txt >CMakeLists.txt
  cmake -S . -B build -Dlapwing_DIR="$(lapwing --cmake-dir)" -DCMAKE_BUILD_TYPE=Release && cmake --build build
  start=("build/${program%.*}")
fi
one=$(mpiexec -n 1 "${start[@]}")
two=$(mpiexec -n 2 "${start[@]}")
took run
echo "$one"
[ "$one" = "$two" ] || { echo "newcomer: two ranks: $two" >&2; exit 1; }
