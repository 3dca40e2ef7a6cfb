# Counts the files that name a strategy outside sched/: what is true of one, others ask its facts.
#
#   cmake -D SOURCE=src/tactus -P cmake/check_strategy_names.cmake
#
# Who may name one: an analysis that is about it, a generator or the adversary that makes systems for it, the texts of
# `tactus init` and of the glossary, and the measurement that needs the simplest one. A new file needs a reason in
# docs/design.md; then it comes to this list.

cmake_minimum_required(VERSION 3.25)

set(allowed
  "^analysis/registry[.]cpp$"
  "^generate/(gpu_jobs|pruda|rtgpu|shared_gpu)[.]cpp$"
  "^falsify/((chain|borderline)_systems[.]cpp|family[.][ch]pp)$"
  "^cli/init[.]cpp$"
  "^report/glossary[.]cpp$"
  "^measure/measure_overheads[.]cpp$")

get_filename_component(SOURCE "${SOURCE}" ABSOLUTE)
file(GLOB_RECURSE sources LIST_DIRECTORIES false
  "${SOURCE}/*.cpp" "${SOURCE}/*.hpp" "${SOURCE}/*.cu" "${SOURCE}/*.cuh")
if(NOT sources)
  message(FATAL_ERROR "${SOURCE} holds no sources: nothing was checked")
endif()
set(named 0)
set(problems 0)
foreach(file IN LISTS sources)
  file(RELATIVE_PATH path "${SOURCE}" "${file}")
  if(path MATCHES "^sched/")
    continue()
  endif()
  file(STRINGS "${file}" lines REGEX "\"(as-submitted|single-stream|multi-stream|sm-cores|federated)\"")
  if(NOT lines)
    continue()
  endif()
  math(EXPR named "${named} + 1")
  set(may_name_one FALSE)
  foreach(pattern IN LISTS allowed)
    if(path MATCHES "${pattern}")
      set(may_name_one TRUE)
    endif()
  endforeach()
  if(NOT may_name_one)
    message("${file}: names a strategy; ask `system.policy.strategy` for what is true of it")
    math(EXPR problems "${problems} + 1")
  endif()
endforeach()
if(problems GREATER 0)
  message(FATAL_ERROR "${problems} files name a strategy and should not")
endif()
message("${named} files outside sched/ name a strategy, each for a reason")
