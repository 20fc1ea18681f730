# Python and nanobind, and how an extension of lapwing is built.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH lapwing_root)
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
if(NOT nanobind_DIR)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_DIR OUTPUT_STRIP_TRAILING_WHITESPACE
            COMMAND_ERROR_IS_FATAL ANY
  )
endif()
find_package(nanobind CONFIG REQUIRED)

# lapwing_add_extension(FOLDER MODULE SOURCE...): the extension MODULE in this folder of site-packages.
function(lapwing_add_extension folder module)
  string(MAKE_C_IDENTIFIER ${folder}${module} target)
  # nanobind would compile for size by default, kernels included
  nanobind_add_module(${target} NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS ${ARGN})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${module} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(${target} PRIVATE lapwing::lapwing lapwing_private_flags)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src ${lapwing_root}/python/include)
  lapwing_set_run_path(${target} ${folder})
  install(TARGETS ${target} LIBRARY DESTINATION ${LAPWING_HOME}${folder} COMPONENT python)
endfunction()

# lapwing_add_model(PACKAGE): of the folder that calls it, a library for C++ users and benches of src/, whose headers are
# in include/, and PACKAGE._kernels over it; its tests too.
function(lapwing_add_model package)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp)
  list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/src/bindings.cpp)
  add_library(${package} STATIC ${sources})
  target_include_directories(${package} PUBLIC include PRIVATE src)
  target_link_libraries(${package} PUBLIC lapwing::lapwing PRIVATE lapwing_private_flags)
  # -fno-trapping-math lets GCC compute what a blend then drops, as Clang always does; -fopenmp-simd takes `omp simd` at
  # its word, that the rows of a kernel do not overlap. Neither changes a value.
  target_compile_options(${package} PRIVATE -fno-trapping-math -fopenmp-simd)
  lapwing_add_extension(${package} _kernels src/bindings.cpp)
  target_link_libraries(${package}_kernels PRIVATE ${package})
  if(LAPWING_TESTS)
    add_subdirectory(tests/cpp)
  endif()
endfunction()
