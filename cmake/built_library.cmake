# The library of a build folder that is there already, as the target `alula`: what stands on it can then be
# built in another way than the rest of that folder.

add_library(alula SHARED IMPORTED)
set_target_properties(alula PROPERTIES IMPORTED_LOCATION "${ALULA_BUILT}/lib/libalula.so"
                                       INTERFACE_COMPILE_FEATURES cxx_std_20)
target_include_directories(alula INTERFACE "${PROJECT_SOURCE_DIR}" "${ALULA_BUILT}/generated")
target_link_libraries(alula INTERFACE fmt::fmt)
