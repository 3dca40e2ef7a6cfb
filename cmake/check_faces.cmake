# Checks that the headers for users (Faces.cmake) are what the pages and the consumer of tests/package say.
#
#   cmake -D ROOT=repository -P cmake/check_faces.cmake
#
# Each is there, docs/api.md has a row for it, and the consumer includes it. The consumer, the pages and the examples
# include no other header, and none lies beside them.

cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/Faces.cmake)

set(problems 0)
macro(problem text)
  message("${text}")
  math(EXPR problems "${problems} + 1")
endmacro()

# included_by(OUT FILE...): which headers of Tactus these files include, from tactus/.
function(included_by out)
  set(all "")
  foreach(file IN LISTS ARGN)
    file(STRINGS ${file} lines REGEX "#include [<\"]tactus/")
    list(TRANSFORM lines REPLACE "^.*#include [<\"]tactus/([^>\"]*)[>\"].*$" "\\1")
    list(APPEND all ${lines})
  endforeach()
  list(REMOVE_DUPLICATES all)
  set(${out} ${all} PARENT_SCOPE)
endfunction()

file(GLOB beside RELATIVE ${ROOT}/src/tactus ${ROOT}/src/tactus/*.hpp)
foreach(header IN LISTS beside)
  if(NOT header IN_LIST tactus_all_faces)
    problem("src/tactus/${header} is not in cmake/Faces.cmake: a header of a module lies in its folder")
  endif()
endforeach()

file(GLOB consumer ${ROOT}/tests/package/consumer/*.cpp ${ROOT}/tests/package/consumer/*.cu)
included_by(consumed ${consumer})
file(STRINGS ${ROOT}/docs/api.md rows REGEX "^[|] ")
foreach(face IN LISTS tactus_all_faces)
  if(NOT EXISTS ${ROOT}/src/tactus/${face})
    problem("src/tactus/${face} is not there")
  endif()
  if(NOT face IN_LIST consumed)
    problem("tests/package/consumer does not include tactus/${face}")
  endif()
  string(FIND "${rows}" "| `tactus/${face}` |" position)
  if(position EQUAL -1)
    problem("docs/api.md has no row for tactus/${face}")
  endif()
endforeach()

file(GLOB_RECURSE pages ${ROOT}/docs/*.md ${ROOT}/examples/*.cpp ${ROOT}/examples/*.hpp ${ROOT}/examples/*.cu)
foreach(file IN LISTS consumer pages ITEMS ${ROOT}/README.md)
  included_by(headers ${file})
  foreach(header IN LISTS headers)
    if(NOT header IN_LIST tactus_all_faces)
      problem("${file} includes tactus/${header}, which is not for users")
    endif()
  endforeach()
endforeach()

list(LENGTH tactus_all_faces count)
if(problems GREATER 0)
  message(FATAL_ERROR "${problems} problems with ${count} headers for users")
endif()
message("${count} headers for users are documented and tried")
