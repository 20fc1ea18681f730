# The Fortran module, compiled from its sources by the compiler of the project that uses it: module files of one compiler
# mean nothing to another. Makes the target lapwing::fortran. Needs: the target lapwing::lapwing, and `lapwing_fortran`,
# the folder of the sources.
if(NOT CMAKE_Fortran_COMPILER)
  message(FATAL_ERROR "lapwing: got component Fortran in a project without Fortran; add Fortran to the languages of project()")
endif()
set(lapwing_fortran_files "")
foreach(source IN ITEMS lapwing_c.f90 lapwing_c_solvers.f90 lapwing_errors.f90 lapwing_faces.f90 lapwing_domains.f90
                        lapwing_fields.F90 lapwing_exchanges.f90 lapwing_census.f90 lapwing_extents.f90
                        lapwing_reductions.f90 lapwing_uses.f90 lapwing_kernels.F90 lapwing_stages.f90 lapwing_steps.f90
                        lapwing_transposes.f90 lapwing_lines.f90 lapwing_port_rows.f90 lapwing_port_halos.f90
                        lapwing_port_checks.F90
                        lapwing_solvers.f90 lapwing_stores.f90 lapwing.f90)
  list(APPEND lapwing_fortran_files ${lapwing_fortran}/${source})
endforeach()
add_library(lapwing_fortran STATIC ${lapwing_fortran_files})
add_library(lapwing::fortran ALIAS lapwing_fortran)
set_target_properties(
  lapwing_fortran PROPERTIES Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lapwing_fortran
                             POSITION_INDEPENDENT_CODE ON
)
target_include_directories(lapwing_fortran PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/lapwing_fortran>)
target_link_libraries(lapwing_fortran PUBLIC lapwing::lapwing)
# With glibc, gfortran -O3 takes sin, cos, exp, log and pow of whole vectors from libmvec, and of the cells that are left
# over at a row's end from libm, whose last bits differ: results would depend on where boxes end. It learns of libmvec from
# a file in a folder that -nostdinc keeps it from reading; modules such as omp_lib stay known.
if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
  execute_process(
    COMMAND ${CMAKE_Fortran_COMPILER} -print-file-name=finclude
    OUTPUT_VARIABLE lapwing_gfortran_modules OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY
  )
  target_compile_options(
    lapwing_fortran
    PUBLIC "$<$<COMPILE_LANGUAGE:Fortran>:-nostdinc;SHELL:-fintrinsic-modules-path ${lapwing_gfortran_modules}>"
  )
endif()
