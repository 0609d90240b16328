# Installs Alula into a prefix inside the build folder, builds the project beside this file with it, and
# runs that. Needs BUILD_DIR.

set(work "${BUILD_DIR}/install_test")
set(prefix "${work}/prefix")
set(app "${work}/app")
file(REMOVE_RECURSE "${work}")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${prefix}")
run(${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}" -B "${app}" -G Ninja
    "-DCMAKE_PREFIX_PATH=${prefix}" -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build "${app}")
run("${app}/app")
