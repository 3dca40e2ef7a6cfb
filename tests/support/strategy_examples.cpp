#include "support/strategy_examples.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tactus::test {

namespace {

/// Four threads an SM, four stream priorities.
Gpu small(std::int32_t sms) {
  Gpu gpu;
  gpu.sms = sms;
  gpu.warp = 1;
  gpu.threads_per_sm = 4;
  gpu.priority_levels = 4;
  return gpu;
}

ExclusiveSegment exclusive(std::int64_t time) { return {.time = Interval::exactly(Duration{time})}; }

KernelSegment kernel(std::int64_t blocks, std::int64_t block, std::int64_t time) {
  return {.grid = {blocks, 1, 1}, .block = block, .block_time = Interval::exactly(Duration{time})};
}

Task once(std::string name, std::int64_t release, std::int64_t deadline, Segment work) {
  Task task;
  task.name = std::move(name);
  task.arrival = Arrival::once;
  task.offset = Duration{release};
  task.deadline = Duration{deadline};
  task.work.nodes.push_back({.name = "", .segment = work});
  return task;
}

Task periodic(std::string name, std::int64_t period, Segment work) {
  Task task = once(std::move(name), 0, period, work);
  task.arrival = Arrival::periodic;
  task.period = task.deadline;
  return task;
}

Task best_effort(std::string name, Segment work) {
  Task task = once(std::move(name), 0, 0, work);
  task.arrival = Arrival::best_effort;
  task.deadline.reset();
  return task;
}

Task in_blocks(std::int64_t length, Task task) {
  task.longest_block = Duration{length};
  return task;
}

Task stopping_anywhere(Task task) { return in_blocks(0, std::move(task)); }

Task with_priority(std::int64_t priority, Task task) {
  task.priority = priority;
  return task;
}

Task on_core(std::int32_t core, Task task) {
  task.sm = {.kind = SmAffinity::Kind::one, .core = core};
  return task;
}

Scenario scenario(Policy policy, const Gpu& gpu, std::vector<Task> tasks, std::int64_t horizon) {
  Scenario result;
  result.system.platform.gpu = gpu;
  result.system.policy = policy;
  result.system.tasks = std::move(tasks);
  result.options.horizon = Duration{horizon};
  return result;
}

Policy single_stream(Order order) {
  Policy policy;
  policy.strategy = strategy_named("single-stream");
  policy.order = order;
  return policy;
}

Policy multi_stream(std::int32_t levels, Refill refill) {
  Policy policy;
  policy.strategy = strategy_named("multi-stream");
  policy.levels = levels;
  policy.refill = refill;
  return policy;
}

Window window(std::int64_t offset, std::int64_t budget) { return {Duration{offset}, Duration{budget}}; }

Policy sm_cores(std::int64_t period, std::optional<Window> local, std::optional<Window> all) {
  Policy policy;
  policy.strategy = strategy_named("sm-cores");
  policy.reservations = Reservations{.period = Duration{period}, .local = local, .all = all};
  return policy;
}

/// No copies anywhere.
void add(std::vector<WorkedExample>& examples, std::string name, Scenario what, std::vector<std::string> sms,
         std::string completions) {
  examples.push_back({.name = std::move(name),
                      .scenario = std::move(what),
                      .sms = std::move(sms),
                      .copy_engines = {""},
                      .completions = std::move(completions)});
}

void add_single_stream_best_effort(std::vector<WorkedExample>& examples) {
  const Policy policy = single_stream(Order::edf);
  const Task urgent = once("rt", 3, 10, exclusive(1));
  const Task filler = best_effort("be", exclusive(5));
  add(examples, "best_effort_slice_by_slice", scenario(policy, small(1), {in_blocks(2, filler), urgent}, 7),
      {"be#0@0-2 be#1@2-4 rt#0@4-5 be#2@5-6 be/1#0@6-8"}, "be=6 be/1=cut rt=5");
  add(examples, "best_effort_is_stopped_anywhere",
      scenario(policy, small(1), {stopping_anywhere(filler), urgent}, 7), {"be#0@0-3 rt#0@3-4 be#1@4-6"},
      "be=6 be/1=cut rt=4");
  add(examples, "best_effort_as_a_whole", scenario(policy, small(1), {filler, urgent}, 7),
      {"be#0@0-5 rt#0@5-6 be/1#0@6-11"}, "be=5 be/1=cut rt=6");
  add(examples, "best_effort_wave_by_wave",
      scenario(policy, small(1), {best_effort("be", kernel(6, 1, 3)), once("rt", 1, 10, exclusive(1))}, 7),
      {"be#0@0-3 be#1@0-3 be#2@0-3 be#3@0-3 rt#0@3-4 be#4@4-7 be#5@4-7"}, "be=7 rt=4");
}

void add_scripts(std::vector<WorkedExample>& examples) {
  Task task = once("s", 0, 20, ExclusiveSegment{{Duration{1}, Duration{4}}});
  task.arrival = Arrival::sporadic;
  task.period = Duration{5};
  task.jobs = {
      {.release = time_at(Duration{3}), .late = {}, .launch = {}, .completion = {}, .times = {Duration{2}}},
      {.release = time_at(Duration{9}), .late = {}, .launch = {}, .completion = {}, .times = {}}};
  // What is given is played, the rest is the worst case, and there is no third job.
  add(examples, "script", scenario(single_stream(Order::edf), small(1), {task}, 60), {"s#0@3-5 s/1#0@9-13"},
      "s=5 s/1=13");
  task.jobs[0].launch = Duration{1};
  task.jobs[0].completion = Duration{};
  task.jobs[1].late = Duration{1};
  Scenario delayed = scenario(single_stream(Order::edf), small(1), {task}, 60);
  delayed.system.platform.overheads = {
      .release = Duration{2}, .launch = Duration{3}, .completion = Duration{2}, .copy = {}};
  // Seen at 5, called at 6; then seen at 10, called at 13, known 2 after its end.
  add(examples, "script_of_delays", delayed, {"s#0@6-8 s/1#0@13-17"}, "s=8 s/1=19");
}

void add_levels(std::vector<WorkedExample>& examples) {
  const Task running = in_blocks(1, once("a", 0, 20, exclusive(4)));
  add(examples, "equal_deadlines_do_not_preempt",
      scenario(multi_stream(2, Refill::immediate), small(1), {running, once("b", 1, 19, exclusive(1))}, 30),
      {"a#0@0-1 a#1@1-2 a#2@2-3 a#3@3-4 b#0@4-5"}, "a=4 b=5");
  add(examples, "an_earlier_deadline_preempts",
      scenario(multi_stream(2, Refill::immediate), small(1), {running, once("b", 1, 18, exclusive(1))}, 30),
      {"a#0@0-1 b#0@1-2 a#1@2-3 a#2@3-4 a#3@4-5"}, "a=5 b=2");

  const std::vector<Task> nested{in_blocks(1, once("a", 0, 30, exclusive(4))),
                                 in_blocks(1, once("b", 1, 20, exclusive(3))),
                                 once("c", 2, 10, exclusive(2))};
  add(examples, "nested_preemption", scenario(multi_stream(3, Refill::lazy), small(1), nested, 30),
      {"a#0@0-1 b#0@1-2 c#0@2-4 b#1@4-5 b#2@5-6 a#1@6-7 a#2@7-8 a#3@8-9"}, "a=9 b=6 c=4");
  add(examples, "no_level_left", scenario(multi_stream(2, Refill::immediate), small(1), nested, 30),
      {"a#0@0-1 b#0@1-2 b#1@2-3 b#2@3-4 c#0@4-6 a#1@6-7 a#2@7-8 a#3@8-9"}, "a=9 b=4 c=6");
  // The completion at 4 leaves c to submit, so one more block of a starts before.
  add(examples, "no_level_left_and_lazy", scenario(multi_stream(2, Refill::lazy), small(1), nested, 30),
      {"a#0@0-1 b#0@1-2 b#1@2-3 b#2@3-4 a#1@4-5 c#0@5-7 a#2@7-8 a#3@8-9"}, "a=9 b=4 c=7");
  add(examples, "one_level", scenario(multi_stream(1, Refill::lazy), small(1), nested, 30),
      {"a#0@0-1 a#1@1-2 a#2@2-3 a#3@3-4 c#0@4-6 b#0@6-7 b#1@7-8 b#2@8-9"}, "a=4 b=9 c=6");
}

void add_counterexamples(std::vector<WorkedExample>& examples) {
  const std::vector<Task> waits{once("hi", 2, 4, exclusive(1)),
                                in_blocks(1, once("mid", 1, 14, exclusive(6))),
                                in_blocks(1, once("low", 0, 20, exclusive(4)))};
  const std::string until_7 = "low#0@0-1 mid#0@1-2 mid#1@2-3 mid#2@3-4 mid#3@4-5 mid#4@5-6 mid#5@6-7 ";
  add(examples, "first_waits_until_7", scenario(multi_stream(2, Refill::immediate), small(1), waits, 30),
      {until_7 + "hi#0@7-8 low#1@8-9 low#2@9-10 low#3@10-11"}, "hi=8! mid=7 low=11");
  add(examples, "first_waits_until_8_with_lazy_refill",
      scenario(multi_stream(2, Refill::lazy), small(1), waits, 30),
      {until_7 + "low#1@7-8 hi#0@8-9 low#2@9-10 low#3@10-11"}, "hi=9! mid=7 low=11");
  // The lower level is empty from 2 on, but what counts is the highest occupied one.
  add(examples, "lower_level_empty_upper_busy",
      scenario(multi_stream(2, Refill::immediate), small(1),
               {once("hi", 3, 3, exclusive(1)), in_blocks(1, once("mid", 1, 20, exclusive(5))),
                once("low", 0, 30, exclusive(2))},
               40),
      {"low#0@0-2 mid#0@2-3 mid#1@3-4 mid#2@4-5 mid#3@5-6 mid#4@6-7 hi#0@7-8"}, "hi=8! mid=7 low=2");
  // {(1,3,3,1),(1,3,3,1),(3,13,16,1)} in tenths: what holds with immediate refill misses with lazy.
  const std::vector<Task> tenths{once("t1", 1, 30, exclusive(10)), once("t2", 1, 30, exclusive(10)),
                                 in_blocks(10, once("t3", 0, 130, exclusive(30)))};
  add(examples, "immediate_refill", scenario(multi_stream(2, Refill::immediate), small(1), tenths, 200),
      {"t3#0@0-10 t1#0@10-20 t2#0@20-30 t3#1@30-40 t3#2@40-50"}, "t1=20 t2=30 t3=50");
  add(examples, "lazy_refill", scenario(multi_stream(2, Refill::lazy), small(1), tenths, 200),
      {"t3#0@0-10 t1#0@10-20 t3#1@20-30 t2#0@30-40 t3#2@40-50"}, "t1=20 t2=40! t3=50");
}

void add_multi_stream_kernels(std::vector<WorkedExample>& examples) {
  add(examples, "kernels_take_over_at_block_boundaries",
      scenario(multi_stream(2, Refill::lazy), small(2),
               {once("low", 0, 50, kernel(6, 4, 3)), once("hi", 1, 10, kernel(1, 4, 1))}, 60),
      {"low#0@0-3 hi#0@3-4 low#3@4-7 low#5@7-10", "low#1@0-3 low#2@3-6 low#4@6-9"}, "low=10 hi=4");
}

void add_multi_stream_best_effort(std::vector<WorkedExample>& examples) {
  // r2 goes above the slice. At 4 level 0 is empty, but the top is busy; at 5 r1 begins there.
  add(examples, "best_effort_below",
      scenario(multi_stream(2, Refill::lazy), small(1),
               {in_blocks(2, best_effort("be", exclusive(5))), once("r1", 3, 10, exclusive(2)),
                once("r2", 3, 9, exclusive(1))},
               8),
      {"be#0@0-2 be#1@2-4 r2#0@4-5 r1#0@5-7 be#2@7-8"}, "be=8 r1=7 r2=5");
  // The completion at 6 leaves nothing to submit: the call that was on its way since 4 comes before low work.
  Scenario calls = scenario(
      multi_stream(3, Refill::lazy), small(1),
      {once("hi", 4, 30, exclusive(3)), once("low", 1, 100, exclusive(3)), best_effort("be", exclusive(4))},
      12);
  calls.system.platform.overheads.launch = Duration{2};
  add(examples, "a_call_on_its_way_is_not_overtaken", calls, {"be#0@2-6 hi#0@6-9 low#0@9-12"},
      "hi=9 low=12 be=6 be/1=cut");
  add(examples, "best_effort_gives_way_on_the_device",
      scenario(multi_stream(2, Refill::lazy), small(1),
               {stopping_anywhere(best_effort("be", exclusive(5))), once("rt", 3, 9, exclusive(2))}, 7),
      {"be#0@0-3 rt#0@3-5 be#1@5-7"}, "be=7 rt=5");
}

void add_published_cores(std::vector<WorkedExample>& examples) {
  // Job 5 of `a` has done two of its three units when the window closes at 56.
  add(examples, "miss_at_60_by_one_unit",
      scenario(sm_cores(12, window(0, 8), window(8, 4)), small(2),
               {on_core(0, stopping_anywhere(periodic("a", 10, exclusive(3)))),
                on_core(0, stopping_anywhere(periodic("b", 15, exclusive(5)))),
                on_core(1, stopping_anywhere(periodic("c", 10, exclusive(1)))),
                stopping_anywhere(periodic("g", 12, exclusive(4)))},
               61),
      {"a#0@0-3 b#0@3-8 g#0@8-12 a/1#0@12-15 b/1#0@15-20 g/1#0@20-24 a/2#0@24-27 a/3#0@30-32 g/2#0@32-36 "
       "a/3#1@36-37 b/2#0@37-42 a/4#0@42-44 g/3#0@44-48 a/4#1@48-49 b/3#0@49-54 a/5#0@54-56 g/4#0@56-60 "
       "a/5#1@60-61",
       "c#0@0-1 g#0@8-12 c/1#0@12-13 g/1#0@20-24 c/2#0@24-25 c/3#0@30-31 g/2#0@32-36 c/4#0@40-41 "
       "g/3#0@44-48 c/5#0@50-51 g/4#0@56-60 c/6#0@60-61"},
      "a=3 a/1=15 a/2=27 a/3=37 a/4=49 a/5=61! a/6=cut b=8 b/1=20 b/2=42 b/3=54 b/4=cut "
      "c=1 c/1=13 c/2=25 c/3=31 c/4=41 c/5=51 c/6=61 g=12 g/1=24 g/2=36 g/3=48 g/4=60 g/5=cut");
}

void add_windows(std::vector<WorkedExample>& examples) {
  const Policy half = sm_cores(10, window(0, 5), std::nullopt);
  add(examples, "idles_to_the_end_of_the_window",
      scenario(half, small(1),
               {on_core(0, in_blocks(2, once("a", 0, 20, exclusive(6)))),
                on_core(0, once("b", 0, 30, exclusive(1)))},
               40),
      {"a#0@0-2 a#1@2-4 a#2@10-12 b#0@12-13"}, "a=12 b=13");
  add(examples, "last_slice_fits",
      scenario(half, small(1), {on_core(0, in_blocks(2, once("a", 0, 20, exclusive(5))))}, 40),
      {"a#0@0-2 a#1@2-4 a#2@4-5"}, "a=5");
  add(examples, "stops_with_its_window",
      scenario(half, small(1), {on_core(0, stopping_anywhere(once("a", 0, 20, exclusive(8))))}, 40),
      {"a#0@0-5 a#1@10-13"}, "a=13");
  // The better job is the one that counts, even if it does not fit.
  add(examples, "idles_for_a_better_job_that_does_not_fit",
      scenario(half, small(1),
               {on_core(0, stopping_anywhere(once("a", 0, 50, exclusive(10)))),
                on_core(0, once("b", 3, 5, exclusive(3)))},
               60),
      {"a#0@0-3 b#0@10-13 a#1@13-15 a#2@20-25"}, "a=25 b=13!");
  // It would take 1, but nobody knows before.
  Scenario short_work = scenario(half, small(1),
                                 {on_core(0, once("a", 0, 30, ExclusiveSegment{{Duration{1}, Duration{4}}})),
                                  on_core(0, once("b", 0, 20, exclusive(2)))},
                                 40);
  short_work.options.execution = Execution::best;
  add(examples, "fits_in_the_worst_case_or_not_at_all", short_work, {"b#0@0-2 a#0@10-11"}, "a=11 b=2");
}

void add_late_edges(std::vector<WorkedExample>& examples) {
  // Everything the scheduler waits for comes 1 late: the releases, the end of the window, the next one.
  Scenario late = scenario(sm_cores(10, window(0, 5), window(5, 5)), small(1),
                           {on_core(0, stopping_anywhere(once("a", 0, 40, exclusive(8)))),
                            stopping_anywhere(once("g", 0, 40, exclusive(2)))},
                           50);
  late.system.platform.overheads.release = Duration{1};
  add(examples, "edges_are_seen_late", late, {"a#0@1-6 g#0@6-8 a#1@11-14"}, "a=14 g=8");
  // The core is idle at 8, but that is known at 9.
  Scenario unknown =
      scenario(sm_cores(12, window(0, 8), window(8, 4)), small(2),
               {on_core(0, once("a", 0, 40, exclusive(8))), once("g", 0, 40, exclusive(2))}, 50);
  unknown.system.platform.overheads.completion = Duration{1};
  add(examples, "gang_waits_until_the_cores_are_known_to_be_idle", unknown, {"a#0@0-8 g#0@9-11", "g#0@9-11"},
      "a=9 g=12");
}

void add_groups_and_fillers(std::vector<WorkedExample>& examples) {
  Policy pairs = sm_cores(6, window(0, 4), window(4, 2));
  pairs.sm_group = 2;
  // SM 4 belongs to no core; only the gang has it. A wave on a core of two SMs is four blocks.
  add(examples, "groups_of_two",
      scenario(pairs, small(5),
               {on_core(1, once("a", 0, 30, exclusive(3))), on_core(0, once("k", 0, 30, kernel(10, 2, 1))),
                once("g", 0, 30, exclusive(1))},
               30),
      {"k#0@0-1 k#2@0-1 k#4@1-2 k#6@1-2 k#8@2-3 g#0@4-5", "k#1@0-1 k#3@0-1 k#5@1-2 k#7@1-2 k#9@2-3 g#0@4-5",
       "a#0@0-3 g#0@4-5", "a#0@0-3 g#0@4-5", "g#0@4-5"},
      "a=3 k=3 g=5");
  add(examples, "best_effort_on_each_core",
      scenario(sm_cores(10, window(0, 10), std::nullopt), small(2),
               {on_core(0, in_blocks(2, best_effort("be", exclusive(3)))),
                on_core(0, once("rt", 2, 10, exclusive(1))),
                on_core(1, stopping_anywhere(best_effort("alone", exclusive(4)))),
                on_core(1, once("rt2", 1, 10, exclusive(1)))},
               5),
      {"be#0@0-2 rt#0@2-3 be#1@3-4 be/1#0@4-6", "alone#0@0-1 rt2#0@1-2 alone#1@2-5"},
      "be=4 be/1=cut rt=3 alone=5 rt2=2");
  const std::vector<Task> equal{on_core(0, in_blocks(1, once("a", 0, 20, exclusive(3)))),
                                on_core(0, once("b", 1, 19, exclusive(1)))};
  Policy always = sm_cores(10, window(0, 10), std::nullopt);
  add(examples, "equal_deadlines_go_on", scenario(always, small(1), equal, 30),
      {"a#0@0-1 a#1@1-2 a#2@2-3 b#0@3-4"}, "a=3 b=4");
  always.order = Order::fp;
  add(examples, "fixed_priorities", scenario(always, small(1), equal, 30),
      {"a#0@0-1 b#0@1-2 a#1@2-3 a#2@3-4"}, "a=4 b=2");
}

}  // namespace

