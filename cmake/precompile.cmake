# alula_precompile(<target>): compiles big headers of others, which nearly every source of the target includes,
# once for all of them. It saves about a second a source.
#
# The build under AddressSanitizer goes without, so that a source that forgets an include is found out.

function(alula_precompile target)
  if(NOT ALULA_SANITIZE MATCHES "address")
    alula_precompile_headers(${target})
  endif()
endfunction()

# alula_precompile_headers(<target> [<header>...]): the same in every build, with these headers added;
# alula_precompile_headers(<target> REUSE_FROM <other>): with those of another target, compiled for that one.
function(alula_precompile_headers target)
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(
      ${target}
      PRIVATE <algorithm>
              <array>
              <atomic>
              <cmath>
              <cstdint>
              <functional>
              <memory>
              <span>
              <string>
              <string_view>
              <vector>
              <fmt/format.h>
              ${ARGN})
  endif()
  # Without this ccache can't tell which precompiled header was used, and gives up.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)

  # Sources that Highway compiles once for every instruction set must see its headers their own way.
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "_simd\\.cpp$")
  if(sources)
    set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()
