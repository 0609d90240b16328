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
