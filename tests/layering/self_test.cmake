# Shows that check_layering.cmake accepts a good tree and refuses each kind of bad one, by file and line.
#
#   cmake -D CHECK=cmake/check_layering.cmake -D SCRATCH=folder -P self_test.cmake

# expect(NAME FILE CONTENT WANTED): WANTED is "accepted", or a piece of the message of the refusal.
function(expect name file content wanted)
  set(tree ${SCRATCH}/${name})
  file(REMOVE_RECURSE ${tree})
  file(WRITE ${tree}/base/time.hpp "#include <chrono>\n")
  file(WRITE ${tree}/model/task.hpp "#include \"tactus/base/time.hpp\"\n")
  file(WRITE ${tree}/${file} "${content}")
  execute_process(COMMAND ${CMAKE_COMMAND} -D SOURCE=${tree} -P ${CHECK}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(wanted STREQUAL accepted)
    if(NOT status EQUAL 0)
      message(SEND_ERROR "${name}: a good tree was refused:\n${output}")
    endif()
  elseif(status EQUAL 0)
    message(SEND_ERROR "${name}: a bad tree was accepted:\n${output}")
  else()
    string(FIND "${output}" "${wanted}" position)
    if(position EQUAL -1)
      message(SEND_ERROR "${name}: the refusal does not say '${wanted}':\n${output}")
    endif()
  endif()
endfunction()

expect(downward sim/engine.cpp "#include \"tactus/sim/engine.hpp\"\n#include \"tactus/model/task.hpp\"\n" accepted)
expect(nested device/rules/blocks.cpp "#include \"tactus/device/sim/gpu.hpp\"\n#include <vector>\n" accepted)
expect(upward model/task.cpp "// why; [a comment]\n\n#include \"tactus/base/time.hpp\"\n#include \"tactus/sim/engine.hpp\"\n"
  "model/task.cpp:4: 'model' must not include 'sim'")
expect(upward_angles base/text.cpp "#  include <tactus/model/task.hpp>\n" "base/text.cpp:1: 'base' must not include 'model'")
expect(upward_header model/segment.hpp "#pragma once\n#include \"tactus/io/system_file.hpp\"\n"
  "model/segment.hpp:2: 'model' must not include 'io'")
expect(upward_cuda device/cuda/query.cu "#include \"tactus/sim/engine.hpp\"\n" "device/cuda/query.cu:1: 'device' must not include 'sim'")
expect(unknown_module banana/peel.cpp "#include \"tactus/base/time.hpp\"\n" "banana/peel.cpp:1: 'banana' is not a known module")
expect(unknown_include sim/engine.cpp "\n#include \"tactus/banana/peel.hpp\"\n" "sim/engine.cpp:2: includes the unknown module 'banana'")
expect(no_module version.hpp "#pragma once\n" "version.hpp:1: 'version.hpp' is not a known module")
expect(face check.hpp "#pragma once\n#include \"tactus/io/system_file.hpp\"\n#include \"tactus/falsify/falsify.hpp\"\n" accepted)
expect(upward_face check.hpp "#pragma once\n#include \"tactus/cli/verb.hpp\"\n" "check.hpp:2: 'face' must not include 'cli'")
expect(face_inside model/task.cpp "#include \"tactus/check.hpp\"\n" "model/task.cpp:1: headers directly in tactus/ are for users")
expect(relative model/task.cpp "#include \"../sim/engine.hpp\"\n" "model/task.cpp:1: write the path from src/")
expect(own_header_late model/task.cpp "#include <vector>\n#include \"tactus/model/task.hpp\"\n"
  "include \"tactus/model/task.hpp\" first")
expect(own_header_first model/task.cpp "// why\n#include \"tactus/model/task.hpp\"\n\n#include <vector>\n" accepted)
expect(foreign_header model/segment.hpp "#pragma once\n#include <fmt/format.h>\n"
  "model/segment.hpp:2: a header of the library must not need this")
expect(json_header model/json.hpp "#pragma once\n#include <nlohmann/json_fwd.hpp>\n" accepted)
expect(json_source model/task.cpp "#include \"tactus/model/task.hpp\"\n#include <nlohmann/json.hpp>\n" accepted)
expect(json_in_header model/segment.hpp "#pragma once\n#include <nlohmann/json_fwd.hpp>\n"
  "model/segment.hpp:2: JSON is for sources")
expect(all_of_json_in_header model/json.hpp "#pragma once\n#include <nlohmann/json.hpp>\n"
  "model/json.hpp:2: JSON is for sources")
expect(json_header_in_header model/segment.hpp "#pragma once\n#include \"tactus/model/json.hpp\"\n"
  "model/segment.hpp:2: JSON is for sources")

# An empty tree must not pass as a good one.
file(MAKE_DIRECTORY ${SCRATCH}/empty)
execute_process(COMMAND ${CMAKE_COMMAND} -D SOURCE=${SCRATCH}/empty -P ${CHECK}
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(status EQUAL 0)
  message(SEND_ERROR "empty: a tree without sources was accepted")
endif()
