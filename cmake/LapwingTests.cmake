# C++ tests. test_NAME.cpp runs in one process, test_NAME_mpi.cpp at 1, 2, 3 and 4 ranks; test_NAME_threads.cpp
# has threads as ranks, needs headers of the library only and links no MPI.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH lapwing_root)
find_package(CatchHeader REQUIRED)
find_package(Threads REQUIRED)

set(LAPWING_TEST_RANKS 1 2 3 4 CACHE STRING "Rank counts of the MPI tests")
set(LAPWING_TEST_TIMEOUT 120 CACHE STRING "Seconds after which a test has failed: a deadlock must end")

# More ranks than cores must run, as root in containers too. Open MPI wants to be told, others do not look.
set(lapwing_test_environment
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    PRTE_MCA_hwloc_default_binding_policy=none
    # MPI libraries keep memory until the process ends
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
)
if(LAPWING_SANITIZE STREQUAL "thread")
  # MPI's UCX would replace madvise, which a new thread calls before the sanitizer knows the thread: it crashes there
  list(APPEND lapwing_test_environment UCX_MEM_EVENTS=n)
endif()

# Compiled once: Catch's implementation, and a main for one process and one for ranks.
foreach(part IN ITEMS run_catch main main_mpi)
  add_library(lapwing_test_${part} OBJECT ${lapwing_root}/cpp/tests/support/${part}.cpp)
endforeach()
target_link_libraries(lapwing_test_run_catch PRIVATE CatchHeader::CatchHeader) # others' code, without our warnings
target_compile_options(lapwing_test_run_catch PRIVATE -O0) # half of its compiling; it runs for milliseconds
target_link_libraries(lapwing_test_main PRIVATE lapwing_private_flags)
target_link_libraries(lapwing_test_main_mpi PRIVATE MPI::MPI_CXX lapwing_private_flags)

# lapwing_test_options(TARGET): a test runs for milliseconds and is compiled for seconds, so it is hardly optimised; the
# library and the models that it calls are. g++ 12 sees overlaps in "text" + std::to_string(n) that do not exist (its
# bug 105651).
function(lapwing_test_options target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
endfunction()

# Catch and the parts of the standard library that most tests include are parsed once. A program like the tests, as
# their headers must be compiled with the same options.
add_executable(lapwing_test_headers ${lapwing_root}/cpp/tests/headers.cpp)
target_link_libraries(
  lapwing_test_headers PRIVATE lapwing_test_main lapwing_test_run_catch lapwing::lapwing CatchHeader::CatchHeader lapwing_private_flags
)
lapwing_test_options(lapwing_test_headers)
target_precompile_headers(
  lapwing_test_headers PRIVATE <catch2/catch.hpp> <algorithm> <array> <cmath> <cstdint> <limits> <map> <memory> <numeric>
  <optional> <random> <set> <string> <vector>
)

# lapwing_add_test(SOURCE): test_NAME.cpp or test_NAME_mpi.cpp, registered in CTest as NAME or NAME_mpi.RANKS.
function(lapwing_add_test source)
  cmake_path(GET source STEM target)
  string(REGEX REPLACE "^test_" "" name ${target})
  if(name MATCHES "_mpi$")
    set(main lapwing_test_main_mpi)
  else()
    set(main lapwing_test_main)
  endif()
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE ${main} lapwing_test_run_catch CatchHeader::CatchHeader lapwing_private_flags)
  if(name MATCHES "_threads$")
    # threads stand for ranks: no MPI
    target_include_directories(${target} PRIVATE ${lapwing_root}/cpp/include)
    target_link_libraries(${target} PRIVATE Threads::Threads)
  else()
    target_link_libraries(${target} PRIVATE lapwing::lapwing)
    target_precompile_headers(${target} REUSE_FROM lapwing_test_headers)
  endif()
  target_include_directories(${target} PRIVATE ${lapwing_root}/cpp/tests/support ${PROJECT_SOURCE_DIR}/cpp/src)
  lapwing_test_options(${target})
  if(NOT name MATCHES "_mpi$")
    add_test(NAME ${name} COMMAND ${target} --order decl)
    set_tests_properties(
      ${name} PROPERTIES TIMEOUT ${LAPWING_TEST_TIMEOUT} ENVIRONMENT "${lapwing_test_environment}"
    )
    return()
  endif()
  foreach(ranks IN LISTS LAPWING_TEST_RANKS)
    lapwing_add_ranks(${target} ${ranks})
  endforeach()
endfunction()

# lapwing_add_ranks(test_NAME_mpi RANKS [KIND VARIABLE=VALUE...]): registers an MPI test once more, as
# NAME_mpi.RANKS[.KIND], with these variables in its environment. `make test` leaves out what has the label matrix:
# all but 1, 2 and 4 ranks, of a kind all but 2, and where nodes are pretended all but 4.
function(lapwing_add_ranks target ranks)
  string(REGEX REPLACE "^test_" "" name ${target})
  set(name ${name}.${ranks})
  set(kind "")
  set(variables ${ARGN})
  if(variables)
    list(POP_FRONT variables kind)
    string(APPEND name .${kind})
  endif()
  set(usual 1 2 4)
  if(kind MATCHES "mixed$")
    set(usual 4)
  elseif(kind)
    set(usual 2)
  endif()
  set(labels mpi)
  if(NOT ranks IN_LIST usual)
    list(APPEND labels matrix)
  endif()
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} -n ${ranks} $<TARGET_FILE:${target}> --order decl)
  set_tests_properties(
    ${name} PROPERTIES TIMEOUT ${LAPWING_TEST_TIMEOUT} PROCESSORS ${ranks} LABELS "${labels}" SKIP_RETURN_CODE 77
                       ENVIRONMENT "${lapwing_test_environment};${variables}"
  )
endfunction()
