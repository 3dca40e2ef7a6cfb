#include "tactus/generate/rtgpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "tactus/base/random.hpp"
#include "tactus/base/text.hpp"
#include "tactus/generate/job_tasks.hpp"
#include "tactus/generate/utilisation_parameters.hpp"

namespace tactus::generate {

namespace {

constexpr std::array<std::string_view, 2> copies_words{"one", "two"};
constexpr std::int64_t max_nanoseconds = Duration::max().count();

/// The purpose of a drawn length.
enum class Length : std::uint8_t { cpu, copy, gpu };

std::span<const Parameter> specification() {
  using Kind = ParameterKind;
  static const std::array<Parameter, 17> all{{
      {.key = "tasks", .kind = Kind::integer, .fallback = "5", .meaning = "how many", .allowed = {1, 10'000}},
      {.key = "subtasks",
       .kind = Kind::integer,
       .fallback = "5",
       .meaning = "CPU segments of a task; a GPU segment stands between each two",
       .allowed = {1, 1'000}},
      {.key = "utilisation",
       .kind = Kind::decimal,
       .fallback = {},
       .meaning = "of all tasks together; CPU, copies and GPU work all count",
       .required = true,
       .allowed = {0, Utilisation::most}},
      {.key = "utilisation_method",
       .kind = Kind::word,
       .fallback = utilisation_method::scaled_uniform,
       .meaning = "how it is shared out",
       .words = utilisation_method_words()},
      {.key = "utilisation_least",
       .kind = Kind::decimal,
       .fallback = "0.05",
       .meaning = "no task has less; scaled-uniform: before scaling",
       .allowed = {0, Utilisation::most}},
      {.key = "utilisation_limit",
       .kind = Kind::decimal,
       .fallback = "1",
       .meaning = "no task has more; scaled-uniform: before scaling",
       .allowed = {0, Utilisation::most}},
      {.key = "cpu",
       .kind = Kind::durations,
       .fallback = "[1ms, 20ms]",
       .meaning = "[least, most] of a CPU segment",
       .allowed = {0, max_nanoseconds}},
      {.key = "copy",
       .kind = Kind::durations,
       .fallback = "[1ms, 5ms]",
       .meaning = "[least, most] of a copy, before length_ratio",
       .allowed = {0, max_nanoseconds}},
      {.key = "gpu",
       .kind = Kind::durations,
       .fallback = "[1ms, 20ms]",
       .meaning = "[least, most] work of a GPU segment, before length_ratio",
       .allowed = {0, max_nanoseconds}},
      {.key = "length_ratio",
       .kind = Kind::ratio,
       .fallback = "1:1",
       .meaning = "a:b multiplies copies and GPU work by b/a",
       .allowed = {1, 1'000'000}},
      {.key = "copies",
       .kind = Kind::word,
       .fallback = "two",
       .meaning = "of a GPU segment: one before it, or one before and one behind it",
       .words = copies_words},
      {.key = "gpu_overhead",
       .kind = Kind::duration,
       .fallback = "50us",
       .meaning = "part of every GPU segment that more SMs do not shorten"},
      {.key = "interleave",
       .kind = Kind::decimals,
       .fallback = "[1.69, 1.61, 1.46, 1.8, 1.24]",
       .meaning = "interleave ratios to choose from, for each GPU segment",
       .allowed = {1, 1'000}},
      {.key = "best_share",
       .kind = Kind::decimal,
       .fallback = "0.8",
       .meaning = "best cases as a share of the worst cases",
       .allowed = {0, 1}},
      {.key = "sms",
       .kind = Kind::integer,
       .fallback = "10",
       .meaning = "physical SMs of the GPU",
       .allowed = limits::sms},
      {.key = "virtual_sms_per_sm",
       .kind = Kind::integer,
       .fallback = "2",
       .meaning = "virtual SMs of each",
       .allowed = limits::virtual_sms_per_sm},
      {.key = "arrival",
       .kind = Kind::word,
       .fallback = "periodic",
       .meaning = "of all tasks",
       .words = arrival_words()},
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

void check_range(const Parameters& parameters, std::string_view key,
                 std::vector<ParameterProblem>& problems) {
  const std::vector<Duration>& ends = parameters.durations(key);
  if (ends.size() == 2 && ends[0] <= ends[1]) return;
  problems.push_back({key, fmt::format("{} is not [least, most]", key),
                      "write two durations, the shorter first, for instance [1ms, 20ms]"});
}

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
