# Follows the README as a user would, outside of Alula's tree: installs Alula into a prefix, makes a project
# of the README's first program and its CMakeLists.txt, builds it, and compares what it prints with what
# the README says. Needs BUILD_DIR.

cmake_minimum_required(VERSION 3.25)
set(work "${BUILD_DIR}/install_test")
set(prefix "${work}/prefix")
set(app "${work}/app")

# The first block of a language ("" for plain output) in the README.
function(readme_block language variable)
  file(READ "${CMAKE_CURRENT_LIST_DIR}/../../README.md" readme)
  string(REGEX REPLACE "^.*## A first program" "" section "${readme}")
  string(REGEX REPLACE "\n## .*$" "" section "${section}")
  if(NOT section MATCHES "\n```${language}\n([^`]+)```\n")
    message(FATAL_ERROR "README.md has no block of '${language}' under \"A first program\"")
  endif()
  set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

readme_block(cpp program)
readme_block(cmake project)
readme_block("" expected)

file(REMOVE_RECURSE "${work}")
file(WRITE "${app}/first.cpp" "${program}")
# Beside it, a program that trains, with the warnings that strict projects have on.
file(COPY "${CMAKE_CURRENT_LIST_DIR}/train.cpp" DESTINATION "${app}")
file(WRITE "${app}/CMakeLists.txt" "${project}"
  "add_executable(train train.cpp)\n"
  "target_link_libraries(train alula::alula)\n"
  "target_compile_options(train PRIVATE -Wall -Wextra -Werror)\n")
run(${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${prefix}")
if(NOT EXISTS "${prefix}/share/alula/data/mnist/train-images-idx3-ubyte.gz")
  message(FATAL_ERROR "The data sets were not installed")
endif()
run(${CMAKE_COMMAND} -S "${app}" -B "${app}/build" -G Ninja "-DCMAKE_PREFIX_PATH=${prefix}"
    -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build "${app}/build")

run("${app}/build/train")
execute_process(COMMAND "${app}/build/first" OUTPUT_VARIABLE actual COMMAND_ERROR_IS_FATAL ANY)
if(NOT actual STREQUAL expected)
  message(FATAL_ERROR "The README's first program should print\n${expected}but prints\n${actual}")
endif()
