# Makes the list of ops from the headers of alula/ops, so that no list is kept by hand:
#
#   alula/ops/all.h   includes every one of them
#   op_table.cpp      defines elementwise_table(), with every object declared by a line such as
#                     inline constinit const Elementwise silu{...};
#
# Included by CMakeLists.txt it defines alula_add_op_table(<target>); run by `cmake -P` (which is what
# the build does when a header has changed) it writes the two files.

if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  # Needs SOURCE_DIR and GENERATED_DIR. Files whose content is the same are left alone.
  file(GLOB headers RELATIVE "${SOURCE_DIR}" "${SOURCE_DIR}/alula/ops/*.h")
  list(FILTER headers EXCLUDE REGEX "_test\\.h$")
  list(SORT headers)
  set(includes "")
  set(entries "")
  set(count 0)
  foreach(header IN LISTS headers)
    string(APPEND includes "#include \"${header}\"\n")
    file(STRINGS "${SOURCE_DIR}/${header}" lines
         REGEX "^inline constinit const Elementwise [a-z0-9_]+")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^inline constinit const Elementwise ([a-z0-9_]+).*" "\\1" name "${line}")
      string(APPEND entries "    &${name},\n")
      math(EXPR count "${count} + 1")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT "${GENERATED_DIR}/alula/ops/all.h" CONTENT
"// Every op. Made by cmake/op_table.cmake.
#pragma once

@includes@" @ONLY)
  file(CONFIGURE OUTPUT "${GENERATED_DIR}/op_table.cpp" CONTENT
"// Made by cmake/op_table.cmake.
#include <array>
#include <span>

#include \"alula/ops/all.h\"
#include \"alula/ops/table.h\"

namespace alula {

std::span<const Elementwise* const> elementwise_table() {
  static constexpr std::array<const Elementwise*, @count@> kTable = {
@entries@  };
  return kTable;
}

}  // namespace alula
" @ONLY)
  return()
endif()

set(ALULA_GENERATED_DIR "${PROJECT_BINARY_DIR}/generated")

function(alula_add_op_table target)
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/alula/ops/*.h")
  if(NOT EXISTS "${PROJECT_SOURCE_DIR}/alula/ops/table.h")
    message(STATUS "alula/ops/table.h isn't there: no op table is made")
    return()
  endif()
  set(script "${PROJECT_SOURCE_DIR}/cmake/op_table.cmake")
  set(command ${CMAKE_COMMAND} "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}"
              "-DGENERATED_DIR=${ALULA_GENERATED_DIR}" -P "${script}")
  # Now, because a header may have been added or removed; later, when one has been edited.
  execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
  add_custom_command(
    OUTPUT "${ALULA_GENERATED_DIR}/op_table.cpp" "${ALULA_GENERATED_DIR}/alula/ops/all.h"
    COMMAND ${command}
    DEPENDS ${headers} "${script}"
    COMMENT "Listing the ops"
    VERBATIM)
  target_sources(${target} PRIVATE "${ALULA_GENERATED_DIR}/op_table.cpp"
                                   "${ALULA_GENERATED_DIR}/alula/ops/all.h")
endfunction()
