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
set_target_properties(
  alula_python
  PROPERTIES OUTPUT_NAME _native
             LIBRARY_OUTPUT_DIRECTORY "${package_tree}/alula"
             BUILD_RPATH "$ORIGIN/../../lib"
             INSTALL_RPATH "$ORIGIN")
add_custom_target(
  alula_python_package ALL
  COMMAND ${CMAKE_COMMAND} -E copy_directory "${PROJECT_SOURCE_DIR}/python/alula" "${package_tree}/alula"
  COMMENT "Copying the Python package"
  VERBATIM)
set(ALULA_HAS_PYTHON ON)
