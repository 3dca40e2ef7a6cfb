# Writes a C++ file with a hash of all sources that decide the numbers of a sweep.
#
#   cmake -D SOURCE=src/tactus -D "MODULES=base;model" -D OUTPUT=source_hash.cpp -P cmake/write_source_hash.cmake
include(${CMAKE_CURRENT_LIST_DIR}/SourceText.cmake)

set(texts "")
foreach(module IN LISTS MODULES)
  file(GLOB_RECURSE files RELATIVE "${SOURCE}" "${SOURCE}/${module}/*.cpp" "${SOURCE}/${module}/*.hpp")
  list(FILTER files EXCLUDE REGEX "^(device/(host|cuda)/|trace/(perfetto|json|relay))")  # no simulation uses them
  list(SORT files)
  foreach(file IN LISTS files)
    file(READ "${SOURCE}/${file}" text)
    tactus_strip_comments("${text}" text)  # a comment decides nothing
    string(REGEX REPLACE "\n\n+" "\n" text "${text}")
    string(STRIP "${text}" text)
    string(SHA256 hash "${text}")
    string(APPEND texts "${file} ${hash}\n")
  endforeach()
endforeach()
if(texts STREQUAL "")
  message(FATAL_ERROR "${SOURCE} holds no sources: there is nothing to hash")
endif()
string(SHA256 hash "${texts}")
string(SUBSTRING "${hash}" 0 16 hash)
file(WRITE "${OUTPUT}" "#include \"tactus/sweep/source_hash.hpp\"

namespace tactus::sweep {

std::string_view source_hash() { return \"${hash}\"; }

}  // namespace tactus::sweep
")
