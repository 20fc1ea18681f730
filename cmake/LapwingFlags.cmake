# Compiler flags: what results depend on is public (design section 6), the rest is private.

# Every target that computes model state must have these, or rims of zones differ in the last bit from interiors
# (contraction), and square roots do not vectorise (math-errno). Never -ffast-math.
set(lapwing_numeric_flags -ffp-contract=off -fno-math-errno)

add_library(lapwing_private_flags INTERFACE)
# Not -Wsign-conversion: axes and numbers are int, subscripts of std containers are not, and casts would hide the code.
# Structs of the C interface are initialised by the names of some members, and the others are zero.
if(LAPWING_WARNINGS_AS_ERRORS)
  target_compile_options(
    lapwing_private_flags
    INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wnon-virtual-dtor
              -Wold-style-cast -Woverloaded-virtual -Wnull-dereference -Wimplicit-fallthrough -Wcast-qual -Wno-missing-field-initializers -Werror
  )
else()
  target_compile_options(lapwing_private_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
endif()

if(LAPWING_SANITIZE MATCHES "^fuzzer")
  add_compile_options(-fsanitize=fuzzer-no-link)
  if(LAPWING_SANITIZE STREQUAL "fuzzer-alone")  # what comparisons see takes half of the time
    add_compile_options(-fno-sanitize-coverage=trace-cmp)
  endif()
endif()
if(LAPWING_SANITIZE MATCHES "^(address|fuzzer|fuzzer-alone)$")
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  if(NOT LAPWING_SANITIZE STREQUAL "fuzzer-alone")
    # accesses by null pointers and past an object are seen by the address sanitizer: to look twice takes a third of the
    # compiling
    set(sanitizers
        -fsanitize=address,undefined -fno-sanitize-recover=undefined
        -fno-sanitize=null,nonnull-attribute,returns-nonnull-attribute,object-size,pointer-overflow,vptr
    )
  endif()
elseif(LAPWING_SANITIZE STREQUAL "thread")
  set(sanitizers -fsanitize=thread)
elseif(LAPWING_SANITIZE)
  message(FATAL_ERROR "LAPWING_SANITIZE: got ${LAPWING_SANITIZE}; expected OFF, address, fuzzer, fuzzer-alone or thread")
endif()
if(LAPWING_SANITIZE)
  add_compile_options(${sanitizers} -fno-omit-frame-pointer)
  add_link_options(${sanitizers})
endif()