std::vector<WorkedExample> single_stream_examples() {
  std::vector<WorkedExample> examples;
  const std::vector<Task> tasks{with_priority(1, once("a", 0, 20, exclusive(4))),
                                with_priority(3, once("b", 1, 10, exclusive(2))),
                                with_priority(2, once("c", 2, 5, exclusive(1)))};
  add(examples, "edf", scenario(single_stream(Order::edf), small(1), tasks, 30), {"a#0@0-4 c#0@4-5 b#0@5-7"},
      "a=4 b=7 c=5");
  add(examples, "fp", scenario(single_stream(Order::fp), small(1), tasks, 30), {"a#0@0-4 b#0@4-6 c#0@6-7"},
      "a=4 b=6 c=7");
  // x and y have the deadline 10; y comes first in the strict order.
  add(examples, "equal_deadlines_in_strict_order",
      scenario(single_stream(Order::edf), small(1),
               {once("a", 0, 10, exclusive(3)), once("x", 1, 9, exclusive(1)), once("y", 2, 8, exclusive(1))},
               30),
      {"a#0@0-3 y#0@3-4 x#0@4-5"}, "a=3 x=5 y=4");
  add(examples, "earlier_job_first",
      scenario(single_stream(Order::fp), small(1), {periodic("p", 2, exclusive(3))}, 7),
      {"p#0@0-3 p/1#0@3-6 p/2#0@6-9"}, "p=3! p/1=6! p/2=cut! p/3=cut");
  add(examples, "a_job_is_not_preempted_between_its_slices",
      scenario(single_stream(Order::edf), small(1),
               {in_blocks(1, once("a", 0, 20, exclusive(3))), once("b", 1, 5, exclusive(1))}, 30),
      {"a#0@0-1 a#1@1-2 a#2@2-3 b#0@3-4"}, "a=3 b=4");
  add_single_stream_best_effort(examples);
  add_scripts(examples);
  return examples;
}

std::vector<WorkedExample> multi_stream_examples() {
  std::vector<WorkedExample> examples;
  add_levels(examples);
  add_counterexamples(examples);
  add_multi_stream_kernels(examples);
  add_multi_stream_best_effort(examples);
  return examples;
}

std::vector<WorkedExample> sm_cores_examples() {
  std::vector<WorkedExample> examples;
  add_published_cores(examples);
  add_windows(examples);
  add_late_edges(examples);
  add_groups_and_fillers(examples);
  return examples;
}

}  // namespace tactus::test
