# Checks that a module includes only itself and modules below it.
#
#   cmake -D SOURCE=src/tactus -P cmake/check_layering.cmake
#
# Every include in quotes must name its file from src/, as in "tactus/model/task.hpp": a relative path could
# slip past this check. A source includes its own header first, so that the header is compiled as a user sees it.
# Headers of the library include nothing that its users need not have. JSON is named only by the headers json.hpp and
# *_json.hpp, which declare what writes it and are for sources to include.

cmake_minimum_required(VERSION 3.25)

# From top to bottom. A module may include those that come after it. `face` are the headers that users include
# (Faces.cmake): no module includes them.
include(${CMAKE_CURRENT_LIST_DIR}/Faces.cmake)
set(modules cli face report import sweep falsify plan cuda measure runtime machine sim device sched generate analysis trace io model base)

if(NOT IS_DIRECTORY "${SOURCE}")
  message(FATAL_ERROR "SOURCE must name the folder that holds the modules, not '${SOURCE}'")
endif()
get_filename_component(SOURCE "${SOURCE}" ABSOLUTE)

set(problems 0)

# Says where `text` stands in `file`.
function(report file text message)
  file(READ "${file}" content)
  string(FIND "${content}" "${text}" position)
  string(SUBSTRING "${content}" 0 ${position} before)
  string(REGEX REPLACE "[^\n]" "" newlines "${before}")
  string(LENGTH "${newlines}" line)
  math(EXPR line "${line} + 1")
  message("${file}:${line}: ${message}")
  math(EXPR problems "${problems} + 1")
  set(problems ${problems} PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE sources LIST_DIRECTORIES false
  "${SOURCE}/*.cpp" "${SOURCE}/*.hpp" "${SOURCE}/*.cu" "${SOURCE}/*.cuh" "${SOURCE}/*.h")
if(NOT sources)
  message(FATAL_ERROR "${SOURCE} holds no sources: nothing was checked")
endif()

foreach(file IN LISTS sources)
  file(RELATIVE_PATH path "${SOURCE}" "${file}")
  string(REGEX MATCH "^[^/]+" module "${path}")
  if(path IN_LIST tactus_faces OR path IN_LIST tactus_sweep_faces)
    set(module face)
  endif()
  list(FIND modules "${module}" layer)
  if(layer EQUAL -1)
    report("${file}" "" "'${module}' is not a known module: add it to the list in check_layering.cmake")
    continue()
  endif()

  file(STRINGS "${file}" includes REGEX "^[ \t]*#[ \t]*include[ \t]*(\"|<tactus/)")
  foreach(include IN LISTS includes)
    if(include MATCHES "[\"<]tactus/([^/\">]+)[\">]")
      report("${file}" "${include}" "headers directly in tactus/ are for users: include those of the module")
      continue()
    elseif(NOT include MATCHES "[\"<]tactus/([^/\">]+)/")
      report("${file}" "${include}" "write the path from src/: \"tactus/${module}/...\"")
      continue()
    endif()
    set(included ${CMAKE_MATCH_1})
    list(FIND modules "${included}" included_layer)
    if(included_layer EQUAL -1)
      report("${file}" "${include}" "includes the unknown module '${included}'")
    elseif(included_layer LESS layer)
      report("${file}" "${include}" "'${module}' must not include '${included}', which lies above it")
    endif()
  endforeach()
endforeach()

foreach(file IN LISTS sources)
  file(RELATIVE_PATH path "${SOURCE}" "${file}")
  if(path MATCHES "[.](hpp|cuh|h)$")
    file(STRINGS "${file}" includes REGEX "^[ \t]*#[ \t]*include[ \t]*(<nlohmann/|\"tactus/.*[/_]json[.]hpp)")
    if(path MATCHES "[/_]json[.]hpp$")
      list(REMOVE_ITEM includes "#include <nlohmann/json_fwd.hpp>")
    endif()
    foreach(include IN LISTS includes)
      report("${file}" "${include}" "JSON is for sources: declare what writes it in a header json.hpp, with json_fwd.hpp")
    endforeach()
  endif()
  if(path MATCHES "[.]cpp$")
    string(REGEX REPLACE "cpp$" "hpp" header "${path}")
    file(STRINGS "${file}" includes REGEX "^[ \t]*#[ \t]*include" LIMIT_COUNT 1)
    if(EXISTS "${SOURCE}/${header}" AND NOT includes MATCHES "\"tactus/${header}\"")
      report("${file}" "" "include \"tactus/${header}\" first")
    endif()
  elseif(path MATCHES "[.]hpp$" AND NOT path MATCHES "^(cli|cuda|device/cuda)/")
    file(STRINGS "${file}" includes REGEX "^[ \t]*#[ \t]*include[ \t]*<(fmt|yaml-cpp|CLI|mpi|pugixml|zip|cuda)")
    foreach(include IN LISTS includes)
      report("${file}" "${include}" "a header of the library must not need this: include it in the source")
    endforeach()
  endif()
endforeach()

list(LENGTH sources count)
if(problems GREATER 0)
  message(FATAL_ERROR "${problems} broken layering rules in ${count} files")
endif()
message("${count} files keep the layers")
