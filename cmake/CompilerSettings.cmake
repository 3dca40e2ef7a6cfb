# One place for the language level, warnings, sanitizers and the compiler cache.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(TACTUS_CCACHE ccache)
if(TACTUS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache stores compilations with precompiled headers only when told that their macros may be trusted.
  # Paths inside the sources are made relative, so that other build folders and other clones find the same objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_ABSSTDERR=1 ${TACTUS_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${TACTUS_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()

# Position-independent code is for programs that put the library into a shared one. Nobody replaces single functions of
# it, so calls may still be inlined.
add_compile_options($<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-fno-semantic-interposition>)

# Warnings concern our own targets only, so they are an interface those link privately.
add_library(tactus_settings INTERFACE)
target_compile_options(tactus_settings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough>)
# nvcc's own output is not pedantic C++, and it wraps what the host compiler sees: fewer warnings there.
target_compile_options(tactus_settings INTERFACE
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow,-Wconversion,-Wimplicit-fallthrough>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # gcc 12 reports overlapping copies and overruns inside operator+ of std::string that cannot happen (gcc bugs 105329
  # and 105651).
  set(unfounded -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
  target_compile_options(tactus_settings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${unfounded}>")
  list(JOIN unfounded "," unfounded)
  target_compile_options(tactus_settings INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${unfounded}>)
endif()
if(TACTUS_WARNINGS_AS_ERRORS)
  target_compile_options(tactus_settings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror>)
endif()

# Headers that nearly every source includes, compiled once for a target. Not more: what a header instantiates or
# defines is emitted again by every source that has it.
set(tactus_common_headers <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <optional> <span> <string>
  <string_view> <tuple> <utility> <variant> <vector>)

if(TACTUS_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # lets the fuzzer see which of our code an input reaches
endif()

if(TACTUS_SANITIZE)
  add_compile_options(-fsanitize=${TACTUS_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TACTUS_SANITIZE})
  if(TACTUS_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
    # Checks of every access through a pointer (null, aligned, of its class) take half of the time of a build. A null
    # pointer ends the program anyway; all three stay where the fuzzer runs.
    if(NOT TACTUS_FUZZ)
      add_compile_options(-fno-sanitize=null,alignment,vptr)
    endif()
  endif()
  # The sanitizers' instrumentation makes gcc see uninitialised values and overruns that are not there.
  target_compile_options(tactus_settings INTERFACE
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow>")
endif()
