# CUB is templates for nvcc, which compiles them into one object: by a command, since CMake's own CUDA language
# would bring a second way to link the plugin, and flags for every compiler.
#
# Sets ALULA_HAS_CUB, or cub_problem to what is missing, and makes alula_add_cub(<target>).

# Code for 80 runs on 86 and 89, where CUB would choose the same; what comes after 90 is compiled by the driver.
set(cub_architectures 75 80 90)
list(GET cub_architectures 0 cub_oldest)
list(GET cub_architectures -1 cub_newest)

set(cub_nvcc ${CUDAToolkit_NVCC_EXECUTABLE} -std=c++17 -O2 -DNDEBUG)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND cub_nvcc -ccbin ${CMAKE_CXX_COMPILER})
endif()

set(ALULA_HAS_CUB OFF)
if(NOT CUDAToolkit_NVCC_EXECUTABLE)
  set(cub_problem "there is no nvcc")
  return()
endif()

# Headers of CUB may be missing, and an nvcc may refuse a host compiler that is newer than itself.
set(cub_tried "${cub_nvcc} ${CUDAToolkit_VERSION} ${CMAKE_CXX_COMPILER_VERSION}")
if(NOT ALULA_CUB_TRIED STREQUAL cub_tried)
  set(probe "${PROJECT_BINARY_DIR}/CMakeFiles/cub_probe")
  file(WRITE "${probe}.cu" "#include <cub/version.cuh>\n__global__ void probe() {}\n")
  execute_process(COMMAND ${cub_nvcc} -arch=compute_${cub_newest} -c "${probe}.cu" -o "${probe}.o"
                  RESULT_VARIABLE failed OUTPUT_FILE "${probe}.log" ERROR_FILE "${probe}.log")
  set(ALULA_CUB_TRIED "${cub_tried}" CACHE INTERNAL "")
  set(ALULA_CUB_FAILED "${failed}" CACHE INTERNAL "")
endif()
if(NOT ALULA_CUB_FAILED EQUAL 0)
  set(cub_problem "nvcc does not compile it: CMakeFiles/cub_probe.log says why")
  return()
endif()
set(ALULA_HAS_CUB ON)

function(alula_add_cub target)
  set(source "${PROJECT_SOURCE_DIR}/alula/backends/cuda/cub_sort.cu")
  set(object "${PROJECT_BINARY_DIR}/cub_sort.o")
  set(code)
  foreach(architecture IN LISTS cub_architectures)
    list(APPEND code "-gencode=arch=compute_${architecture},code=sm_${architecture}")
  endforeach()
  list(APPEND code "-gencode=arch=compute_${cub_newest},code=compute_${cub_newest}")
  # Hidden: another library of the process may have templates of CUB, too, of the same names.
  add_custom_command(
    OUTPUT "${object}"
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${cub_nvcc} ${code} -Xfatbin=-compress-all
            -Xcompiler=-fPIC,-fvisibility=hidden "-I${PROJECT_SOURCE_DIR}" -MD -MF "${object}.d" -c "${source}"
            -o "${object}"
    DEPENDS "${source}"
    DEPFILE "${object}.d"
    COMMENT "Compiling CUB's sorts by nvcc"
    VERBATIM)
  target_sources(${target} PRIVATE "${object}")
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set_property(SOURCE "${PROJECT_SOURCE_DIR}/alula/backends/cuda/cub_sort.cpp"
               PROPERTY COMPILE_DEFINITIONS ALULA_CUB_OLDEST_ARCHITECTURE=${cub_oldest})
endfunction()
