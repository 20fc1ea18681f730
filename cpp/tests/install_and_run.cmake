# Installs lapwing into an empty folder, then configures, builds and runs the C++ examples against it, as a user would.
file(REMOVE_RECURSE ${scratch})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(run_example folder program expected)
  set(build ${scratch}/${folder})
  run(${CMAKE_COMMAND} -S ${examples}/${folder} -B ${build} -G ${generator} -DCMAKE_MAKE_PROGRAM=${make_program}
      -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_CXX_FLAGS=${flags} -DCMAKE_PREFIX_PATH=${scratch}/prefix)
  run(${CMAKE_COMMAND} --build ${build})
  foreach(ranks IN ITEMS 1 2)
    execute_process(
      COMMAND ${mpiexec} -n ${ranks} ${build}/${program} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY
    )
    string(STRIP "${printed}" printed)
    if(NOT printed STREQUAL expected)
      message(FATAL_ERROR "${folder} on ${ranks} ranks printed: ${printed}\nexpected: ${expected}")
    endif()
  endforeach()
endfunction()
run(${CMAKE_COMMAND} --install ${library_build} --component cpp --prefix ${scratch}/prefix)
run_example(03_first_model heat "heat 18556.592295258")
run_example(04_tide tide "south-east corner -1.889753741572 m")
