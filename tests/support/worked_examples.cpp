#include "support/worked_examples.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "tactus/model/presets.hpp"

namespace tactus::test {

namespace {

Gpu tx2() { return find_preset("jetson-tx2")->gpu; }

/// Two levels of urgency, one copy engine, SMs of 128 threads.
Gpu small(std::int32_t sms) {
  Gpu gpu;
  gpu.sms = sms;
  gpu.threads_per_sm = 128;
  gpu.shared_memory_per_sm = 10;
  gpu.registers_per_sm = 10;
  return gpu;
}

KernelSegment kernel(std::int64_t blocks, std::int64_t block, std::int64_t time) {
  return {.grid = {blocks, 1, 1}, .block = block, .block_time = Interval::exactly(Duration{time})};
}

CopySegment copy(std::int64_t time) {
  return {.time = Interval::exactly(Duration{time}), .bytes = std::nullopt};
}

ExclusiveSegment exclusive(std::int64_t time) { return {.time = Interval::exactly(Duration{time})}; }

Task once(std::string name, std::int64_t release, std::vector<Segment> segments) {
  Task task;
  task.name = std::move(name);
  task.arrival = Arrival::once;
  task.offset = Duration{release};
  task.work.form = segments.size() == 1 && !std::holds_alternative<CopySegment>(segments.front())
                       ? WorkForm::single
                       : WorkForm::chain;
  for (Segment& segment : segments) task.work.nodes.push_back({.name = "", .segment = segment});
  return task;
}

Task periodic(std::string name, std::int64_t period, std::vector<Segment> segments) {
  Task task = once(std::move(name), 0, std::move(segments));
  task.arrival = Arrival::periodic;
  task.period = Duration{period};
  task.deadline = task.period;
  return task;
}

Task best_effort(std::string name, std::vector<Segment> segments) {
  Task task = once(std::move(name), 0, std::move(segments));
  task.arrival = Arrival::best_effort;
  return task;
}

Task in_stream(std::string stream, Task task) {
  task.stream = std::move(stream);
  return task;
}

Task at_priority(std::int32_t priority, Task task) {
  task.stream_priority = priority;
  return task;
}

Task with_longest_block(std::int64_t length, Task task) {
  task.longest_block = Duration{length};
  return task;
}

Task with_deadline(std::int64_t deadline, Task task) {
  task.deadline = Duration{deadline};
  return task;
}

/// Worst case, up to a horizon behind everything the examples do.
Scenario scenario(const Gpu& gpu, std::vector<Task> tasks, std::int64_t horizon = 100) {
  Scenario result;
  result.system.platform.gpu = gpu;
  result.system.tasks = std::move(tasks);
  result.options.horizon = Duration{horizon};
  return result;
}

/// A kernel of the published example: blocks of a quarter SM, so a TX2 holds eight.
Task quarter(std::string name, std::int64_t time, std::int64_t blocks) {
  return once(std::move(name), 0, {kernel(blocks, 512, time)});
}

std::string job_name(const System& system, const trace::JobName& job) {
  std::string name = system.tasks[job.task].name;
  if (job.number > 0) name += "/" + std::to_string(job.number);
  return name;
}

std::string segment_name(const System& system, const trace::JobName& job, std::uint32_t segment) {
  return job_name(system, job) + (segment > 0 ? "." + std::to_string(segment) : "");
}

std::string span(Time start, Time end) {
  return "@" + std::to_string(in_ns(start)) + "-" + std::to_string(in_ns(end));
}

void append(std::string& line, const std::string& item) {
  if (!line.empty()) line += ' ';
  line += item;
}

}  // namespace

std::vector<WorkedExample> published_examples() {
  // Kernels (time, blocks) of the example: 1 (4, 2), 2 (6, 7), 3 (6, 2), 4 (5, 5).
  const Task k1 = quarter("k1", 4, 2);
  const Task k2 = quarter("k2", 6, 7);
  const Task k3 = quarter("k3", 6, 2);
  const Task k4 = quarter("k4", 5, 5);
  std::vector<WorkedExample> examples;
  examples.push_back({.name = "launch_order_1_2_3_4",
                      .scenario = scenario(tx2(), {k1, k2, k3, k4}),
                      .sms = {"k1#0@0-4 k2#0@0-6 k2#2@0-6 k2#4@0-6 k2#6@4-10 k3#1@6-12 k4#1@6-11 k4#3@6-11",
                              "k1#1@0-4 k2#1@0-6 k2#3@0-6 k2#5@0-6 k3#0@4-10 k4#0@6-11 k4#2@6-11 k4#4@6-11"},
                      .copy_engines = {""},
                      .completions = "k1=4 k2=10 k3=12 k4=11"});
  examples.push_back({.name = "launch_order_2_3_4_1",
                      .scenario = scenario(tx2(), {k2, k3, k4, k1}),
                      .sms = {"k2#0@0-6 k2#2@0-6 k2#4@0-6 k2#6@0-6 k3#1@6-12 k4#1@6-11 k4#3@6-11 k1#0@6-10",
                              "k2#1@0-6 k2#3@0-6 k2#5@0-6 k3#0@0-6 k4#0@6-11 k4#2@6-11 k4#4@6-11 k1#1@6-10"},
                      .copy_engines = {""},
                      .completions = "k2=6 k3=12 k4=11 k1=10"});
  examples.push_back({.name = "launch_order_2_4_1_3",
                      .scenario = scenario(tx2(), {k2, k4, k1, k3}),
                      .sms = {"k2#0@0-6 k2#2@0-6 k2#4@0-6 k2#6@0-6 k4#2@6-11 k4#3@6-11 k1#0@6-10 k3#0@6-12",
                              "k2#1@0-6 k2#3@0-6 k2#5@0-6 k4#0@0-5 k4#1@5-10 k4#4@6-11 k1#1@6-10 k3#1@6-12"},
                      .copy_engines = {""},
                      .completions = "k2=6 k4=11 k1=10 k3=12"});
  examples.push_back({.name = "launch_order_2_1_3_4",
                      .scenario = scenario(tx2(), {k2, k1, k3, k4}),
                      .sms = {"k2#0@0-6 k2#2@0-6 k2#4@0-6 k2#6@0-6 k3#0@6-12 k3#1@6-12 k4#1@6-11 k4#3@6-11",
                              "k2#1@0-6 k2#3@0-6 k2#5@0-6 k1#0@0-4 k1#1@4-8 k4#0@6-11 k4#2@6-11 k4#4@6-11"},
                      .copy_engines = {""},
                      .completions = "k2=6 k1=8 k3=12 k4=11"});
  // The fourth of these five passes its deadline of 15.
  examples.push_back(
      {.name = "five_kernels_with_a_miss",
       .scenario =
           scenario(tx2(), {with_deadline(15, quarter("a", 2, 4)), with_deadline(15, quarter("b", 1, 7)),
                            with_deadline(15, quarter("c", 4, 10)), with_deadline(15, quarter("d", 11, 1)),
                            with_deadline(15, quarter("e", 6, 3))}),
       .sms = {"a#0@0-2 a#2@0-2 b#0@0-1 b#2@0-1 b#4@1-2 b#6@1-2 c#1@2-6 c#2@2-6 c#4@2-6 c#6@2-6 c#9@6-10 "
               "d#0@6-17 e#1@6-12",
               "a#1@0-2 a#3@0-2 b#1@0-1 b#3@0-1 b#5@1-2 c#0@1-5 c#3@2-6 c#5@2-6 c#7@2-6 c#8@5-9 e#0@6-12 "
               "e#2@6-12"},
       .copy_engines = {""},
       .completions = "a=2 b=2 c=10 d=17! e=12"});
  // The published times are halves: 1.5, 1.5, 1.5, 4, 2.5. Here one unit is half of theirs.
  examples.push_back(
      {.name = "five_kernels_in_half_units",
       .scenario = scenario(tx2(), {quarter("a", 3, 5), quarter("b", 3, 4), quarter("c", 3, 7),
                                    quarter("d", 8, 1), quarter("e", 5, 8)}),
       .sms = {"a#0@0-3 a#2@0-3 a#4@0-3 b#1@0-3 b#3@3-6 c#1@3-6 c#3@3-6 c#5@3-6 d#0@6-14 e#1@6-11 e#3@6-11 "
               "e#5@6-11",
               "a#1@0-3 a#3@0-3 b#0@0-3 b#2@0-3 c#0@3-6 c#2@3-6 c#4@3-6 c#6@3-6 e#0@6-11 e#2@6-11 e#4@6-11 "
               "e#6@6-11 e#7@11-16"},
       .copy_engines = {""},
       .completions = "a=3 b=6 c=6 d=14 e=16"});
  // Unequal blocks: shortening the first kernel delays the last.
  const Task b = once("b", 2, {kernel(2, 512, 2)});
  const Task c = once("c", 3, {kernel(3, 1024, 2)});
  examples.push_back({.name = "anomaly_long",
                      .scenario = scenario(tx2(), {once("a", 0, {kernel(1, 1024, 3)}), b, c}),
                      .sms = {"a#0@0-3 c#0@3-5 c#1@3-5", "b#0@2-4 b#1@2-4 c#2@3-5"},
                      .copy_engines = {""},
                      .completions = "a=3 b=4 c=5"});
  examples.push_back({.name = "anomaly_short",
                      .scenario = scenario(tx2(), {once("a", 0, {kernel(1, 1024, 2)}), b, c}),
                      .sms = {"a#0@0-2 b#0@2-4 c#0@3-5 c#2@4-6", "b#1@2-4 c#1@3-5"},
                      .copy_engines = {""},
                      .completions = "a=2 b=4 c=6"});
  return examples;
}

namespace {

/// The same four kernels under each SM choice rule: no two rules give the same placement.
void add_sm_choices(std::vector<WorkedExample>& examples) {
  const auto with = [](SmChoice choice) {
    Gpu gpu = small(3);
    gpu.sm_choice = choice;
    return scenario(gpu, {once("a", 0, {kernel(1, 96, 9)}), once("b", 0, {kernel(1, 96, 5)}),
                          once("c", 0, {kernel(4, 32, 6)}), once("d", 5, {kernel(3, 32, 2)})});
  };
  examples.push_back(
      {.name = "most_free",
       .scenario = with(SmChoice::most_free),
       .sms = {"a#0@0-9 c#3@0-6", "b#0@0-5 d#0@5-7 d#1@5-7 d#2@5-7", "c#0@0-6 c#1@0-6 c#2@0-6"},
       .copy_engines = {""},
       .completions = "a=9 b=5 c=6 d=7"});
  examples.push_back(
      {.name = "first_fit",
       .scenario = with(SmChoice::first_fit),
       .sms = {"a#0@0-9 c#0@0-6", "b#0@0-5 c#1@0-6 d#0@5-7 d#1@5-7 d#2@5-7", "c#2@0-6 c#3@0-6"},
       .copy_engines = {""},
       .completions = "a=9 b=5 c=6 d=7"});
  examples.push_back(
      {.name = "best_fit",
       .scenario = with(SmChoice::best_fit),
       .sms = {"a#0@0-9 c#0@0-6", "b#0@0-5 c#1@0-6 d#2@5-7", "c#2@0-6 c#3@0-6 d#0@5-7 d#1@5-7"},
       .copy_engines = {""},
       .completions = "a=9 b=5 c=6 d=7"});
  examples.push_back(
      {.name = "round_robin",
       .scenario = with(SmChoice::round_robin),
       .sms = {"a#0@0-9 c#1@0-6", "b#0@0-5 c#2@0-6 d#0@5-7 d#2@5-7", "c#0@0-6 c#3@0-6 d#1@5-7"},
       .copy_engines = {""},
       .completions = "a=9 b=5 c=6 d=7"});
}

void add_resources(std::vector<WorkedExample>& examples) {
  examples.push_back({.name = "threads_count_in_whole_warps",
                      .scenario = scenario(small(1), {once("k", 0, {kernel(3, 33, 2)})}),
                      .sms = {"k#0@0-2 k#1@0-2 k#2@2-4"},
                      .copy_engines = {""},
                      .completions = "k=4"});
  // The second kernel would fit beside the first, but only the head of the queue is tried.
  KernelSegment shared = kernel(2, 32, 3);
  shared.shared_memory = 6;
  examples.push_back(
      {.name = "shared_memory_holds_the_head",
       .scenario = scenario(small(1), {once("k", 0, {shared}), once("l", 0, {kernel(1, 32, 1)})}),
       .sms = {"k#0@0-3 k#1@3-6 l#0@3-4"},
       .copy_engines = {""},
       .completions = "k=6 l=4"});
  KernelSegment registers = kernel(3, 32, 3);
  registers.registers = 5;
  examples.push_back({.name = "registers",
                      .scenario = scenario(small(1), {once("k", 0, {registers})}),
                      .sms = {"k#0@0-3 k#1@0-3 k#2@3-6"},
                      .copy_engines = {""},
                      .completions = "k=6"});
  Gpu two_slots = small(1);
  two_slots.blocks_per_sm = 2;
  examples.push_back({.name = "block_slots",
                      .scenario = scenario(two_slots, {once("k", 0, {kernel(3, 1, 3)})}),
                      .sms = {"k#0@0-3 k#1@0-3 k#2@3-6"},
                      .copy_engines = {""},
                      .completions = "k=6"});
}

void add_streams(std::vector<WorkedExample>& examples) {
  examples.push_back({.name = "a_stream_runs_in_order",
                      .scenario = scenario(small(1), {in_stream("s", once("k", 0, {kernel(1, 32, 3)})),
                                                      in_stream("s", once("l", 0, {kernel(1, 32, 2)})),
                                                      once("m", 0, {kernel(1, 32, 2)})}),
                      .sms = {"k#0@0-3 m#0@0-2 l#0@3-5"},
                      .copy_engines = {""},
                      .completions = "k=3 l=5 m=2"});
  // Both streams finish at 3. Stream a had its first call before b, so its next kernel is first, although it
  // was called last.
  examples.push_back({.name = "streams_are_popped_in_order_of_their_first_call",
                      .scenario = scenario(small(1), {in_stream("a", once("p", 0, {kernel(1, 64, 3)})),
                                                      in_stream("b", once("q", 0, {kernel(1, 64, 3)})),
                                                      in_stream("b", once("q2", 0, {kernel(1, 64, 1)})),
                                                      in_stream("a", once("p2", 0, {kernel(2, 64, 2)}))}),
                      .sms = {"p#0@0-3 q#0@0-3 p2#0@3-5 p2#1@3-5 q2#0@5-6"},
                      .copy_engines = {""},
                      .completions = "p=3 q=3 q2=6 p2=5"});
  examples.push_back({.name = "pops_come_before_calls",
                      .scenario = scenario(small(1), {once("r", 3, {kernel(1, 128, 1)}),
                                                      in_stream("a", once("p", 0, {kernel(1, 128, 3)})),
                                                      in_stream("a", once("p2", 0, {kernel(1, 128, 2)}))}),
                      .sms = {"p#0@0-3 p2#0@3-5 r#0@5-6"},
                      .copy_engines = {""},
                      .completions = "r=6 p=3 p2=5"});
  // One stream a job: the second job overtakes nothing, but it need not wait for the first to end.
  examples.push_back({.name = "one_stream_a_job",
                      .scenario = scenario(small(1), {periodic("k", 4, {kernel(3, 64, 3)})}, 8),
                      .sms = {"k#0@0-3 k#1@0-3 k#2@3-6 k/1#0@4-7 k/1#1@6-9 k/1#2@7-10"},
                      .copy_engines = {""},
                      .completions = "k=6! k/1=cut!"});
  // Nodes 2 -> 0, 1: called as 1, 2, 0, because of the nodes that wait for nothing the first in the file goes
  // first.
  Task graph = once("g", 0, {kernel(1, 32, 1), kernel(1, 32, 2), kernel(1, 32, 3)});
  graph.work.form = WorkForm::graph;
  graph.work.edges = {{.from = 2, .to = 0}};
  for (std::size_t i = 0; i < 3; ++i) graph.work.nodes[i].name = "n" + std::to_string(i);
  examples.push_back({.name = "graph_in_topological_order",
                      .scenario = scenario(small(1), {graph}),
                      .sms = {"g.1#0@0-2 g.2#0@2-5 g#0@5-6"},
                      .copy_engines = {""},
                      .completions = "g=6"});
}

void add_priorities(std::vector<WorkedExample>& examples) {
  examples.push_back({.name = "a_more_urgent_kernel_takes_over_at_a_block_boundary",
                      .scenario = scenario(small(1), {once("low", 0, {kernel(4, 64, 4)}),
                                                      at_priority(-1, once("high", 1, {kernel(1, 64, 2)}))}),
                      .sms = {"low#0@0-4 low#1@0-4 low#2@4-8 high#0@4-6 low#3@6-10"},
                      .copy_engines = {""},
                      .completions = "low=10 high=6"});
  // The urgent block needs the whole SM. Until it has it, nothing less urgent may start.
  examples.push_back(
      {.name = "a_more_urgent_head_that_does_not_fit_holds_back_the_rest",
       .scenario = scenario(small(1), {once("a", 0, {kernel(1, 64, 6)}), once("b", 0, {kernel(2, 64, 2)}),
                                       at_priority(-1, once("high", 1, {kernel(1, 128, 1)}))}),
       .sms = {"a#0@0-6 b#0@0-2 high#0@6-7 b#1@7-9"},
       .copy_engines = {""},
       .completions = "a=6 b=9 high=7"});
}

void add_copies(std::vector<WorkedExample>& examples) {
  Gpu two_engines = small(1);
  two_engines.copy_engines = 2;
  examples.push_back({.name = "one_queue_feeds_all_copy_engines",
                      .scenario = scenario(two_engines, {once("a", 0, {copy(4)}), once("b", 0, {copy(2)}),
                                                         once("c", 0, {copy(1)}), once("d", 4, {copy(1)})}),
                      .sms = {""},
                      .copy_engines = {"a@0-4 d@4-5", "b@0-2 c@2-3"},
                      .completions = "a=4 b=2 c=3 d=5"});
  examples.push_back({.name = "copies_and_kernels_of_a_chain",
                      .scenario = scenario(small(1), {once("a", 0, {copy(2), kernel(2, 64, 3), copy(1)}),
                                                      once("b", 0, {copy(2), kernel(1, 64, 3), copy(1)})}),
                      .sms = {"a.1#0@2-5 a.1#1@2-5 b.1#0@5-8"},
                      .copy_engines = {"a@0-2 b@2-4 a.2@5-6 b.2@8-9"},
                      .completions = "a=6 b=9"});
}

void add_exclusive(std::vector<WorkedExample>& examples) {
  examples.push_back(
      {.name = "exclusive_waits_for_all_sms_and_holds_its_queue",
       .scenario = scenario(small(2), {once("k", 0, {kernel(1, 32, 4)}), once("x", 1, {exclusive(2)}),
                                       once("l", 2, {kernel(1, 32, 1)})}),
       .sms = {"k#0@0-4 x#0@4-6 l#0@6-7", "x#0@4-6"},
       .copy_engines = {""},
       .completions = "k=4 x=6 l=7"});
  const Task high = at_priority(-1, once("high", 1, {kernel(1, 32, 2)}));
  const Task equal = once("equal", 1, {kernel(1, 32, 2)});
  examples.push_back(
      {.name = "exclusive_in_slices",
       .scenario = scenario(small(1), {with_longest_block(3, once("x", 0, {exclusive(7)})), high, equal}),
       .sms = {"x#0@0-3 high#0@3-5 x#1@5-8 x#2@8-9 equal#0@9-11"},
       .copy_engines = {""},
       .completions = "x=9 high=5 equal=11"});
  examples.push_back(
      {.name = "exclusive_that_stops_anywhere",
       .scenario = scenario(small(1), {with_longest_block(0, once("x", 0, {exclusive(7)})), high, equal}),
       .sms = {"x#0@0-1 high#0@1-3 x#1@3-9 equal#0@9-11"},
       .copy_engines = {""},
       .completions = "x=9 high=3 equal=11"});
  examples.push_back({.name = "exclusive_in_one_piece",
                      .scenario = scenario(small(1), {once("x", 0, {exclusive(7)}), high, equal}),
                      .sms = {"x#0@0-7 high#0@7-9 equal#0@7-9"},
                      .copy_engines = {""},
                      .completions = "x=7 high=9 equal=9"});
}

/// At 0 the work that can stop anywhere gets the SM. The copy takes no time, so at 0 an urgent kernel follows
/// and takes over: nothing of the exclusive work has run yet.
void add_stop_at_start(std::vector<WorkedExample>& examples) {
  examples.push_back(
      {.name = "a_slice_that_is_stopped_where_it_began_never_was",
       .scenario = scenario(small(1), {with_longest_block(0, once("x", 0, {exclusive(4)})),
                                       at_priority(-1, once("high", 0, {copy(0), kernel(1, 32, 3)}))}),
       .sms = {"high.1#0@0-3 x#0@3-7"},
       .copy_engines = {"high@0-0"},
       .completions = "x=7 high=3"});
}

void add_no_length(std::vector<WorkedExample>& examples) {
  examples.push_back(
      {.name = "blocks_of_no_length_still_take_turns",
       .scenario = scenario(small(1), {once("z", 1, {kernel(3, 64, 0)}), once("k", 1, {kernel(1, 64, 2)})}),
       .sms = {"z#0@1-1 z#1@1-1 z#2@1-1 k#0@1-3"},
       .copy_engines = {""},
       .completions = "z=1 k=3"});
  examples.push_back(
      {.name = "a_chain_of_no_length_is_over_at_once",
       .scenario = scenario(small(1), {once("z", 1, {copy(0), kernel(1, 64, 0), exclusive(0), copy(0)})}),
       .sms = {"z.1#0@1-1 z.2#0@1-1"},
       .copy_engines = {"z@1-1 z.3@1-1"},
       .completions = "z=1"});
}

/// Kernels of no length let a grid start in two pieces at one instant. Its waves then go on as one: at 4 the
/// pointer of round-robin goes SM 0, 1, 2, 2, so that at 6 the last block is on SM 0 and SM 2 is free.
void add_pieces(std::vector<WorkedExample>& examples) {
  Gpu gpu;
  gpu.sms = 3;
  gpu.warp = 1;
  gpu.threads_per_sm = 6;
  gpu.sm_choice = SmChoice::round_robin;
  examples.push_back(
      {.name = "waves_after_a_start_in_two_pieces",
       .scenario = scenario(gpu, {once("a", 0, {kernel(2, 3, 34)}), once("y", 0, {kernel(1, 4, 0)}),
                                  once("z", 0, {kernel(4, 2, 0)}), once("x", 0, {kernel(1, 1, 0)}),
                                  once("k", 0, {kernel(13, 3, 2)}), once("l", 0, {kernel(1, 6, 4)})}),
       .sms = {"a#0@0-34 z#0@0-0 z#3@0-0 k#2@0-2 k#5@2-4 k#8@4-6 k#12@6-8",
               "a#1@0-34 z#1@0-0 x#0@0-0 k#3@0-2 k#6@2-4 k#9@4-6",
               "y#0@0-0 z#2@0-0 k#0@0-2 k#1@0-2 k#4@2-4 k#7@2-4 k#10@4-6 k#11@4-6 l#0@6-10"},
       .copy_engines = {""},
       .completions = "a=34 y=0 z=0 x=0 k=8 l=10"});
}

/// Two phases of a grid on every other SM: round-robin's pointer comes back only after two waves. SM 0 never
/// has room for the last kernel, so it shows where the last block of the grid went.
void add_phases(std::vector<WorkedExample>& examples) {
  Gpu gpu;
  gpu.sms = 4;
  gpu.warp = 1;
  gpu.threads_per_sm = 3;
  gpu.sm_choice = SmChoice::round_robin;
  examples.push_back(
      {.name = "waves_of_two_phases",
       .scenario = scenario(gpu, {once("a", 0, {kernel(1, 1, 100)}), once("s1", 0, {kernel(1, 3, 1)}),
                                  once("s2", 0, {kernel(1, 3, 2)}), once("s3", 0, {kernel(1, 3, 1)}),
                                  once("k", 0, {kernel(16, 2, 2)}), once("l", 0, {kernel(1, 3, 4)})}),
       .sms = {"a#0@0-100 k#0@0-2 k#3@2-4 k#8@4-6 k#11@6-8", "s1#0@0-1 k#1@1-3 k#6@3-5 k#9@5-7 k#14@7-9",
               "s2#0@0-2 k#4@2-4 k#7@4-6 k#12@6-8 k#15@8-10",
               "s3#0@0-1 k#2@1-3 k#5@3-5 k#10@5-7 k#13@7-9 l#0@9-13"},
       .copy_engines = {""},
       .completions = "a=100 s1=1 s2=2 s3=1 k=10 l=13"});
}

void add_delays(std::vector<WorkedExample>& examples) {
  // Seen at 10 + 1 + 2. The copy is called then and takes 4 + 1; the kernel is called 2 later and waits for
  // it; its end at 23 is known 3 later.
  Task delayed = once("k", 10, {copy(4), kernel(1, 32, 5)});
  delayed.jitter = Duration{2};
  WorkedExample overheads{.name = "overheads_and_jitter",
                          .scenario = scenario(small(1), {with_deadline(15, delayed)}),
                          .sms = {"k.1#0@18-23"},
                          .copy_engines = {"k@13-18"},
                          .completions = "k=26!"};
  overheads.scenario.system.platform.overheads = {
      .release = Duration{1}, .launch = Duration{2}, .completion = Duration{3}, .copy = Duration{1}};
  examples.push_back(overheads);

  // Each launch delays the next. The second kernel is called at 4, when the first has already run from 2.
  WorkedExample launches{.name = "launches_add_up",
                         .scenario = scenario(small(1), {once("k", 0, {kernel(1, 32, 1), kernel(1, 32, 1)})}),
                         .sms = {"k#0@2-3 k.1#0@4-5"},
                         .copy_engines = {""},
                         .completions = "k=5"};
  launches.scenario.system.platform.overheads.launch = Duration{2};
  examples.push_back(launches);

  // Again as soon as the scheduler knows; only the first job is delayed by the timer.
  WorkedExample again{.name = "best_effort_comes_again",
                      .scenario = scenario(small(1), {best_effort("x", {exclusive(3)})}, 14),
                      .sms = {"x#0@1-4 x/1#0@6-9 x/2#0@11-14"},
                      .copy_engines = {""},
                      .completions = "x=6 x/1=11 x/2=cut"};
  again.scenario.system.platform.overheads.release = Duration{1};
  again.scenario.system.platform.overheads.completion = Duration{2};
  examples.push_back(again);

  // At the horizon: what ends there counts, what would be released there does not.
  examples.push_back({.name = "horizon",
                      .scenario = scenario(small(1), {periodic("k", 5, {kernel(1, 128, 5)})}, 10),
                      .sms = {"k#0@0-5 k/1#0@5-10"},
                      .copy_engines = {""},
                      .completions = "k=5 k/1=10"});
}

}  // namespace

std::vector<WorkedExample> rule_examples() {
  std::vector<WorkedExample> examples;
  add_sm_choices(examples);
  add_resources(examples);
  add_streams(examples);
  add_priorities(examples);
  add_copies(examples);
  add_exclusive(examples);
  add_stop_at_start(examples);
  add_no_length(examples);
  add_pieces(examples);
  add_phases(examples);
  add_delays(examples);
  return examples;
}

std::vector<std::string> sm_lines(const Recording& recording, const System& system) {
  std::vector<trace::BlockRan> blocks = recording.blocks;
  const auto key = [](const trace::BlockRan& e) { return std::tuple{e.start, e.job, e.segment, e.block}; };
  std::sort(blocks.begin(), blocks.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::vector<std::string> lines(static_cast<std::size_t>(system.platform.gpu.sms));
  for (const trace::BlockRan& e : blocks) {
    append(lines.at(static_cast<std::size_t>(e.sm)),
           segment_name(system, e.job, e.segment) + "#" + std::to_string(e.block) + span(e.start, e.end));
  }
  return lines;
}

std::vector<std::string> copy_engine_lines(const Recording& recording, const System& system) {
  std::vector<trace::CopyRan> copies = recording.copies;
  const auto key = [](const trace::CopyRan& e) { return std::tuple{e.start, e.job, e.segment}; };
  std::sort(copies.begin(), copies.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::vector<std::string> lines(static_cast<std::size_t>(system.platform.gpu.copy_engines));
  for (const trace::CopyRan& e : copies) {
    append(lines.at(static_cast<std::size_t>(e.engine)),
           segment_name(system, e.job, e.segment) + span(e.start, e.end));
  }
  return lines;
}

std::string completion_line(const Recording& recording, const System& system) {
  std::vector<trace::JobEnded> ends = recording.ends;
  std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.job < b.job; });
  std::string line;
  for (const trace::JobEnded& e : ends) {
    const std::string completion = e.completion == never ? "cut" : std::to_string(in_ns(e.completion));
    append(line, job_name(system, e.job) + "=" + completion + (e.missed ? "!" : ""));
  }
  return line;
}

}  // namespace tactus::test
