# Catch2 version 2, one header, from the wheel in requirements/test-cpp.txt (or -DCatchHeader_DIRECTORY=...).
# Defines CatchHeader::CatchHeader; tests include <catch2/catch.hpp>.
find_package(Python 3.11 COMPONENTS Interpreter QUIET)
if(Python_Interpreter_FOUND AND NOT CatchHeader_DIRECTORY)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c "import importlib.util as u; print(u.find_spec('catch2').submodule_search_locations[0])"
    OUTPUT_VARIABLE catch_package OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
  )
endif()
find_path(CatchHeader_DIRECTORY catch2/catch.hpp PATHS ${catch_package}/install/include)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  CatchHeader REQUIRED_VARS CatchHeader_DIRECTORY
  REASON_FAILURE_MESSAGE "`make venv` installs it, or configure with -DLAPWING_TESTS=OFF"
)
if(CatchHeader_FOUND AND NOT TARGET CatchHeader::CatchHeader)
  add_library(CatchHeader::CatchHeader INTERFACE IMPORTED)
  target_include_directories(CatchHeader::CatchHeader SYSTEM INTERFACE ${CatchHeader_DIRECTORY})
endif()
