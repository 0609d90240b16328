# Fuzzers: fuzz/x.cpp has libFuzzer's entry function for one parser, and its seeds are in fuzz/corpus/x.
#
# With ALULA_BUILD_FUZZERS, which needs clang, each becomes the program fuzz_x, which libFuzzer drives (`make
# fuzz`). Without, a small driver of ours runs the same function over the seeds and a fixed number of damaged
# copies of them, as the test fuzz.x.

file(GLOB fuzzers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/fuzz" "${PROJECT_SOURCE_DIR}/fuzz/*.cpp")
list(REMOVE_ITEM fuzzers driver.cpp)

if(ALULA_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "Fuzzers need clang: libFuzzer is part of it. Configure with `cmake --preset fuzz`.")
  endif()
  # Only what parses is watched: libFuzzer looks at every counter after every call.
  foreach(folder core io image data)
    alula_sources(watched alula/${folder} EXCLUDE "_test\\.cpp$" "_simd\\.cpp$")
    set_source_files_properties(${watched} PROPERTIES COMPILE_OPTIONS -fsanitize=fuzzer-no-link)
  endforeach()
  # A parser that needs no ops is built without them: in minutes, not in an hour. A fuzzer of an op includes
  # alula/alula.h, and is built with all.
  set(light_folders core runtime scalar io)
  set(light_sources)
  foreach(folder IN LISTS light_folders)
    alula_sources(sources alula/${folder} EXCLUDE "_test\\.cpp$")
    foreach(source IN LISTS sources)
      file(STRINGS "${PROJECT_SOURCE_DIR}/${source}" heavy REGEX "^#include \"alula/(ops|graph)/")
      if(NOT heavy)
        list(APPEND light_sources ${source})
      endif()
    endforeach()
  endforeach()
  add_library(alula_light STATIC EXCLUDE_FROM_ALL ${light_sources})
  target_include_directories(alula_light PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(alula_light PUBLIC fmt::fmt Threads::Threads ZLIB::ZLIB PNG::PNG JPEG::JPEG ${CMAKE_DL_LIBS})
  add_custom_target(fuzzers)
else()
  find_package(GTest REQUIRED)  # for its header: the driver shares the tests' mutations
endif()

# The library that a fuzzer needs, by the folders that it includes.
function(alula_library_of_fuzzer variable file)
  file(STRINGS "${PROJECT_SOURCE_DIR}/fuzz/${file}" includes REGEX "^#include \"alula/")
  list(TRANSFORM includes REPLACE "^#include \"alula/([^/]+)/.*" "\\1")
  list(REMOVE_ITEM includes ${light_folders})
  if(includes)
    set(${variable} alula PARENT_SCOPE)
  else()
    set(${variable} alula_light PARENT_SCOPE)
  endif()
endfunction()

foreach(file IN LISTS fuzzers)
  get_filename_component(name "${file}" NAME_WE)
  add_executable(fuzz_${name} fuzz/${file})
  if(ALULA_BUILD_FUZZERS)
    alula_library_of_fuzzer(library ${file})
    target_link_libraries(fuzz_${name} PRIVATE ${library})
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers fuzz_${name})
  else()
    target_sources(fuzz_${name} PRIVATE fuzz/driver.cpp)
    target_link_libraries(fuzz_${name} PRIVATE alula GTest::gtest)
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} "${PROJECT_SOURCE_DIR}/fuzz/corpus/${name}")
    set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz ENVIRONMENT ALULA_GUARD_BYTES=1)
  endif()
endforeach()
