// Generator `rtgpu`: the task sets of RTGPU, sections 6.1 (Table 1) and 6.3, for the strategy `federated`.
//
// Every task is a chain of M CPU segments with M - 1 GPU segments between them. A copy stands before each GPU
// segment; in the two-copy form another stands behind it. Lengths are uniform over the whole nanoseconds of
// their ranges; those of copies and GPU segments are then multiplied by b/a for the ratio a:b and rounded
// down. Best cases are a share of the worst cases, rounded down. Each GPU segment draws its interleave ratio
// (Table 2 of the paper). D = T = the sum of all worst cases / U, rounded up, with the whole GPU work counted
// as on one SM. The paper normalises in this way, but prints the overhead in place of the work.
//
// U of a task may exceed 1, and a deadline may be shorter than any schedule of its chain: such systems are
// valid, but not schedulable. No task has virtual SMs: the analyses search for them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tactus/base/random.hpp"
#include "tactus/base/text.hpp"
#include "tactus/generate/generator.hpp"
#include "tactus/generate/job_tasks.hpp"
#include "tactus/generate/utilisation_parameters.hpp"

namespace tactus::generate {

namespace {

constexpr std::array<std::string_view, 2> copies_words{"one", "two"};
constexpr Range subtask_counts{1, 1'000};
constexpr Range interleave_ratios{1, 1'000};
constexpr Range ratio_terms{1, 1'000'000};
constexpr std::int64_t max_nanoseconds = Duration::max().count();

/// The purpose of a drawn length.
enum class Length : std::uint8_t { cpu, copy, gpu };

std::span<const Parameter> specification() {
  using Kind = ParameterKind;
  static const std::array<Parameter, 17> all{{
      {"tasks", Kind::integer, "5", "how many", optional, task_counts},
      {"subtasks", Kind::integer, "5", "CPU segments of a task; a GPU segment stands between each two",
       optional, subtask_counts},
      {"utilisation", Kind::decimal, "", "of all tasks together; CPU, copies and GPU work all count",
       required, any_utilisation},
      {"utilisation_method", Kind::word, utilisation_method::scaled_uniform, "how it is shared out", optional,
       anything, utilisation_method_words()},
      {"utilisation_least", Kind::decimal, "0.05", "no task has less; scaled-uniform: before scaling",
       optional, any_utilisation},
      {"utilisation_limit", Kind::decimal, "1", "no task has more; scaled-uniform: before scaling", optional,
       any_utilisation},
      {"cpu", Kind::durations, "[1ms, 20ms]", "[least, most] of a CPU segment", optional, anything},
      {"copy", Kind::durations, "[1ms, 5ms]", "[least, most] of a copy, before length_ratio", optional,
       anything},
      {"gpu", Kind::durations, "[1ms, 20ms]", "[least, most] work of a GPU segment, before length_ratio",
       optional, anything},
      {"length_ratio", Kind::ratio, "1:1", "a:b multiplies copies and GPU work by b/a", optional,
       ratio_terms},
      {"copies", Kind::word, "two", "of a GPU segment: one before it, or one before and one behind it",
       optional, anything, copies_words},
      {"gpu_overhead", Kind::duration, "50us", "part of every GPU segment that more SMs do not shorten"},
      {"interleave", Kind::decimals, "[1.69, 1.61, 1.46, 1.8, 1.24]",
       "interleave ratios to choose from, for each GPU segment", optional, interleave_ratios},
      {"best_share", Kind::decimal, "0.8", "best cases as a share of the worst cases", optional, at_most_1},
      {"sms", Kind::integer, "10", "physical SMs of the GPU", optional, limits::sms},
      {"virtual_sms_per_sm", Kind::integer, "2", "virtual SMs of each", optional, limits::virtual_sms_per_sm},
      {"arrival", Kind::word, "periodic", "of all tasks", optional, anything, arrival_words()},
  }};
  return all;
}

/// value * numerator / denominator, rounded down.
Int128 scaled(Int128 value, const Ratio& ratio) { return value * ratio.second / ratio.first; }

/// [least, most] of a length before the ratio.
Interval range_of(const Parameters& parameters, std::string_view key) {
  const std::vector<Duration>& ends = parameters.durations(key);
  return {ends[0], ends[1]};
}

std::int64_t copies_of(const Parameters& parameters) { return parameters.word("copies") == "two" ? 2 : 1; }

/// A GPU segment contains its overhead.
void check_overhead(const Parameters& parameters, std::vector<ParameterProblem>& problems) {
  if (parameters.integer("subtasks") == 1) return;
  const std::vector<Rational>& ratios = parameters.decimals("interleave");
  const Rational& interleave = *std::min_element(ratios.begin(), ratios.end());
  const Int128 shortest = scaled(range_of(parameters, "gpu").best.count(), parameters.ratio("length_ratio"));
  const Int128 overhead = parameters.duration("gpu_overhead").count();
  // An overhead has 63 bits, so any longer work is long enough.
  if (shortest >= overhead || overhead * interleave.denominator() <= shortest * interleave.numerator())
    return;
  problems.push_back({"gpu_overhead",
                      fmt::format("gpu_overhead {} is more than the shortest GPU segment, {} * interleave {}",
                                  tactus::to_text(parameters.duration("gpu_overhead")),
                                  tactus::to_text(Duration{static_cast<std::int64_t>(shortest)}),
                                  to_text(ParameterValue{interleave})),
                      "the overhead is part of the work: make it smaller or the work longer"});
}

/// The longest chain that can be drawn.
Int128 longest_chain(const Parameters& parameters) {
  const Int128 subtasks = parameters.integer("subtasks");
  const Ratio ratio = parameters.ratio("length_ratio");
  const auto most = [&](std::string_view key) -> Int128 { return range_of(parameters, key).worst.count(); };
  return subtasks * most("cpu") +
         (subtasks - 1) * (copies_of(parameters) * scaled(most("copy"), ratio) + scaled(most("gpu"), ratio));
}

Int128 rounded_up(Int128 dividend, std::int64_t divisor) { return (dividend + divisor - 1) / divisor; }

/// Every deadline must fit.
void check_deadlines(const Parameters& parameters, std::vector<ParameterProblem>& problems) {
  const Utilisation least = min_possible(parameters);
  if (least.steps == 0) {
    problems.push_back({"utilisation_least", "a task could get the utilisation 0 and an endless deadline",
                        "make utilisation_least larger, for instance 0.01"});
    return;
  }
  const Int128 chain = longest_chain(parameters);
  if (chain == 0) {
    problems.push_back({"cpu", "no segment takes any time", "make one of the ranges longer"});
  } else if (chain > max_nanoseconds ||
             rounded_up(chain << Utilisation::bits, least.steps) > max_nanoseconds) {
    problems.push_back({"utilisation_least", "a deadline could pass 64 bits of nanoseconds",
                        "use shorter segments, fewer subtasks or a larger utilisation_least"});
  }
}

std::vector<ParameterProblem> check(const Parameters& parameters) {
  std::vector<ParameterProblem> problems;
  check_utilisations(parameters, problems);
  for (const std::string_view key : {"cpu", "copy", "gpu"}) check_range(parameters, key, problems);
  if (!problems.empty()) return problems;
  check_overhead(parameters, problems);
  check_deadlines(parameters, problems);
  return problems;
}

/// Draws the segments of one task.
class ChainMaker {
 public:
  ChainMaker(const Parameters& parameters, std::uint64_t seed, std::size_t task)
      : parameters_{parameters}, seed_{seed}, task_{task} {}

  Work make() {
    work_.form = WorkForm::chain;
    const auto subtasks = static_cast<std::size_t>(parameters_.integer("subtasks"));
    const bool two = copies_of(parameters_) == 2;
    for (std::size_t i = 0; i < subtasks; ++i) {
      if (i > 0) {
        // The first copies are the same in both forms.
        add(CopySegment{.time = draw_time(Length::copy, 2 * i), .bytes = {}});
        add(draw_gpu(i));
        if (two) add(CopySegment{.time = draw_time(Length::copy, 2 * i + 1), .bytes = {}});
      }
      add(CpuSegment{draw_time(Length::cpu, i)});
    }
    return std::move(work_);
  }

 private:
  void add(const Segment& segment) { work_.nodes.push_back({.name = "", .segment = segment}); }

  [[nodiscard]] Interval draw_time(Length length, std::size_t number) const {
    constexpr std::array<std::string_view, 3> keys{"cpu", "copy", "gpu"};
    const auto kind = static_cast<std::size_t>(length);
    const Interval range = range_of(parameters_, keys.at(kind));
    const Duration drawn =
        draw_between(draw_bits(seed_, Purpose::segment, task_, kind, number), range.best, range.worst);
    const Ratio ratio = length == Length::cpu ? Ratio{} : parameters_.ratio("length_ratio");
    const Int128 worst = scaled(drawn.count(), ratio);
    const Rational& share = parameters_.decimal("best_share");
    const Int128 best = worst * share.numerator() / share.denominator();
    return {Duration{static_cast<std::int64_t>(best)}, Duration{static_cast<std::int64_t>(worst)}};
  }

  [[nodiscard]] GpuSegment draw_gpu(std::size_t number) const {
    const std::vector<Rational>& ratios = parameters_.decimals("interleave");
    const std::uint64_t bits = draw_bits(seed_, Purpose::interleave, task_, number);
    return {.work = draw_time(Length::gpu, number),
            .overhead = Interval::exactly(parameters_.duration("gpu_overhead")),
            .interleave = ratios[static_cast<std::size_t>(draw_below(bits, ratios.size()))]};
  }

  const Parameters& parameters_;
  std::uint64_t seed_;
  std::size_t task_;
  Work work_;
};

Duration deadline_of(const Work& work, Utilisation utilisation) {
  Int128 sum = 0;
  for (const Node& node : work.nodes) sum += drawn_time(node.segment).worst.count();
  const Int128 deadline = rounded_up(sum << Utilisation::bits, utilisation.steps);
  return Duration{std::max<std::int64_t>(1, static_cast<std::int64_t>(deadline))};
}

System make(const Parameters& parameters, std::uint64_t seed) {
  System system;
  system.platform.clusters = {1};
  system.platform.gpu.sms = static_cast<std::int32_t>(parameters.integer("sms"));
  system.platform.gpu.virtual_sms_per_sm =
      static_cast<std::int32_t>(parameters.integer("virtual_sms_per_sm"));
  system.platform.gpu.copy_engines = 1;
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  system.policy.levels = system.platform.gpu.priority_levels;
  const std::vector<Utilisation> shares = draw_utilisations(parameters, "rtgpu", seed);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    Task task;
    task.name = fmt::format("task{}", i);
    task.arrival = arrival_of(parameters.word("arrival"));
    task.work = ChainMaker{parameters, seed, i}.make();
    task.deadline = deadline_of(task.work, shares[i]);
    task.period = task.deadline;
    system.tasks.push_back(std::move(task));
  }
  return system;
}

}  // namespace

Generator rtgpu() {
  return {.id = "rtgpu",
          .title = "chains of CPU segments, copies and GPU work on virtual SMs of their own",
          .source = "RTGPU, section 6.1 (Table 1) and section 6.3",
          .parameters = specification(),
          .check = check,
          .make = make};
}

}  // namespace tactus::generate
