# Installs lapwing into an empty folder, then configures, builds and runs the first C++ example against it, as a user
# would.
file(REMOVE_RECURSE ${scratch})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${library_build} --component cpp --prefix ${scratch}/prefix)
run(${CMAKE_COMMAND} -S ${example} -B ${scratch}/build -G ${generator}
    -DCMAKE_MAKE_PROGRAM=${make_program} -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_CXX_FLAGS=${flags}
    -DCMAKE_PREFIX_PATH=${scratch}/prefix)
run(${CMAKE_COMMAND} --build ${scratch}/build)
execute_process(COMMAND ${scratch}/build/heat OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(NOT printed STREQUAL "heat 18556.592295258\n")
  message(FATAL_ERROR "the example printed: ${printed}")
endif()
