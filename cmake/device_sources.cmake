# Puts the device code of alula/backends/cuda/device/*.cuh, which is compiled at run time, into a C++
# source that defines device_source(name) and device_source_names().
#
# Included by another file of cmake/ it defines alula_device_sources(<variable>), which names that source;
# run by `cmake -P` (which is what the build does when device code has changed) it writes it.

if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  file(GLOB files "${SOURCE_DIR}/alula/backends/cuda/device/*.cuh")
  list(SORT files)
  set(entries "")
  set(names "")
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" text)
    # A string literal may have 65536 characters; the compilers in use take more, in pieces or not.
    string(APPEND entries "  if (name == \"${name}\") return R\"cuda(${text})cuda\";\n")
    string(APPEND names "\"${name}\", ")
  endforeach()
  file(WRITE "${OUTPUT}.new"
"// Made by cmake/device_sources.cmake.
#include \"alula/backends/cuda/card.h\"

namespace alula::cuda {

std::vector<std::string_view> device_source_names() { return {${names}}; }

std::string_view device_source(std::string_view name) {
${entries}  fail<InternalError>(\"GPU: there is no device code named {}.\", name);
}

}  // namespace alula::cuda
")
  file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
  return()
endif()

function(alula_device_sources variable)
  alula_sources(files alula/backends/cuda/device PATTERN "*.cuh")
  list(TRANSFORM files PREPEND "${PROJECT_SOURCE_DIR}/")
  set(output "${PROJECT_BINARY_DIR}/generated/device_sources.cpp")
  set(script "${PROJECT_SOURCE_DIR}/cmake/device_sources.cmake")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}" "-DOUTPUT=${output}" -P "${script}"
    DEPENDS ${files} "${script}"
    COMMENT "Embedding the GPU's device code"
    VERBATIM)
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()
