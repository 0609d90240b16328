# Sets ALULA_HAS_XBYAK: whether scalar programs can be compiled to machine code. Without Xbyak (a header only), or
# on CPUs other than x86-64, they are interpreted.

include(CheckIncludeFileCXX)
include(CheckCXXSourceCompiles)

check_include_file_cxx(xbyak/xbyak.h ALULA_FOUND_XBYAK)
check_cxx_source_compiles("
#if !defined(__x86_64__) || !defined(__unix__)
#error not x86-64
#endif
int main() {}
" ALULA_IS_X86_64)
if(ALULA_FOUND_XBYAK AND ALULA_IS_X86_64)
  set(ALULA_HAS_XBYAK TRUE)
else()
  set(ALULA_HAS_XBYAK FALSE)
endif()
