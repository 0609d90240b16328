# The Python package, in the build tree as it will be installed: python/alula with the extension module
# alula._native. `PYTHONPATH=build/release/python python -m alula program.py` runs it from here.
#
# Needs NumPy's and nanobind's packages in the Python that builds it (tools/setup puts them into .venv).

if(NOT Python_EXECUTABLE AND EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python" AND NOT SKBUILD)
  set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/.venv/bin/python")
endif()
find_package(Python 3.11 COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
if(NOT Python_FOUND)
  message(STATUS "No Python 3.11 or later with its headers: the Python package is left out")
  return()
endif()
execute_process(
  COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_package(nanobind CONFIG QUIET)
if(NOT nanobind_FOUND)
  message(STATUS "${Python_EXECUTABLE} has no nanobind: the Python package is left out (make setup installs it)")
  return()
endif()

set(package_tree "${PROJECT_BINARY_DIR}/python")
alula_sources(binding_sources python/src)
# NOMINSIZE: operators are called a million times a second.
nanobind_add_module(alula_python STABLE_ABI NB_STATIC NOMINSIZE NOSTRIP NB_SUPPRESS_WARNINGS ${binding_sources})
target_include_directories(alula_python PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(alula_python PRIVATE alula)
target_precompile_headers(alula_python PRIVATE python/src/common.h)
target_compile_options(alula_python PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
# nanobind hides the module's symbols, so an op that an inline function of a header makes would have a type of
# its own here, without kernels: the binding calls functions of the library, not of headers.
set_target_properties(
  alula_python
  PROPERTIES OUTPUT_NAME _native
             LIBRARY_OUTPUT_DIRECTORY "${package_tree}/alula"
             BUILD_RPATH "$ORIGIN/../../lib"
             INSTALL_RPATH "$ORIGIN")
add_custom_target(
  alula_python_package ALL
  COMMAND ${CMAKE_COMMAND} "-DFROM=${PROJECT_SOURCE_DIR}/python/alula" "-DTO=${package_tree}/alula" -P
          "${PROJECT_SOURCE_DIR}/cmake/copy_package.cmake"
  COMMENT "Copying the Python package"
  VERBATIM)
add_dependencies(alula_python_package alula_python)

# What editors and type checkers read: made from the module itself, with its docstrings.
set(stubs "${PROJECT_BINARY_DIR}/python-stubs.stamp")
add_custom_command(
  OUTPUT "${stubs}"
  COMMAND "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/python/make_stubs.py" "$<TARGET_FILE:alula_python>"
          "${package_tree}/alula"
  COMMAND ${CMAKE_COMMAND} -E touch "${stubs}"
  DEPENDS alula_python "${PROJECT_SOURCE_DIR}/python/make_stubs.py" "${PROJECT_SOURCE_DIR}/python/stubs.txt"
  COMMENT "Writing the Python package's type stubs"
  VERBATIM)
add_custom_target(alula_python_stubs ALL DEPENDS "${stubs}")
add_dependencies(alula_python_stubs alula_python_package)
set(ALULA_HAS_PYTHON ON)

# The wheel: the package, the libraries that it needs and that a machine may lack, and the data sets.
if(SKBUILD)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    # The old kind of run path also holds for what the libraries need in turn.
    target_link_options(alula PRIVATE LINKER:--disable-new-dtags)
    target_link_options(alula_python PRIVATE LINKER:--disable-new-dtags)
  endif()
  set_target_properties(alula PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS alula alula_python LIBRARY DESTINATION alula COMPONENT python)
  # A wheel holds no links: each library comes once, under the name that it is asked for by.
  install(CODE "
    file(GET_RUNTIME_DEPENDENCIES
         LIBRARIES \"$<TARGET_FILE:alula>\" \"$<TARGET_FILE:alula_python>\"
         RESOLVED_DEPENDENCIES_VAR found
         PRE_EXCLUDE_REGEXES \"^ld-linux\" [[^lib(c|m|dl|rt|pthread|stdc\\+\\+|gcc_s|python.*|alula)\\.so]])
    foreach(library IN LISTS found)
      get_filename_component(name \"\${library}\" NAME)
      file(COPY_FILE \"\${library}\" \"\${CMAKE_INSTALL_PREFIX}/alula/\${name}\")
    endforeach()" COMPONENT python)
  if(ALULA_HAS_CUDA)
    install(TARGETS alula_cuda LIBRARY DESTINATION alula COMPONENT python)
  endif()
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/data/" DESTINATION alula/_datasets COMPONENT python)
  install(DIRECTORY "${package_tree}/alula/" DESTINATION alula COMPONENT python
          FILES_MATCHING PATTERN "*.pyi")
endif()
