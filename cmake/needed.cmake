# alula_need(<package> <Debian's name>) finds a package that Alula cannot do without; alula_check_needs()
# then stops with one message if some were not found.

set(ALULA_MISSING "")

macro(alula_need package debian_name)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND ALULA_MISSING ${debian_name})
  endif()
endmacro()

function(alula_check_needs)
  if(ALULA_MISSING)
    list(JOIN ALULA_MISSING " " names)
    message(FATAL_ERROR "Alula needs packages that this machine lacks. Run `make setup` in the source folder, or: "
                        "apt-get install ${names}")
  endif()
endfunction()
