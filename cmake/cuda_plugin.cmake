# libalula_cuda.so: the GPU's backend, loaded at run time where there is a GPU.

alula_sources(cuda_sources alula/backends/cuda EXCLUDE "_test\\.cpp$")
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

# The code generator and its compiler need no driver: they stand apart, to be tested without one.
set(codegen_sources ${cuda_sources})
list(FILTER codegen_sources INCLUDE REGEX "/(layout|codegen|prelude|nvrtc)\\.cpp$")
list(REMOVE_ITEM cuda_sources ${codegen_sources})
add_library(alula_cuda_codegen STATIC ${codegen_sources})
# (The target CUDA::nvrtc would bring the driver along.)
target_link_libraries(alula_cuda_codegen PUBLIC alula "${CUDA_nvrtc_LIBRARY}")
target_include_directories(alula_cuda_codegen SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS})
alula_precompile(alula_cuda_codegen)

add_library(alula_cuda MODULE ${cuda_sources})
target_link_libraries(alula_cuda PRIVATE alula_cuda_codegen CUDA::cudart CUDA::cublasLt
                                         CUDA::cuda_driver)
set_target_properties(alula_cuda PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
alula_precompile(alula_cuda)
