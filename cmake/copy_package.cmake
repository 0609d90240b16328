# cmake -DFROM=source -DTO=build -P copy_package.cmake: copies a Python package, and takes away modules that it
# no longer has, which Python would still find.
file(GLOB_RECURSE copied RELATIVE "${TO}" "${TO}/*.py")
foreach(module IN LISTS copied)
  if(NOT EXISTS "${FROM}/${module}")
    file(REMOVE "${TO}/${module}")
  endif()
endforeach()
file(COPY "${FROM}/" DESTINATION "${TO}" PATTERN __pycache__ EXCLUDE)
