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
  set_source_files_properties(alula/testing/test_data.cpp PROPERTIES COMPILE_DEFINITIONS
                                                                    ALULA_TESTS="${PROJECT_SOURCE_DIR}/tests")
else()
  add_library(alula_testing INTERFACE)
  target_link_libraries(alula_testing INTERFACE alula GTest::gtest)
endif()

# Tests are compiled to be ready soon: the library does the work that takes time.
if(ALULA_SANITIZE)
  set(test_flags -O0)
else()
  set(test_flags -O1)
endif()

# The headers that nearly every test includes, compiled once for all of them: a program that is for this alone,
# since what is compiled for a library is compiled otherwise.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/test_headers.cpp" CONTENT "int main() {}\n")
add_executable(test_headers EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/test_headers.cpp")
target_link_libraries(test_headers PRIVATE alula GTest::gtest)
target_compile_options(test_headers PRIVATE ${test_flags})
alula_precompile_headers(test_headers <gtest/gtest.h> "${PROJECT_SOURCE_DIR}/alula/testing/harness.h")

# alula_add_test(<name> LABELS <label>... SOURCES <file>...)
function(alula_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LABELS;SOURCES")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE alula_testing alula)
  target_compile_options(${name} PRIVATE ${test_flags})
  alula_precompile_headers(${name} REUSE_FROM test_headers)
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
if(NOT ALULA_HAS_CUDNN)
  list(FILTER cuda_test_sources EXCLUDE REGEX "/cudnn_")
endif()
if(ALULA_HAS_CUDA AND cuda_test_sources)
  set(codegen_test_sources ${cuda_test_sources})
  list(FILTER codegen_test_sources INCLUDE REGEX "/(allocator|codegen|cudnn_plans|faults|layout|pinned|product|race|staging)_test\\.cpp$")
  list(REMOVE_ITEM cuda_test_sources ${codegen_test_sources})
  # With the emulated card, to show that it finds out kernels that are wrong.
  alula_add_test(codegen_test LABELS codegen SOURCES ${codegen_test_sources} alula/backends/cuda/emulated/card.cpp
                                                     alula/backends/cuda/emulated/run.cpp)
  target_link_libraries(codegen_test PRIVATE alula_cuda_codegen)
  set(emulated_test_sources ${cuda_test_sources})
  list(FILTER emulated_test_sources INCLUDE REGEX "/emulated/")
  list(REMOVE_ITEM cuda_test_sources ${emulated_test_sources})
  alula_add_test(cuda_test LABELS gpu SOURCES ${cuda_test_sources})
  add_dependencies(cuda_test alula_cuda)
endif()

# Tests that run on a GPU as well as on the CPU, one ctest a program; skipped where there is no GPU. Each program
# fails if none of its kernels ran there. (tools/gpu_check runs the same on another machine.)
if(ALULA_HAS_CUDA AND NOT ALULA_SANITIZE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS tests/gpu_tests.json)
  file(READ tests/gpu_tests.json gpu_tests)
  string(JSON last LENGTH "${gpu_tests}" rows)
  math(EXPR last "${last} - 1")
  foreach(i RANGE ${last})
    foreach(member name program mode)
      string(JSON ${member} GET "${gpu_tests}" rows ${i} ${member})
    endforeach()
    set(left_out "*-")
    string(JSON count LENGTH "${gpu_tests}" rows ${i} left_out)
    if(count GREATER 0)
      math(EXPR count "${count} - 1")
      foreach(j RANGE ${count})
        string(JSON test MEMBER "${gpu_tests}" rows ${i} left_out ${j})
        string(APPEND left_out "${test}:")
      endforeach()
    endif()
    string(JSON guarded ERROR_VARIABLE ignored GET "${gpu_tests}" rows ${i} guarded)
    set(environment ALULA_TEST_GPU=${mode} ALULA_GUARD_BYTES=1)
    if(guarded STREQUAL "ON")
      list(APPEND environment ALULA_TEST_GPU_GUARD=1)
    endif()
    add_test(NAME Gpu.${name} COMMAND ${program} --gtest_brief=1 "--gtest_filter=${left_out}")
    set_tests_properties(Gpu.${name} PROPERTIES LABELS gpu SKIP_RETURN_CODE 77 TIMEOUT 1200 ENVIRONMENT
                                                "${environment}")
  endforeach()
endif()

# The GPU's kernels without a GPU: each is compiled by NVRTC, and by the host's compiler to be run by the
# emulated card, in the tests that run on every device. These are a few of each family, since kernels take
# time to compile; `ALULA_PLUGIN=…/libalula_cuda_emulated.so ops_test` runs them all in some twenty minutes.
if(TARGET alula_cuda_emulated AND NOT ALULA_SANITIZE)
  set(emulated_ops concat conv2d_fused cumsum gather gather_elementwise matmul_elementwise max_pool2d
                   nonzero random_uniform reduce_max scatter_nd softmax top_k transpose
                   unique)
  list(TRANSFORM emulated_ops PREPEND "OpTest.")
  list(JOIN emulated_ops ":" filter)
  add_test(NAME Emulated.ops COMMAND ops_test --gtest_brief=1 "--gtest_filter=${filter}")
  # These say where they run: others would be tried on both devices, and stay on the one that was faster.
  add_test(NAME Emulated.training COMMAND keras_test --gtest_brief=1 "--gtest_filter=FitOnDevice.*")
  add_test(NAME Emulated.functions COMMAND graph_test --gtest_brief=1 "--gtest_filter=OnEveryDevice.*")
  add_test(NAME Emulated.graphs COMMAND cuda_test --gtest_brief=1 "--gtest_filter=GpuGraph.*-*WithoutKernels*")
  # The threads of a block take turns, here from the last one on: a barrier that is missing shows in this order or
  # in the other one.
  add_test(NAME Emulated.matrices COMMAND cuda_test --gtest_brief=1 "--gtest_filter=GpuMatrices.*")
  add_test(NAME Emulated.backwards COMMAND cuda_test --gtest_brief=1 "--gtest_filter=GpuMatrices.*:GpuGraph.*-*WithoutKernels*")
  set(emulated_environment "ALULA_PLUGIN=$<TARGET_FILE:alula_cuda_emulated>"
                  "ALULA_CACHE_DIR=${PROJECT_BINARY_DIR}/kernels" ALULA_EMULATED_NVRTC=90 ALULA_GUARD_BYTES=1)
  set_tests_properties(Emulated.ops Emulated.training Emulated.functions Emulated.matrices
                       PROPERTIES LABELS emulated TIMEOUT 1200 ENVIRONMENT "${emulated_environment}")
  set_tests_properties(
    Emulated.graphs PROPERTIES LABELS emulated TIMEOUT 1200 ENVIRONMENT
                               "${emulated_environment};ALULA_EMULATED_ELEMENTWISE=1")
  set_tests_properties(
    Emulated.backwards PROPERTIES LABELS emulated TIMEOUT 1200 ENVIRONMENT
                                  "${emulated_environment};ALULA_EMULATED_BACKWARDS=1")
  add_dependencies(ops_test alula_cuda_emulated)
endif()

# What concerns several GPUs, their memory and their faults: its programs name the plugin themselves. Under
# AddressSanitizer more of the faults are found.
if(TARGET alula_cuda_emulated)
  file(GLOB emulated_program_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/emulated/*_test.cpp")
  alula_add_test(emulated_test LABELS emulated SOURCES ${emulated_test_sources}
                                                       ${emulated_program_sources})
  set_property(SOURCE alula/backends/cuda/emulated/plugin_test.cpp tests/emulated/devices_test.cpp APPEND
               PROPERTY COMPILE_DEFINITIONS ALULA_EMULATED_PLUGIN="$<TARGET_FILE:alula_cuda_emulated>")
  add_dependencies(emulated_test alula_cuda_emulated)
endif()

# The same under AddressSanitizer, which then watches the kernels, too: each access to memory and to shared
# memory. (Without guard bytes: what is behind a block is to be nobody's.)
if(TARGET alula_cuda_emulated AND ALULA_SANITIZE MATCHES "address")
  set(checked_ops concat gather max_pool2d reduce_any scatter_nd transpose)
  list(TRANSFORM checked_ops PREPEND "OpTest.")
  list(JOIN checked_ops ":" filter)
  add_test(NAME Emulated.checked COMMAND ops_test --gtest_brief=1 "--gtest_filter=${filter}")
  add_test(NAME Emulated.checked_matrices COMMAND cuda_test --gtest_brief=1 "--gtest_filter=GpuMatrices.*")
  set_tests_properties(
    Emulated.checked Emulated.checked_matrices PROPERTIES LABELS emulated TIMEOUT 1200 ENVIRONMENT
    "ALULA_PLUGIN=$<TARGET_FILE:alula_cuda_emulated>;ALULA_CACHE_DIR=${PROJECT_BINARY_DIR}/kernels")
  add_dependencies(ops_test alula_cuda_emulated)
endif()

# Whole programs.
file(GLOB program_test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*_test.cpp")
if(program_test_sources)
  alula_add_test(program_test LABELS program SOURCES ${program_test_sources})
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
  # What they say of a GPU, on the emulated one.
  if(TARGET alula_cuda_emulated AND NOT ALULA_SANITIZE)
    list(FILTER python_tests INCLUDE REGEX "_device\\.py$")
    list(TRANSFORM python_tests PREPEND "${PROJECT_SOURCE_DIR}/")
    add_test(NAME Emulated.python COMMAND "${Python_EXECUTABLE}" -m pytest -q -p no:cacheprovider ${python_tests})
    set_tests_properties(
      Emulated.python PROPERTIES LABELS emulated TIMEOUT 1200 ENVIRONMENT
      "${emulated_environment};PYTHONPATH=${PROJECT_BINARY_DIR}/python;PYTHONDONTWRITEBYTECODE=1")
  endif()
endif()
