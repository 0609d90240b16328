# How everything is compiled: one set of flags, chosen here and nowhere else.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Libraries and programs stand in lib/ and bin/, found by relative paths, so that a build folder can
# be moved, and looks like an installed tree.
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_BUILD_RPATH "$ORIGIN" "$ORIGIN/../lib")
set(CMAKE_INSTALL_RPATH "$ORIGIN" "$ORIGIN/../lib")
# A change inside the library doesn't relink all that uses it.
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

set(ALULA_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined or thread")

# -g1 keeps function names and line numbers in release builds: profilers and stack traces need them.
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")
if(ALULA_SANITIZE)
  set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -fno-omit-frame-pointer")
else()
  set(CMAKE_CXX_FLAGS_DEBUG "-Og -g")
endif()

# No -march: Highway picks the instruction set at run time. No -ffast-math: NaN, infinity
# and the order of operations are part of an op's meaning; only errno and traps are given up.
# Designated initializers leave fields out on purpose.
set(alula_flags -Wall -Wextra -Werror -Wno-missing-field-initializers -fno-math-errno -fno-trapping-math
                -fno-plt)
# Every op looks at its thread's state: thread-local variables without a call of the loader. They are
# few, so that the library can still be loaded at run time.
list(APPEND alula_flags -ftls-model=initial-exec)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND alula_flags -fno-semantic-interposition)
  # GCC 12 and 13 warn falsely about std::string + literal.
  list(APPEND alula_flags -Wno-restrict)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    # False alarms inside inlined code of fmt and the standard library; g++ 12 has none of them, so there
    # they stay errors.
    list(APPEND alula_flags -Wno-error=array-bounds -Wno-error=stringop-overflow
         -Wno-error=stringop-overread)
  endif()
endif()
if(ALULA_BUILD_FUZZERS)
  # Another compiler's warnings are not what a fuzzer is built for.
  list(REMOVE_ITEM alula_flags -Wall -Wextra -Werror)
  list(APPEND alula_flags -w)
endif()
if(ALULA_SANITIZE)
  list(APPEND alula_flags -fsanitize=${ALULA_SANITIZE} -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The sanitizers' instrumentation confuses this warning; the release build still has it.
    list(APPEND alula_flags -Wno-maybe-uninitialized)
  endif()
  add_link_options(-fsanitize=${ALULA_SANITIZE})
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${alula_flags}>")

# A plugin built from another version is refused.
add_compile_definitions(ALULA_VERSION="${PROJECT_VERSION}")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers need this sloppiness, or ccache never finds a match. With paths taken relative to the
  # source tree, every checkout finds what another one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_SLOPPINESS=pch_defines,time_macros "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_ABSSTDERR=1 ${CCACHE_PROGRAM})
endif()
