# alula_sources(<variable> <folder> [PATTERN <glob>...] [EXCLUDE <regex>...])
#
# Sets <variable> to the files under <folder>, at any depth, that match a pattern (*.cpp unless one is
# given) and none of the regular expressions, which see the path from the repository's root. A new
# file is noticed at the next build.
function(alula_sources variable folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "PATTERN;EXCLUDE")
  if(NOT arg_PATTERN)
    set(arg_PATTERN "*.cpp")
  endif()
  list(TRANSFORM arg_PATTERN PREPEND "${PROJECT_SOURCE_DIR}/${folder}/")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ${arg_PATTERN})
  foreach(regex IN LISTS arg_EXCLUDE)
    list(FILTER files EXCLUDE REGEX "${regex}")
  endforeach()
  list(SORT files)
  set(${variable} ${files} PARENT_SCOPE)
endfunction()
