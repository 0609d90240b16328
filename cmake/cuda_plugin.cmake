# libalula_cuda.so: the GPU's backend, loaded at run time where there is a GPU.

set(ALULA_HAS_CUDA OFF)
if(NOT ALULA_BUILD_CUDA)
  message(STATUS "CUDA plugin: left out (ALULA_BUILD_CUDA is OFF)")
  return()
endif()

find_package(CUDAToolkit 12.0 QUIET)
if(NOT CUDAToolkit_FOUND OR NOT TARGET CUDA::nvrtc OR NOT TARGET CUDA::cublasLt)
  message(STATUS "CUDA plugin: left out (no CUDA toolkit from 12.0 on was found)")
  return()
endif()
set(ALULA_HAS_CUDA ON)
message(STATUS "CUDA plugin: built with CUDA ${CUDAToolkit_VERSION}")

include(cmake/device_sources.cmake)
alula_sources(cuda_sources alula/backends/cuda EXCLUDE "_test\\.cpp$")

# cuDNN is loaded at run time; only its headers are needed here.
find_path(ALULA_CUDNN_INCLUDE_DIR cudnn_graph.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
set(ALULA_HAS_CUDNN OFF)
if(EXISTS "${ALULA_CUDNN_INCLUDE_DIR}/cudnn_version.h")
  file(STRINGS "${ALULA_CUDNN_INCLUDE_DIR}/cudnn_version.h" cudnn_major REGEX "^#define CUDNN_MAJOR 9$")
  if(cudnn_major)
    set(ALULA_HAS_CUDNN ON)
  endif()
endif()
if(NOT ALULA_HAS_CUDNN)
  message(STATUS "CUDA plugin: cuDNN is left out (its headers, version 9, were not found)")
  list(FILTER cuda_sources EXCLUDE REGEX "/cudnn_")
endif()

# Long sorts are CUB's, where nvcc can compile its templates.
include(cmake/cub.cmake)
if(NOT ALULA_HAS_CUB)
  message(STATUS "CUDA plugin: CUB is left out (${cub_problem}); sorts are our own kernels'")
  list(FILTER cuda_sources EXCLUDE REGEX "/cub_")
endif()

# What needs no driver stands apart, to be tested without one: the code generator, its compiler, and the
# kernels, which see no more of a GPU than card.h.
set(codegen_sources ${cuda_sources})
list(FILTER codegen_sources INCLUDE REGEX "/cuda/((allocator|card|chain|codegen|cudnn_library|cudnn_plans|disk_cache|faults|fences|inline_program|kernels|layout|nvrtc|pinned|staging)\\.cpp$|kernels/)")
set(emulated_sources ${cuda_sources})
list(FILTER emulated_sources INCLUDE REGEX "/emulated/")
list(REMOVE_ITEM cuda_sources ${codegen_sources} ${emulated_sources})

alula_device_sources(device_sources)
add_library(alula_cuda_codegen OBJECT ${codegen_sources} "${device_sources}")
set_target_properties(alula_cuda_codegen PROPERTIES POSITION_INDEPENDENT_CODE ON)
# (The target CUDA::nvrtc would bring the driver along.)
target_link_libraries(alula_cuda_codegen PUBLIC alula "${CUDA_nvrtc_LIBRARY}" ${CMAKE_DL_LIBS})
target_include_directories(alula_cuda_codegen SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS})
if(ALULA_HAS_CUDNN)
  target_include_directories(alula_cuda_codegen SYSTEM PUBLIC ${ALULA_CUDNN_INCLUDE_DIR})
endif()
alula_precompile(alula_cuda_codegen)

add_library(alula_cuda MODULE ${cuda_sources})
target_link_libraries(alula_cuda PRIVATE alula_cuda_codegen CUDA::cudart CUDA::cublasLt
                                         CUDA::cuda_driver)
set_target_properties(alula_cuda PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
alula_precompile(alula_cuda)
if(ALULA_HAS_CUB)
  alula_add_cub(alula_cuda)
endif()

# These compile kernels, or plugins, as C++ when they run.
set_property(
  SOURCE alula/backends/cuda/codegen_test.cpp alula/backends/cuda/emulated/card.cpp
         alula/backends/cuda/emulated/plugin_test.cpp
  APPEND PROPERTY COMPILE_DEFINITIONS ALULA_CXX_COMPILER="${CMAKE_CXX_COMPILER}"
                  ALULA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

# The host as a GPU: the same kernels, compiled as C++ when they are first used. For tests alone.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_library(alula_cuda_emulated MODULE ${emulated_sources})
  target_link_libraries(alula_cuda_emulated PRIVATE alula_cuda_codegen ${CMAKE_DL_LIBS})
  alula_precompile(alula_cuda_emulated)
endif()
