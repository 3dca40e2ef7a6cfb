# Shows that check_strategy_names.cmake finds the names that sched/ gives, in string literals, and nowhere else.
#
#   cmake -D CHECK=cmake/check_strategy_names.cmake -D SCRATCH=folder -P strategy_names_test.cmake

# expect(NAME FILE CONTENT WANTED): WANTED is "accepted", or a piece of the message of the refusal.
function(expect name file content wanted)
  set(tree ${SCRATCH}/${name})
  file(REMOVE_RECURSE ${tree})
  file(WRITE ${tree}/sched/a.cpp "const StrategyEntry a{.facts = {.name = \"take-turns\", .orders = any}};\n")
  file(WRITE ${tree}/sched/b.cpp "const StrategyEntry b{\n    .facts = {.name = \"owned\",\n")
  file(WRITE ${tree}/sched/c.cpp "const StrategyEntry c{.facts = {.name = \"graph\", .orders = any}};\n")
  file(WRITE ${tree}/${file} "${content}")
  execute_process(COMMAND ${CMAKE_COMMAND} -D SOURCE=${tree} -P ${CHECK}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(wanted STREQUAL accepted)
    if(NOT status EQUAL 0)
      message(SEND_ERROR "${name}: a good tree was refused:\n${output}")
    endif()
  else()
    string(FIND "${output}" "${wanted}" position)
    if(status EQUAL 0 OR position EQUAL -1)
      message(SEND_ERROR "${name}: not refused with '${wanted}':\n${output}")
    endif()
  endif()
endfunction()

expect(alone plan/a.cpp "if (name == \"owned\") return;\n" "plan/a.cpp: names the strategy owned")
expect(in_a_sentence plan/a.cpp "throw InputError{\"only `take-turns` can; [not] others\"};\n" "names the strategy take-turns")
expect(after_a_newline cli/a.cpp "auto text = \"first\\nowned: second\";\n" "cli/a.cpp: names the strategy owned")
expect(in_a_raw_string cli/a.cpp "auto text = R\"(say \"it\"\n  owned  (so)\n)\";\n" "cli/a.cpp: names the strategy owned")
expect(in_cuda device/cuda/a.cu "auto text = \"owned\";\n" "device/cuda/a.cu: names the strategy owned")
expect(in_a_comment plan/a.cpp "int a;  // as \"owned\" does\n// \"take-turns\"\n" accepted)
expect(in_code plan/a.cpp "if (sms == SmSharing::owned) say(\"no\");\n" accepted)
expect(another_word plan/a.cpp "find(\"owned-necessary\"); open(\"examples/owned/a.yaml\"); say(\"disowned\");\n" accepted)
expect(also_a_key io/a.cpp "read(\"graph\");\n" accepted)
expect(allowed report/glossary.cpp "say(\"owned\");\n" accepted)

# A tree whose strategies are not found must not pass.
file(REMOVE_RECURSE ${SCRATCH}/none)
file(WRITE ${SCRATCH}/none/plan/a.cpp "say(\"owned\");\n")
execute_process(COMMAND ${CMAKE_COMMAND} -D SOURCE=${SCRATCH}/none -P ${CHECK}
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(status EQUAL 0)
  message(SEND_ERROR "none: a tree without strategies was accepted")
endif()
