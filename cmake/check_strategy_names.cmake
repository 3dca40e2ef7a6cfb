# Counts the files that name a strategy outside sched/: what is true of one, others ask its facts.
#
#   cmake -D SOURCE=src/tactus -P cmake/check_strategy_names.cmake
#
# The names are those that sched/ gives its strategies; a file names one if a string literal has it as a word.
# Paths (examples/federated/) and ids of analyses (federated-necessary) are other words. `graph` is left
# out: it is also a key of system files, and a word.
#
# A new file needs a reason in docs/design.md; then it comes to this list.

cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/SourceText.cmake)

set(allowed
  # Analyses that are about one, generators and the adversary that make systems for it.
  "^analysis/registry[.]cpp$"
  "^generate/(gpu_jobs|pruda|rtgpu|shared_gpu)[.]cpp$"
  "^falsify/((chain|borderline)_systems[.]cpp|family[.][ch]pp)$"
  # Texts that explain the strategies or the keys of files that belong to one.
  "^cli/init[.]cpp$"
  "^report/(glossary|problem_help)[.]cpp$"
  "^io/schema[.]cpp$"
  # Examples: in the help of a verb, and in a message that shows how a policy is written.
  "^cli/(check|compare|generate|plan|sweep)[.]cpp$"
  "^(io/read_policy|sweep/read_policies)[.]cpp$"
  # The measurement that needs the simplest one.
  "^measure/measure_overheads[.]cpp$")

get_filename_component(SOURCE "${SOURCE}" ABSOLUTE)
file(GLOB_RECURSE sources LIST_DIRECTORIES false
  "${SOURCE}/*.cpp" "${SOURCE}/*.hpp" "${SOURCE}/*.cu" "${SOURCE}/*.cuh")
if(NOT sources)
  message(FATAL_ERROR "${SOURCE} holds no sources: nothing was checked")
endif()

set(names "")
file(GLOB strategies "${SOURCE}/sched/*.cpp")
foreach(file IN LISTS strategies)
  file(STRINGS "${file}" lines REGEX "[.]name = \"")
  list(FILTER lines EXCLUDE REGEX "[.]name = \"graph\"")
  foreach(line IN LISTS lines)
    if(line MATCHES "[.]name = \"([a-z-]+)\"")
      list(APPEND names "${CMAKE_MATCH_1}")
    endif()
  endforeach()
endforeach()
if(NOT names)
  message(FATAL_ERROR "${SOURCE}/sched names no strategy: nothing was checked")
endif()
list(JOIN names "|" any_name)

set(named 0)
set(problems 0)
foreach(file IN LISTS sources)
  file(RELATIVE_PATH path "${SOURCE}" "${file}")
  if(path MATCHES "^sched/")
    continue()
  endif()
  file(READ "${file}" text)
  if(NOT text MATCHES "${any_name}")
    continue()
  endif()
  tactus_string_literals("${text}" literals)
  string(REPLACE "\\n" " " literals "${literals}")
  if(NOT literals MATCHES "[^a-zA-Z0-9_/-](${any_name})[^a-zA-Z0-9_/-]")
    continue()
  endif()
  set(name ${CMAKE_MATCH_1})
  math(EXPR named "${named} + 1")
  set(may_name_one FALSE)
  foreach(pattern IN LISTS allowed)
    if(path MATCHES "${pattern}")
      set(may_name_one TRUE)
    endif()
  endforeach()
  if(NOT may_name_one)
    message("${file}: names the strategy ${name}; ask `system.policy.strategy` for what is true of it, "
      "or `strategies_text` for those of which something is true")
    math(EXPR problems "${problems} + 1")
  endif()
endforeach()
if(problems GREATER 0)
  message(FATAL_ERROR "${problems} files name a strategy and should not")
endif()
message("${named} files outside sched/ name a strategy, each for a reason")
