# Installs lapwing into an empty folder, then configures, builds and runs the C++ examples against it, as a user would.
file(REMOVE_RECURSE ${scratch})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(build_example folder)
  set(build ${scratch}/build/${folder})
  run(${CMAKE_COMMAND} -S ${examples}/${folder} -B ${build} -G ${generator} -DCMAKE_MAKE_PROGRAM=${make_program}
      -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_CXX_FLAGS=${flags} -DCMAKE_Fortran_FLAGS=${flags}
      "-DCMAKE_C_FLAGS=${flags} -std=c99 -pedantic -Wall -Wextra -Werror"
      -DCMAKE_PREFIX_PATH=${scratch}/prefix)
  run(${CMAKE_COMMAND} --build ${build} ${ARGN})
endfunction()
# Further arguments: the targets, all unless said.
function(run_example folder program expected)
  build_example(${folder} ${ARGN})
  foreach(ranks IN ITEMS 1 2)
    execute_process(
      COMMAND ${mpiexec} -n ${ranks} ${scratch}/build/${folder}/${program} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY
    )
    string(STRIP "${printed}" printed)
    if(NOT printed STREQUAL expected)
      message(FATAL_ERROR "${folder} on ${ranks} ranks printed: ${printed}\nexpected: ${expected}")
    endif()
  endforeach()
endfunction()
# The shelf model by hand, with exchanges and with stages: the same bits on any number of ranks, in any order.
function(run_port)
  build_example(12_port)
  set(first "")
  foreach(ranks IN ITEMS 1 3)
    foreach(version IN ITEMS before exchanges stages "stages blocking" "stages dataflow" "stages 6s")
      separate_arguments(words UNIX_COMMAND ${version})
      list(POP_FRONT words name)
      execute_process(
        COMMAND ${mpiexec} -n ${ranks} ${scratch}/build/12_port/shelf_${name} 50 40 60 ${words}
        OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY
      )
      string(REGEX REPLACE "[0-9.]+ us per step" "" printed "${printed}")
      if(first STREQUAL "")
        set(first "${printed}")
      endif()
      if(NOT printed MATCHES "bits of u, v, z, c" OR NOT printed STREQUAL first)
        message(FATAL_ERROR "shelf_${version} on ${ranks} ranks printed: ${printed}\nexpected: ${first}")
      endif()
    endforeach()
  endforeach()
endfunction()

run(${CMAKE_COMMAND} --install ${library_build} --component cpp --prefix ${scratch}/prefix)
run_example(03_first_model heat "heat 18556.592295258")
run_example(03_first_model/c heat "heat 18556.592295258")
# the gallery has one project
run_example(. tide "south-east corner -1.889753741572 m" -t tide)
if(fortran)
  run_example(03_first_model/fortran heat "heat 18556.592295258")
  run_example(. tide_fortran "south-east corner -1.889753741572 m" -t tide_fortran)
  run_port()
else()
  message("skipped: the Fortran examples; no Fortran compiler")
endif()

# The same by pkg-config, without CMake.
find_program(pkg_config NAMES pkg-config)
if(NOT pkg_config)
  message("skipped: pkg-config; not installed")
  return()
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${scratch}/prefix/lib/pkgconfig ${pkg_config} --cflags --libs lapwing
  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY
)
separate_arguments(found UNIX_COMMAND "${found}")
separate_arguments(extra UNIX_COMMAND "${flags}")
run(cc ${extra} ${examples}/03_first_model/c/heat.c -o ${scratch}/heat_by_pkg_config ${found} -lm)
execute_process(COMMAND ${mpiexec} -n 2 ${scratch}/heat_by_pkg_config OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(NOT printed STREQUAL "heat 18556.592295258\n")
  message(FATAL_ERROR "heat by pkg-config printed: ${printed}")
endif()

# The Fortran module as a dependency of a project of the Fortran Package Manager.
cmake_path(GET mpiexec PARENT_PATH programs)
find_program(fpm NAMES fpm HINTS ${programs})
if(NOT fpm OR NOT fortran)
  message("skipped: the Fortran Package Manager; fpm or a Fortran compiler is not installed")
  return()
endif()
set(project ${scratch}/by_fpm)
file(RELATIVE_PATH module ${project} ${examples}/../fortran)
file(WRITE ${project}/fpm.toml "name = \"by_fpm\"\n[dependencies]\nlapwing = { path = \"${module}\" }\n")
file(MAKE_DIRECTORY ${project}/app)
file(COPY_FILE ${examples}/07_poisson/solver.f90 ${project}/app/main.f90)
execute_process(
  COMMAND ${fortran} -print-file-name=finclude OUTPUT_VARIABLE modules OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY
)
list(JOIN found " " found)
execute_process(
  COMMAND
    ${fpm} install --prefix ${project}/installed --compiler ${fortran}
    --flag "-O2 -ffp-contract=off -nostdinc -fintrinsic-modules-path ${modules} ${flags}" --link-flag "${found} ${flags}"
  WORKING_DIRECTORY ${project} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY
)
execute_process(
  COMMAND ${mpiexec} -n 2 ${project}/installed/bin/by_fpm OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY
)
if(NOT printed STREQUAL "potential at (16, 12): 0.274196147\n")
  message(FATAL_ERROR "the solver by fpm printed: ${printed}")
endif()
