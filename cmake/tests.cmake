# A test stands beside what it tests: alula/<folder>/**/x_test.cpp. Each folder's tests are one program,
# <folder>_test, whose cases ctest runs one by one under the label <folder>.

include(GoogleTest)
find_package(GTest REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# What tests share.
alula_sources(testing_sources alula/testing EXCLUDE "_test\\.cpp$")
if(testing_sources)
  add_library(alula_testing STATIC ${testing_sources})
  target_link_libraries(alula_testing PUBLIC alula GTest::gtest)
else()
  add_library(alula_testing INTERFACE)
  target_link_libraries(alula_testing INTERFACE alula GTest::gtest)
endif()

# alula_add_test(<name> LABELS <label>... SOURCES <file>...)
function(alula_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LABELS;SOURCES")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE alula alula_testing GTest::gtest_main)
  alula_precompile(${name} <gtest/gtest.h>)
  # With guard bytes behind every block of memory: a kernel that writes past its output fails its test.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS "${arg_LABELS}" ENVIRONMENT ALULA_GUARD_BYTES=1)
endfunction()

alula_sources(test_sources alula PATTERN "*_test.cpp" EXCLUDE "^alula/backends/cuda/")
set(folders ${test_sources})
list(TRANSFORM folders REPLACE "^alula/([^/]+)/.*" "\\1")
list(REMOVE_DUPLICATES folders)
foreach(folder IN LISTS folders)
  set(sources ${test_sources})
  list(FILTER sources INCLUDE REGEX "^alula/${folder}/")
  alula_add_test(${folder}_test LABELS ${folder} SOURCES ${sources})
endforeach()

# Some of these run once for each instruction set.
if(TARGET backends_test)
  target_link_libraries(backends_test PRIVATE hwy::hwy)
endif()

# These compress what is to be read.
if(TARGET io_test)
  target_link_libraries(io_test PRIVATE ZLIB::ZLIB)
endif()

# The GPU's tests: the code generator's, which need only the toolkit, and those that need a GPU.
alula_sources(cuda_test_sources alula/backends/cuda PATTERN "*_test.cpp")
if(ALULA_HAS_CUDA AND cuda_test_sources)
  set(codegen_test_sources ${cuda_test_sources})
  list(FILTER codegen_test_sources INCLUDE REGEX "/(codegen|layout)_test\\.cpp$")
  list(REMOVE_ITEM cuda_test_sources ${codegen_test_sources})
  alula_add_test(codegen_test LABELS codegen SOURCES ${codegen_test_sources})
  target_link_libraries(codegen_test PRIVATE alula_cuda_codegen)
  target_compile_definitions(codegen_test PRIVATE ALULA_CXX_COMPILER="${CMAKE_CXX_COMPILER}"
                                                  ALULA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  alula_add_test(cuda_test LABELS gpu SOURCES ${cuda_test_sources})
  add_dependencies(cuda_test alula_cuda)
endif()

# The GPU's kernels without a GPU: each is compiled by NVRTC, and by the host's compiler to be run by the
# emulated card, in the tests that run on every device. These are a few of each family, since kernels take
# time to compile; `ALULA_PLUGIN=…/libalula_cuda_emulated.so ops_test` runs them all in some twenty minutes.
# (Sanitizers don't know the card's switches of stacks.)
if(TARGET alula_cuda_emulated AND NOT ALULA_SANITIZE)
  set(emulated_ops concat conv2d_fused cumsum gather matmul_elementwise max_pool2d random_uniform reduce_max
                   scatter_nd softmax top_k transpose)
  list(TRANSFORM emulated_ops PREPEND "OpTest.")
  list(JOIN emulated_ops ":" filter)
  add_test(NAME Emulated.ops COMMAND ops_test --gtest_brief=1 "--gtest_filter=${filter}")
  add_test(NAME Emulated.training COMMAND keras_test --gtest_brief=1
                                          "--gtest_filter=FitOnDevice.*:CompiledStep.*")
  set(environment "ALULA_PLUGIN=$<TARGET_FILE:alula_cuda_emulated>"
                  "ALULA_CACHE_DIR=${PROJECT_BINARY_DIR}/kernels" ALULA_EMULATED_NVRTC=90 ALULA_GUARD_BYTES=1)
  set_tests_properties(Emulated.ops Emulated.training PROPERTIES LABELS emulated TIMEOUT 1200
                                                                 ENVIRONMENT "${environment}")
  add_dependencies(ops_test alula_cuda_emulated)
endif()

# Whole programs.
file(GLOB program_test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*_test.cpp")
if(program_test_sources)
  alula_add_test(program_test LABELS program SOURCES ${program_test_sources})
  target_compile_definitions(program_test PRIVATE ALULA_GRAPHS="${PROJECT_SOURCE_DIR}/tests/graphs")
endif()

# Some of these compare with what Keras computed.
foreach(program keras_test program_test)
  if(TARGET ${program})
    target_compile_definitions(
      ${program} PRIVATE ALULA_KERAS_REFERENCE="${PROJECT_SOURCE_DIR}/tests/keras_reference")
  endif()
endforeach()

if(TARGET image_test)
  target_compile_definitions(
    image_test PRIVATE ALULA_IMAGE_REFERENCE="${PROJECT_SOURCE_DIR}/tests/image_reference")
endif()

# An outside project finds the installed package. (With a sanitizer, such a project would need it too.)
if(NOT ALULA_SANITIZE AND EXISTS "${PROJECT_SOURCE_DIR}/alula/alula.h")
  add_test(NAME install
           COMMAND ${CMAKE_COMMAND} "-DBUILD_DIR=${PROJECT_BINARY_DIR}" -P
                   "${PROJECT_SOURCE_DIR}/tests/install/check.cmake")
  set_tests_properties(install PROPERTIES LABELS install)
endif()

# The Python package's tests, one program a file of tests.
if(ALULA_HAS_PYTHON)
  alula_sources(python_tests python/tests PATTERN "test_*.py")
  foreach(file IN LISTS python_tests)
    get_filename_component(name "${file}" NAME_WE)
    string(REPLACE "test_" "" name "${name}")
    add_test(NAME Python.${name}
             COMMAND "${Python_EXECUTABLE}" -m pytest -q -p no:cacheprovider "${PROJECT_SOURCE_DIR}/${file}")
    set_tests_properties(
      Python.${name} PROPERTIES LABELS python ENVIRONMENT
                                "PYTHONPATH=${PROJECT_BINARY_DIR}/python;PYTHONDONTWRITEBYTECODE=1")
  endforeach()
endif()
