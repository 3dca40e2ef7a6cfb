#include "tactus/report/problem_help.hpp"

#include <array>

namespace tactus::report {

namespace {

constexpr std::array<ProblemHelp, problem_names.size()> helps{{
    {ProblemId::unreadable_file, "a file that cannot be read",
     "The file does not exist, is a folder, may not be read, or is far too large.",
     "tactus check no-such-file.yaml", "Check the path and its permissions. `-` reads standard input."},
    {ProblemId::bad_text, "bytes that are not plain text",
     "System files are UTF-8 text. This one holds a byte that is not, a control character, an invisible "
     "character, or a carriage return alone.",
     "tactus: 1\nname: \"caf\xe9\"\nplatform: jetson-tx2\ntasks: [{name: a, period: 10ms, exclusive: 1ms}]\n",
     "Save the file as UTF-8, with lines that end in LF or CR LF."},
    {ProblemId::bad_yaml, "text that is not YAML",
     "The file has no readable structure: a bracket or a quote that does not end, a tab that indents, a key "
     "in the wrong column, a tag. Other problems are found only after this one is fixed.",
     "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: a, period: 10ms, exclusive: 1ms}\n",
     "Look at the marked position and at the line above it. A value that holds `: ` or begins with a special "
     "character needs quotes."},
    {ProblemId::bad_xml, "text that is not XML",
     "A model to import is not well-formed XML, or it declares a document type or entities, which models do "
     "not need and hostile files use.",
     "tactus import broken.amxmi",
     "Look at the marked position. Write the model anew with the tool that made it."},
    {ProblemId::too_large, "a file beyond the limits",
     "Files have limits, so that a hostile one cannot use up time or memory: 64 MiB of text, 64 levels of "
     "nesting, and a number of values that grows with the text.",
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
     "Write the file with less nesting and fewer aliases of large values."},
    {ProblemId::empty_file, "a file without values", "The file is empty, or holds nothing but comments.",
     "# to be written\n", "Begin with `tactus: 1`, a `platform` and `tasks`."},
    {ProblemId::duplicate_key, "a key that is given twice",
     "A map has each key once; with two values it is not clear which one is meant.",
     "tactus: 1\nplatform: jetson-tx2\nplatform: h200\n"
     "tasks: [{name: a, period: 10ms, exclusive: 1ms}]\n",
     "Keep one of them."},
    {ProblemId::wrong_file, "another kind of file",
     "A system file (`tactus: 1`) was expected and this is an experiment (`tactus-experiment: 1`), or the "
     "other way round.",
     "tactus-experiment: 1\nname: figure\n",
     "`tactus sweep` and `tactus generate` read experiments; the other verbs read system files."},
    {ProblemId::no_system_files, "a folder without system files",
     "`tactus check FOLDER` looks for *.yaml, *.yml and *.amxmi in the folder and the folders below it, and "
     "found neither a system file nor a model. Hidden files and folders are left out, and links to folders "
     "are not "
     "followed.",
     "tactus check an-empty-folder", "Name the folder that holds the system files, or the files."},
    {ProblemId::unknown_version, "a version of the format that is not known",
     "The number after `tactus` (or `tactus-experiment`) is the version of the file format, not of the "
     "program.",
     "tactus: 2\nplatform: jetson-tx2\ntasks: [{name: a, period: 10ms, exclusive: 1ms}]\n",
     "Write `tactus: 1`."},
    {ProblemId::unknown_key, "a key that means nothing here",
     "Unknown keys are errors: a misspelt key would silently change the answer.",
     "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: a, perod: 10ms, exclusive: 1ms}]\n",
     "Fix the spelling, or move the key into the map where it belongs. docs/format.md lists all keys."},
    {ProblemId::missing_key, "a required key is missing",
     "A required key, or one of several of which one is required, such as the work of a task.",
     "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: a, exclusive: 1ms}]\n",
     "Add it; the hint shows an example."},
    {ProblemId::conflicting_keys, "keys that exclude each other",
     "Two keys say the same thing in different ways, or one of them has no meaning beside the other: a "
     "`period` and a `rate`, two kinds of work, a deadline of a best-effort task, an order that the strategy "
     "does not take.",
     "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: a, period: 10ms, rate: 100Hz, exclusive: 1ms}]\n",
     "Keep one of them."},
    {ProblemId::wrong_shape, "a list, a map or a single value in the wrong place",
     "The value has another shape than its key requires: a list in place of a map, text in quotes in place "
     "of a number, three items in place of two.",
     "tactus: 1\nplatform: jetson-tx2\ntasks: {name: a, period: 10ms, exclusive: 1ms}\n",
     "Write it as the hint shows. Items of a list begin with `- ` or stand in [ ]."},
    {ProblemId::missing_unit, "a number without its unit",
     "Durations, sizes, bandwidths and rates always have a unit, so that milliseconds are never mistaken for "
     "microseconds. Only 0 needs none.",
     "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: a, period: 10, exclusive: 1ms}]\n",
     "Write the unit directly after the number: 10ms, 64KiB, 12GB/s, 30Hz."},
    {ProblemId::unknown_unit, "a unit that is not known",
     "The unit is misspelt, or belongs to another kind of value.",
     "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: a, period: 10msec, exclusive: 1ms}]\n",
     "Use one of the units that the hint lists."},
    {ProblemId::bad_number, "a number that cannot be read",
     "Numbers are plain decimals: no exponent, no separators, no expression, and no finer than a nanosecond "
     "or a byte. Nothing is rounded silently.",
     "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: a, period: 1.5ns, exclusive: 1ns}]\n",
     "Write the digits out, as the hint shows."},
    {ProblemId::out_of_range, "a number that is too small or too large",
     "The value lies outside what its key allows, what the platform has, or what 64 bits hold.",
     "tactus: 1\nplatform: {gpu: {sms: 0}}\ntasks: [{name: a, period: 10ms, exclusive: 1ms}]\n",
     "The hint names the range."},
    {ProblemId::unknown_word, "an unknown word",
     "The key takes one of a few words: a strategy, an order, an arrival, the name of a platform.",
     "tactus: 1\nplatform: jetson-tx3\ntasks: [{name: a, period: 10ms, exclusive: 1ms}]\n",
     "Use one of those that the hint lists. `tactus platforms` shows the platforms, `tactus explain WORD` "
     "explains strategies and other words."},
    {ProblemId::bad_name, "a name that cannot be used",
     "Names have 1 to 200 characters, none of them a control character.",
     "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: \"\", period: 10ms, exclusive: 1ms}]\n",
     "Use a short name that can be printed."},
    {ProblemId::duplicate_name, "two of the same name",
     "Tasks of a system, and nodes of a graph, have unique names, to which results and other keys refer.",
     "tactus: 1\nplatform: jetson-tx2\n"
     "tasks: [{name: a, period: 10ms, exclusive: 1ms}, {name: a, period: 20ms, exclusive: 1ms}]\n",
     "Give each its own name."},
    {ProblemId::unknown_name, "an unknown name",
     "`virtual_sms` names a task, or an edge names a node, that is not there.",
     "tactus: 1\nplatform: jetson-tx2\ntasks:\n  - name: a\n    period: 10ms\n"
     "    graph: {nodes: {n: {cpu: 1ms}, m: {cpu: 1ms}}, edges: [[n, k]]}\n",
     "Fix the spelling, or add the task or node."},
    {ProblemId::best_above_worst, "a best case that is longer than the worst case",
     "A time that varies is written [best, worst].",
     "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: a, period: 10ms, exclusive: [3ms, 2ms]}]\n",
     "Exchange the two."},
    {ProblemId::invalid_value, "a value that a rule of the model forbids",
     "The value can be read, but contradicts the rest of the file, for instance a best-effort task that may "
     "take no time and would repeat for ever at one instant.",
     "tactus: 1\nplatform: jetson-tx2\n"
     "tasks: [{name: a, arrival: best-effort, exclusive: [0ms, 1ms]}]\n",
     "The message says which rule, the hint what to do."},
    {ProblemId::block_too_large, "a block that never fits an SM",
     "A block of a kernel needs more threads, shared memory or registers than a whole SM of the platform "
     "has, or more than the 1024 threads that CUDA launches. Such a kernel would never start.",
     "tactus: 1\nplatform: jetson-tx2\n"
     "tasks: [{name: a, period: 10ms, kernel: {grid: 4, block: 32, block_time: 1ms, shared_memory: 1MiB}}]\n",
     "Use smaller blocks and more of them, or another platform."},
    {ProblemId::bad_window, "reservations that do not fit their period",
     "Under `sm-cores` the windows `local` and `all` repeat with a period. Each ends within it, and they do "
     "not overlap.",
     "tactus: 1\nplatform: jetson-tx2\npolicy:\n  strategy: sm-cores\n"
     "  reservations: {period: 10ms, local: {budget: 8ms}, all: {offset: 6ms, budget: 4ms}}\n"
     "tasks: [{name: a, sm: 0, period: 10ms, exclusive: 1ms}]\n",
     "Shorten a window or move it. `tactus plan FILE` finds windows by itself."},
    {ProblemId::bad_virtual_sms, "virtual SMs that cannot be assigned",
     "Under `federated` every task with GPU work owns whole SMs, counted in virtual SMs: multiples of the "
     "GPU's `virtual_sms_per_sm`, no more together than there are.",
     "tactus: 1\nplatform: jetson-tx2\npolicy: {strategy: federated, virtual_sms: {a: 3}}\n"
     "tasks: [{name: a, period: 10ms, segments: [{gpu: {work: 1ms}}]}]\n",
     "Write a multiple, or leave `virtual_sms` out and let `tactus plan FILE` find them."},
    {ProblemId::bad_graph, "impossible edges",
     "The edges of a graph form a cycle, join a node with itself, or are given twice.",
     "tactus: 1\nplatform: jetson-tx2\ntasks:\n  - name: a\n    period: 10ms\n"
     "    graph: {nodes: {n: {cpu: 1ms}, m: {cpu: 1ms}}, edges: [[n, m], [m, n]]}\n",
     "Remove one of the edges that the message names."},
    {ProblemId::bad_script, "scripted jobs that the task cannot do",
     "`jobs` says what the first jobs of a task do in the simulator, within what the task allows: releases a "
     "period apart, delays within the overheads, times within the ranges.",
     "tactus: 1\nplatform: jetson-tx2\n"
     "tasks: [{name: a, arrival: sporadic, period: 10ms, exclusive: 1ms, jobs: [{time: 1ms}]}]\n",
     "Change the script, or what the task allows."},
    {ProblemId::missing_bandwidth, "copies in bytes without a bandwidth",
     "The time of a copy in bytes follows from the platform's `copy_bandwidth`, and the platform has none.",
     "tactus: 1\nplatform: jetson-tx2\n"
     "tasks: [{name: a, period: 10ms, segments: [{copy: {bytes: 1MiB}}, {exclusive: 1ms}]}]\n",
     "Add it: `platform: {base: jetson-tx2, gpu: {copy_bandwidth: 12GB/s}}`; or give the copy a time."},
    {ProblemId::needs_plan, "missing parameters",
     "The file leaves parameters open: `reservations` or the core of a task (`sm-cores`), `virtual_sms` "
     "(`federated`), a CPU core (`core: any`), variants of work (`either`). `check`, `sim` and `run` need "
     "them.",
     "tactus: 1\nplatform: jetson-tx2\npolicy: {strategy: federated}\n"
     "tasks: [{name: a, period: 10ms, segments: [{gpu: {work: 1ms}}]}]\n",
     "`tactus plan FILE -o planned.yaml` finds them and writes a complete file."},
    {ProblemId::incomplete_model, "a model that leaves times open",
     "A model to import lacks something without which times are not known: ticks for a processing unit that "
     "must execute them, an upper bound, a frequency, a period.",
     "tactus import without-frequencies.amxmi",
     "Add it to the model, or answer the question with the option that the hint names."},
    {ProblemId::more_problems, "a count of further problems",
     "For a file with very many problems the first 100 are shown, and a last line counts the others.",
     "a file with more than 100 problems", "Fix those above first."},
    {ProblemId::unknown_analysis, "an unknown analysis", "No analysis has this id.",
     "tactus check examples/first.yaml --analysis block-rat",
     "`tactus analyses` lists them, `tactus explain ID` explains one."},
    {ProblemId::not_supported, "something that this engine or device cannot do",
     "The file is valid, but the simulator or the device does not support it.",
     "tactus run a-system-with-strategy-graph.yaml --device host",
     "The message names what is missing. `tactus compare FILE` shows which strategies take the file."},
    {ProblemId::wrong_usage, "wrong usage of the command",
     "An option or a value on the command line is wrong, or options do not go together.",
     "tactus sim examples/first.yaml --for 0s",
     "The message says which; `tactus VERB --help` shows examples."},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < helps.size(); ++i) {
    if (helps.at(i).id != static_cast<ProblemId>(i) || problem_names.at(i).id != static_cast<ProblemId>(i)) {
      return false;
    }
  }
  return true;
}
static_assert(in_order(), "one entry for every id, in the order of the ids");

}  // namespace

std::span<const ProblemHelp> problem_helps() { return helps; }

const ProblemHelp& help_of(ProblemId id) { return helps.at(static_cast<std::size_t>(id)); }

}  // namespace tactus::report
