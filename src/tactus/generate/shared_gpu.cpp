// Generator `shared-gpu`: tasks that go from their core to a GPU which all of them share, and back.
//
// A job is so many rounds of CPU, copy, GPU, copy, and CPU at the end. A task with the utilisation u and the
// period T works for u T in all, whatever server it is on. A share of that, drawn for each task, is GPU work,
// another share is copies, the rest is CPU; each is cut into its segments by weights between 1 and 3. A task
// without GPU work is one CPU segment. Tasks are put on cores in their order, each on the core that has the
// least to do until then; a task that waits busily counts whole.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tactus/base/random.hpp"
#include "tactus/generate/generator.hpp"
#include "tactus/generate/job_tasks.hpp"
#include "tactus/generate/periods.hpp"
#include "tactus/generate/utilisation_parameters.hpp"

namespace tactus::generate {

namespace {

constexpr std::array<std::string_view, 4> strategy_words{"single-stream", "multi-stream", "as-submitted",
                                                         "time-sliced"};
constexpr std::array<std::string_view, 2> wait_words{"suspend", "busy"};
constexpr Range round_counts{1, 1'000};

/// The purpose of a draw of a segment.
enum class Draw : std::uint8_t { gpu_share, copy_share, uses_gpu, cpu, copy, gpu };

std::span<const Parameter> specification() {
  using Kind = ParameterKind;
  static const std::array<Parameter, 25> all{{
      {"tasks", Kind::integer, "9", "how many", optional, task_counts},
      {"utilisation", Kind::decimal, "", "of all tasks together; CPU, copies and GPU work all count",
       required, any_utilisation},
      {"utilisation_method", Kind::word, utilisation_method::uunifast_discard, "how it is shared out",
       optional, anything, utilisation_method_words()},
      {"utilisation_least", Kind::decimal, "0", "no task has less; scaled-uniform: before scaling", optional,
       any_utilisation},
      {"utilisation_limit", Kind::decimal, "1", "no task has more; scaled-uniform: before scaling", optional,
       any_utilisation},
      {"periods_between", Kind::durations, "[10ms, 100ms]", "[least, most], log-uniform", optional,
       at_least_1ns},
      {"granularity", Kind::duration, "1us", "periods are multiples of it", optional, at_least_1ns},
      {"deadline_least", Kind::decimal, "1",
       "deadlines are uniform from this share of the period to all of it", optional, at_most_1},
      {"cores", Kind::integer, "4", "CPU cores", optional, limits::cpus},
      {"rounds", Kind::integer, "1", "GPU segments of a job, each with a copy before and behind it", optional,
       round_counts},
      {"gpu_users", Kind::decimal, "1", "how likely a task has GPU work", optional, at_most_1},
      {"gpu_share", Kind::decimals, "[0.2, 0.7]", "[least, most] of a job's time that is GPU work", optional,
       at_most_1},
      {"copy_share", Kind::decimals, "[0.05, 0.2]", "[least, most] of a job's time that is copies", optional,
       at_most_1},
      {"best_share", Kind::decimal, "0.6", "best cases as a share of the worst cases", optional, at_most_1},
      {"block_share", Kind::decimal, "0.1", "longest block as a share of a task's longest GPU segment",
       optional, at_most_1},
      {"arrival", Kind::word, "sporadic", "of all tasks", optional, anything, arrival_words()},
      {"wait", Kind::word, "suspend", "what all tasks do while they wait for copies and GPU", optional,
       anything, wait_words},
      {"strategy", Kind::word, "single-stream", "how they share the GPU", optional, anything, strategy_words},
      {"order", Kind::word, "fp", "of the strategy", optional, anything, order_words()},
      {"levels", Kind::integer, "2", "stream priorities of the GPU, and levels of multi-stream", optional,
       limits::priority_levels},
      {"time_slice", Kind::duration, "2ms", "of time-sliced", optional, at_least_1ns},
      {"sms", Kind::integer, "2", "SMs of the GPU", optional, limits::sms},
      {"copy_engines", Kind::integer, "1", "of the GPU", optional, limits::copy_engines},
      {"launch", Kind::duration, "0ns", "launch overhead of the platform"},
      {"completion", Kind::duration, "0ns", "completion overhead of the platform"},
  }};
  return all;
}

void check_shares(const Parameters& parameters, std::string_view key,
                  std::vector<ParameterProblem>& problems) {
  const std::vector<Rational>& ends = parameters.decimals(key);
  if (ends.size() == 2 && ends[0] <= ends[1]) return;
  problems.push_back({key, fmt::format("{} is not [least, most]", key),
                      "write two decimals, the smaller first, for instance [0.2, 0.7]"});
}

std::vector<ParameterProblem> check(const Parameters& parameters) {
  std::vector<ParameterProblem> problems;
  check_utilisations(parameters, problems);
  check_range(parameters, "periods_between", problems);
  check_shares(parameters, "gpu_share", problems);
  check_shares(parameters, "copy_share", problems);
  if (!problems.empty()) return problems;
  // In tenths of a percent, rounded up: decimals may have more digits than their sum can have.
  const auto most = [&](std::string_view key) {
    const Rational& share = parameters.decimals(key)[1];
    return (static_cast<Int128>(share.numerator()) * 1000 + share.denominator() - 1) / share.denominator();
  };
  if (most("gpu_share") + most("copy_share") > 1000) {
    problems.push_back({"copy_share", "gpu_share and copy_share together may be more than 1",
                        "make one of them smaller: what they leave is CPU time"});
  }
  return problems;
}

/// Uniform over [least, most] of the parameter, as a share of the time.
Duration draw_part(Duration time, const std::vector<Rational>& ends, std::uint64_t bits) {
  return draw_between(bits, part_of(time, ends[0]), part_of(time, ends[1]));
}

/// Makes the chain of one task.
class ChainMaker {
 public:
  ChainMaker(const Parameters& parameters, std::uint64_t seed, std::size_t task)
      : parameters_{parameters}, seed_{seed}, task_{task} {}

  Work make(Duration whole) {
    Work work{.form = WorkForm::chain, .nodes = {}, .edges = {}};
    const auto rounds = static_cast<std::size_t>(parameters_.integer("rounds"));
    const Duration gpu = draw_part(whole, parameters_.decimals("gpu_share"), draw(Draw::gpu_share));
    const Duration copy = draw_part(whole, parameters_.decimals("copy_share"), draw(Draw::copy_share));
    cpu_ = uses_gpu() ? whole - gpu - copy : whole;
    if (!uses_gpu()) {
      work.nodes.push_back({.name = "", .segment = CpuSegment{interval(whole)}});
      return work;
    }
    const std::vector<Interval> on_cpu = cut(cpu_, Draw::cpu, rounds + 1);
    const std::vector<Interval> copies = cut(copy, Draw::copy, 2 * rounds);
    const std::vector<Interval> on_gpu = cut(gpu, Draw::gpu, rounds);
    for (std::size_t i = 0; i < rounds; ++i) {
      work.nodes.push_back({.name = "", .segment = CpuSegment{on_cpu[i]}});
      work.nodes.push_back({.name = "", .segment = CopySegment{.time = copies[2 * i], .bytes = {}}});
      work.nodes.push_back({.name = "", .segment = ExclusiveSegment{on_gpu[i]}});
      work.nodes.push_back({.name = "", .segment = CopySegment{.time = copies[2 * i + 1], .bytes = {}}});
      longest_ = std::max(longest_, on_gpu[i].worst);
    }
    work.nodes.push_back({.name = "", .segment = CpuSegment{on_cpu[rounds]}});
    return work;
  }

  /// Of the chain made last: its CPU time, and its longest GPU segment.
  [[nodiscard]] Duration cpu() const { return cpu_; }
  [[nodiscard]] Duration longest() const { return longest_; }

 private:
  [[nodiscard]] std::uint64_t draw(Draw purpose, std::size_t number = 0) const {
    return draw_bits(seed_, Purpose::segment, task_, static_cast<std::uint64_t>(purpose), number);
  }

  [[nodiscard]] bool uses_gpu() const {
    const Rational& likely = parameters_.decimal("gpu_users");
    const auto all = static_cast<std::uint64_t>(likely.denominator());
    return draw_below(draw(Draw::uses_gpu), all) < static_cast<std::uint64_t>(likely.numerator());
  }

  [[nodiscard]] Interval interval(Duration worst) const {
    return {part_of(worst, parameters_.decimal("best_share")), worst};
  }

  /// The time in so many pieces, which add up to it; none takes no time.
  [[nodiscard]] std::vector<Interval> cut(Duration time, Draw purpose, std::size_t count) const {
    constexpr std::int64_t unit = 1'000'000;
    std::vector<std::int64_t> until{0};
    for (std::size_t i = 0; i < count; ++i) {
      const Duration weight = draw_between(draw(purpose, i), Duration{unit}, Duration{3 * unit});
      until.push_back(until.back() + weight.count());
    }
    std::vector<Interval> pieces;
    const auto point = [&](std::size_t i) {
      return Duration{static_cast<std::int64_t>(static_cast<Int128>(time.count()) * until[i] / until.back())};
    };
    for (std::size_t i = 0; i < count; ++i) {
      pieces.push_back(interval(std::max(point(i + 1) - point(i), Duration{1})));
    }
    return pieces;
  }

  const Parameters& parameters_;
  std::uint64_t seed_;
  std::size_t task_;
  Duration cpu_{};
  Duration longest_{};
};

Task make_task(const Parameters& parameters, std::uint64_t seed, std::size_t number, Utilisation share,
               std::vector<Int128>& loads) {
  Task task;
  task.name = fmt::format("task{}", number);
  task.arrival = arrival_of(parameters.word("arrival"));
  const std::vector<Duration>& ends = parameters.durations("periods_between");
  const Duration period = log_uniform(ends[0], ends[1], parameters.duration("granularity"),
                                      draw_bits(seed, Purpose::period, 0, number));
  task.period = period;
  task.deadline = uniform_deadline(period, parameters.decimal("deadline_least"),
                                   draw_bits(seed, Purpose::deadline, 0, number));
  task.wait = parameters.word("wait") == "busy" ? Waiting::busy : Waiting::suspend;
  const Duration whole = part_of(period, share);
  ChainMaker maker{parameters, seed, number};
  task.work = maker.make(whole);
  const Rational& block = parameters.decimal("block_share");
  if (uses_gpu(task.work) && block < Rational{1}) {
    const Duration least{block.numerator() == 0 ? 0 : 1};
    task.longest_block = std::max(least, part_of(maker.longest(), block));
  }
  const auto core = std::min_element(loads.begin(), loads.end());
  task.core = static_cast<std::int32_t>(core - loads.begin());
  const Duration held = task.wait == Waiting::busy ? whole : maker.cpu();
  *core += (static_cast<Int128>(held.count()) << Utilisation::bits) / period.count();
  return task;
}

System make(const Parameters& parameters, std::uint64_t seed) {
  System system;
  const auto number = [&](std::string_view key) {
    return static_cast<std::int32_t>(parameters.integer(key));
  };
  system.platform.clusters = {number("cores")};
  system.platform.gpu.sms = number("sms");
  system.platform.gpu.copy_engines = number("copy_engines");
  system.platform.gpu.priority_levels = number("levels");
  system.platform.overheads.launch = parameters.duration("launch");
  system.platform.overheads.completion = parameters.duration("completion");
  system.policy.strategy = strategy_named(parameters.word("strategy"));
  system.policy.order = parameters.word("order") == "fp" ? Order::fp : Order::edf;
  system.policy.levels = number("levels");
  system.policy.time_slice = parameters.duration("time_slice");
  std::vector<Int128> loads(static_cast<std::size_t>(number("cores")));  // of the cores, until now
  const std::vector<Utilisation> shares = draw_utilisations(parameters, "shared-gpu", seed);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    system.tasks.push_back(make_task(parameters, seed, i, shares[i], loads));
  }
  return system;
}

}  // namespace

Generator shared_gpu() {
  return {.id = "shared-gpu",
          .title = "chains of CPU work, copies and GPU work on a few cores and one GPU",
          .source = "ours",
          .parameters = specification(),
          .check = check,
          .make = make};
}

}  // namespace tactus::generate
