# libalula_cuda.so: the GPU's backend, loaded at run time where there is a GPU.

alula_sources(cuda_sources alula/backends/cuda PATTERN "*.cpp" "*.cu" EXCLUDE "_test\\.cpp$")
set(ALULA_HAS_CUDA OFF)
if(NOT ALULA_BUILD_CUDA)
  message(STATUS "CUDA plugin: left out (ALULA_BUILD_CUDA is OFF)")
  return()
elseif(NOT cuda_sources)
  return()
endif()

find_package(CUDAToolkit QUIET)
if(NOT CUDAToolkit_FOUND OR NOT CUDAToolkit_NVCC_EXECUTABLE)
  message(STATUS "CUDA plugin: left out (no CUDA toolkit with nvcc was found)")
  return()
endif()
set(ALULA_HAS_CUDA ON)
message(STATUS "CUDA plugin: built with CUDA ${CUDAToolkit_VERSION}")

if(cuda_sources MATCHES "\\.cu(;|$)")
  set(CMAKE_CUDA_STANDARD 20)
  enable_language(CUDA)
endif()
add_library(alula_cuda MODULE ${cuda_sources})
target_link_libraries(alula_cuda PRIVATE alula CUDA::cudart CUDA::nvrtc CUDA::cublasLt
                                         CUDA::cuda_driver)
set_target_properties(alula_cuda PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
