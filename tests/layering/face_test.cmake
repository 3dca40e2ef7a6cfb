# Shows that check_faces.cmake refuses a header that is not documented, not tried, not listed or not for users.
#
#   cmake -D ROOT=repository -D SCRATCH=folder -P face_test.cmake

# expect(NAME FILE FROM TO WANTED [MORE...]): in a copy of the tree FROM in FILE becomes TO, and there are MORE headers;
# WANTED is a piece of the refusal.
function(expect name file from to wanted)
  set(tree ${SCRATCH}/${name})
  file(REMOVE_RECURSE ${tree})
  file(COPY ${ROOT}/README.md ${ROOT}/docs ${ROOT}/examples DESTINATION ${tree})
  file(COPY ${ROOT}/tests/package DESTINATION ${tree}/tests)
  file(GLOB headers ${ROOT}/src/tactus/*.hpp)
  file(COPY ${headers} ${ROOT}/src/tactus/cuda DESTINATION ${tree}/src/tactus)
  file(READ ${tree}/${file} text)
  string(REPLACE "${from}" "${to}" text "${text}")
  file(WRITE ${tree}/${file} "${text}")
  foreach(more IN LISTS ARGN)
    file(WRITE ${tree}/${more} "#pragma once\n")
  endforeach()
  execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${tree} -P ${ROOT}/cmake/check_faces.cmake
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(FIND "${output}" "${wanted}" position)
  if(status EQUAL 0 OR position EQUAL -1)
    message(SEND_ERROR "${name}: the refusal does not say '${wanted}':\n${output}")
  endif()
  file(REMOVE_RECURSE ${tree})
endfunction()

expect(undocumented docs/api.md "| `tactus/plan.hpp` |" "| `tactus/plans.hpp` |" "docs/api.md has no row for tactus/plan.hpp")
expect(untried tests/package/consumer/main.cpp "#include <tactus/plan.hpp>" "" "consumer does not include tactus/plan.hpp")
expect(inside_in_consumer tests/package/consumer/main.cpp "<tactus/plan.hpp>" "<tactus/plan/plan.hpp>"
  "includes tactus/plan/plan.hpp, which is not for users")
expect(inside_in_example examples/runtime/main.cpp "<tactus/runtime.hpp>" "<tactus/runtime/runtime.hpp>"
  "includes tactus/runtime/runtime.hpp, which is not for users")
expect(inside_in_page docs/runtime.md "<tactus/trace.hpp>" "<tactus/trace/perfetto.hpp>"
  "includes tactus/trace/perfetto.hpp, which is not for users")
expect(unlisted README.md "Tactus" "Tactus" "src/tactus/banana.hpp is not in cmake/Faces.cmake" src/tactus/banana.hpp)
