// Verdicts per second of the analyses for whole GPU jobs.
//
//   build/release/bin/tactus_bench --benchmark_filter=verdicts
//
// Task sets: n tasks, utilisation 0.7 split at random (a uniform point of the simplex), deadlines uniform in
// the upper half between cost and period. Periods:
//   wide    log-uniform from 1 ms to 1 s, in whole nanoseconds: hyperperiods far beyond 64 bits
//   narrow  log-uniform from 100 ms to 300 ms, in whole nanoseconds. Long jobs of long periods block short
//           deadlines, so without preemption hardly a wide set of more than five tasks is schedulable
//   small   100, 120, 150, 200, 240 or 300 ms: the hyperperiod is at most 1.2 s
// Blocks are 50 us, or 0 for the tests of work that can be stopped anywhere; windows are 9 ms every 10 ms.
// Accepted and rejected sets are measured apart: 200 sets of one kind in a row, a whole analysis each, with
// its reason and its numbers. Where fewer than 20 sets of a kind are found in 4000 tries, the case is
// skipped.
//
// The rate to look at is "verdicts" (a second).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tactus/analysis/registry.hpp"

namespace tactus {
namespace {

constexpr double utilisation = 0.7;

std::vector<double> shares(int n, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit{0.0, 1.0};
  std::vector<double> cuts{0.0, 1.0};
  for (int i = 1; i < n; ++i) cuts.push_back(unit(random));
  std::sort(cuts.begin(), cuts.end());
  std::vector<double> result;
  for (int i = 0; i < n; ++i) {
    const auto place = static_cast<std::size_t>(i);
    result.push_back(utilisation * (cuts[place + 1] - cuts[place]));
  }
  return result;
}

enum class Periods { wide, narrow, small };

std::int64_t draw_period(Periods periods, std::mt19937_64& random) {
  constexpr std::array<std::int64_t, 6> few{100, 120, 150, 200, 240, 300};
  if (periods == Periods::small) {
    return 1'000'000 * few[std::uniform_int_distribution<std::size_t>{0, few.size() - 1}(random)];
  }
  const double unit = std::uniform_real_distribution<double>{0.0, 1.0}(random);
  return static_cast<std::int64_t>(periods == Periods::wide ? 1e6 * std::pow(1000.0, unit)
                                                            : 1e8 * std::pow(3.0, unit));
}

System draw(const std::string& id, int n, Periods periods, std::mt19937_64& random) {
  System system;
  system.name = "bench";
  system.platform.gpu.sms = 4;
  const bool streams = id.starts_with("ms-");
  const bool windows = id.starts_with("window-");
  system.policy.strategy = streams   ? strategy_named("multi-stream")
                           : windows ? strategy_named("sm-cores")
                                     : strategy_named("single-stream");
  system.policy.order = id.find("-fp") != std::string::npos ? Order::fp : Order::edf;
  system.policy.refill = id.ends_with("-immediate") ? Refill::immediate : Refill::lazy;
  system.policy.reservations =
      Reservations{nanoseconds(10'000'000), Window{nanoseconds(0), nanoseconds(9'000'000)}, std::nullopt};
  const bool ideal = windows && id != "window-blocks";
  const bool in_phase = id == "window-chunks" || id == "window-harmonic" || id == "window-exact";
  for (const double share : shares(n, random)) {
    const std::int64_t period = draw_period(periods, random);
    const std::int64_t cost =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(share * static_cast<double>(period)));
    Task task;
    task.name = "task" + std::to_string(system.tasks.size());
    task.arrival = in_phase ? Arrival::periodic : Arrival::sporadic;
    task.period = nanoseconds(period);
    task.deadline =
        nanoseconds(std::uniform_int_distribution<std::int64_t>{(cost + period) / 2, period}(random));
    task.sm = {SmAffinity::Kind::one, 0};
    task.longest_block = nanoseconds(ideal ? 0 : std::min<std::int64_t>(cost, 50'000));
    task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(nanoseconds(cost))}});
    system.tasks.push_back(std::move(task));
  }
  return system;
}

void verdicts(benchmark::State& state, const std::string& id, Periods periods, bool accepted) {
  constexpr std::size_t enough = 200;
  constexpr std::size_t fewest = 20;
  constexpr int tries = 4000;
  const analysis::Analysis& test = *analysis::find(id);
  std::mt19937_64 random{42};
  std::vector<System> systems;
  for (int i = 0; i < tries && systems.size() < enough; ++i) {
    System system = draw(id, static_cast<int>(state.range(0)), periods, random);
    const bool holds = test.run(system).verdict == analysis::Verdict::schedulable;
    if (holds == accepted) systems.push_back(std::move(system));
  }
  if (systems.size() < fewest) {
    state.SkipWithError("too few such sets");
    return;
  }
  for (auto _ : state) {
    for (const System& system : systems) benchmark::DoNotOptimize(test.run(system));
  }
  state.counters["verdicts"] =
      benchmark::Counter(static_cast<double>(systems.size()), benchmark::Counter::kIsIterationInvariantRate);
}

void register_test(const std::string& id, Periods periods, const std::string& word) {
  for (const bool accepted : {true, false}) {
    const std::string name = "verdicts/" + id + "/" + word + (accepted ? "/accepted" : "/rejected");
    benchmark::RegisterBenchmark(name.c_str(), verdicts, id, periods, accepted)
        ->Arg(5)
        ->Arg(10)
        ->Arg(20)
        ->Arg(50)
        ->Arg(200)
        ->Unit(benchmark::kMicrosecond);
  }
}

const bool registered = [] {
  for (const char* id : {"np-edf", "np-fp", "ms-edf", "ms-fp", "ms-edf-immediate", "ms-fp-immediate",
                         "window-sbf", "window-linear", "window-chunks", "window-blocks", "window-fp"}) {
    register_test(id, Periods::wide, "wide");
    register_test(id, Periods::narrow, "narrow");
    register_test(id, Periods::small, "small");
  }
  // One needs periods that are harmonic with the windows, the other a hyperperiod short enough to simulate.
  register_test("window-harmonic", Periods::small, "small");
  register_test("window-exact", Periods::small, "small");
  return true;
}();

}  // namespace
}  // namespace tactus
