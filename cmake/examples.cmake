# examples/cpp/x.cpp becomes the program example_x. Its head comment says what it prints, and a test holds
# it to that.

file(GLOB example_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/cpp/*.cpp")
foreach(source IN LISTS example_sources)
  cmake_path(GET source STEM name)
  add_executable(example_${name} "${source}")
  target_link_libraries(example_${name} PRIVATE alula)
  # Under a sanitizer, training on all of MNIST takes minutes and runs nothing that tests don't.
  if(ALULA_BUILD_TESTS AND NOT (ALULA_SANITIZE AND name MATCHES "^(demo|mnist_cnn)$"))
    add_test(NAME example_${name} COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/check_example"
                                          "${source}" $<TARGET_FILE:example_${name}>)
    set_tests_properties(example_${name} PROPERTIES LABELS examples)
  endif()
endforeach()
