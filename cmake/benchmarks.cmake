# benchmarks/x.cpp becomes the program x, on Google Benchmark.

file(GLOB benchmark_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/benchmarks/*.cpp")
if(NOT benchmark_sources)
  return()
endif()
find_package(benchmark REQUIRED)
foreach(source IN LISTS benchmark_sources)
  cmake_path(GET source STEM name)
  add_executable(${name} "${source}")
  target_link_libraries(${name} PRIVATE alula benchmark::benchmark)
endforeach()

# Shown beside our own matrix products where it is installed; the library does without it.
find_package(OneDNN QUIET)
if(TARGET matmul AND OneDNN_FOUND)
  target_link_libraries(matmul PRIVATE OneDNN::OneDNN)
  target_compile_definitions(matmul PRIVATE ALULA_HAS_ONEDNN)
endif()
