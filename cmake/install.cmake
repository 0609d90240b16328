# cmake --install: headers, libraries, and the package that find_package(alula) finds.

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/alula")

install(TARGETS alula EXPORT alula LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(ALULA_HAS_CUDA)
  # The library looks for its plugins beside itself.
  install(TARGETS alula_cuda LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/alula"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "*_test.h" EXCLUDE
  PATTERN "testing" EXCLUDE
  PATTERN "backends" EXCLUDE)
install(
  DIRECTORY "${ALULA_GENERATED_DIR}/alula"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  OPTIONAL
  FILES_MATCHING
  PATTERN "*.h")

# Data sets: where the library looks for them, seen from itself.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/data/" DESTINATION "${CMAKE_INSTALL_DATADIR}/alula/data")

install(EXPORT alula NAMESPACE alula:: FILE alula-targets.cmake DESTINATION "${package_dir}")
configure_package_config_file(cmake/alula-config.cmake.in "${PROJECT_BINARY_DIR}/alula-config.cmake"
                              INSTALL_DESTINATION "${package_dir}")
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/alula-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/alula-config.cmake"
              "${PROJECT_BINARY_DIR}/alula-config-version.cmake" DESTINATION "${package_dir}")
