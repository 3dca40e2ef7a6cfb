// How fast SMs are divided among federated chains.
//
//   build/release/bin/tactus_bench --benchmark_filter=allocation
//
// Task sets: RTGPU's Table 1. n tasks, each of 5 CPU segments of 1 to 20 ms with, between them, copy (1 to 5
// ms), GPU work (1 to 20 ms) and copy; copies and GPU work half as long (length ratio 2:1) or 8 times as long
// (1:8). Best cases are 80 % of worst ones, launch overhead 50 us, interleave ratios 1.69, 1.61, 1.46, 1.80
// or 1.24. Utilisations uniform in [0.05, 1], scaled to the sum U; D = T = length / utilisation; two virtual
// SMs an SM, priorities by deadline. 200 sets a case, whatever the answer: stages for every number of SMs,
// then the search. The time to look at is that of one set on average. `accepted` is the share of sets that
// got SMs, `gave_up` of those without an answer, `max_bounds` the largest number of response bounds that one
// set took.
//   7on10_2to1, 7on10_1to8   n = 7, 10 SMs, length ratios 2:1 and 1:8
//   12on132                  n = 12, 132 SMs, GPU work 10 times as long as in Table 1
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "tactus/analysis/rtgpu_allocation.hpp"

namespace tactus {
namespace {

using analysis::FederatedTest;

struct Case {
  const char* name;
  int tasks;
  std::int32_t sms;
  double copies;  // factor on the lengths of Table 1
  double gpu;
  double utilisation;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_{seed} {}

  double between(double least, double most) {
    return std::uniform_real_distribution<double>{least, most}(random_);
  }
  Duration milliseconds(double least, double most) {
    return nanoseconds(static_cast<std::int64_t>(1e6 * between(least, most)));
  }
  static Interval from_eighty_percent(Duration worst) { return {worst * 4 / 5, worst}; }

  Task chain(const Case& what, double utilisation, const std::string& name) {
    constexpr std::array<std::int64_t, 5> interleave{169, 161, 146, 180, 124};
    Task task;
    task.name = name;
    task.arrival = Arrival::sporadic;
    task.work.form = WorkForm::chain;
    Duration length{};
    const auto add = [&](const Segment& segment, Duration worst) {
      task.work.nodes.push_back({"", segment});
      length += worst;
    };
    const auto add_copy = [&] {
      const Duration time = milliseconds(what.copies, 5 * what.copies);
      add(CopySegment{from_eighty_percent(time), std::nullopt, CopyDirection::unspecified}, time);
    };
    for (int i = 0; i < 5; ++i) {
      const Duration time = milliseconds(1, 20);
      add(CpuSegment{from_eighty_percent(time)}, time);
      if (i == 4) break;
      add_copy();
      const Duration work = milliseconds(what.gpu, 20 * what.gpu);
      const std::size_t ratio = std::uniform_int_distribution<std::size_t>{0, 4}(random_);
      add(GpuSegment{from_eighty_percent(work), Interval::exactly(nanoseconds(50'000)),
                     Rational{interleave[ratio], 100}},
          work);
      add_copy();
    }
    task.period = Duration{static_cast<std::int64_t>(static_cast<double>(length.count()) / utilisation)};
    task.deadline = task.period;
    return task;
  }

  System system(const Case& what) {
    System system;
    system.name = "bench";
    system.platform.gpu.sms = what.sms;
    system.policy.strategy = strategy_named("federated");
    system.policy.order = Order::fp;
    std::vector<double> shares;
    double sum = 0;
    for (int i = 0; i < what.tasks; ++i) {
      shares.push_back(between(0.05, 1));
      sum += shares.back();
    }
    for (const double share : shares) {
      system.tasks.push_back(
          chain(what, share / sum * what.utilisation, "task" + std::to_string(system.tasks.size())));
    }
    return system;
  }

 private:
  std::mt19937_64 random_;
};

void allocation(benchmark::State& state, const Case& what, FederatedTest test) {
  Draw draw{1};
  std::vector<System> systems;
  systems.reserve(200);
  for (int i = 0; i < 200; ++i) systems.push_back(draw.system(what));
  std::size_t next = 0;
  std::int64_t accepted = 0;
  std::int64_t gave_up = 0;
  std::int64_t max_bounds = 0;
  for (auto step : state) {
    static_cast<void>(step);
    const analysis::FederatedTasks tasks =
        analysis::federated_tasks(systems[next], analysis::StageTable::every_number);
    const analysis::AllocationResult result = analysis::search_allocation(tasks, test, tasks.sms);
    max_bounds = std::max(max_bounds, result.effort);
    accepted += result.allocation ? 1 : 0;
    gave_up += result.gave_up ? 1 : 0;
    next = (next + 1) % systems.size();
  }
  state.counters["accepted"] =
      benchmark::Counter(static_cast<double>(accepted), benchmark::Counter::kAvgIterations);
  state.counters["gave_up"] =
      benchmark::Counter(static_cast<double>(gave_up), benchmark::Counter::kAvgIterations);
  state.counters["max_bounds"] = static_cast<double>(max_bounds);
}

const std::array<Case, 9> cases{{
    {"7on10_2to1", 7, 10, 0.5, 0.5, 0.5},
    {"7on10_2to1", 7, 10, 0.5, 0.5, 1.0},
    {"7on10_1to8", 7, 10, 8, 8, 0.5},
    {"7on10_1to8", 7, 10, 8, 8, 1.0},
    {"7on10_1to8", 7, 10, 8, 8, 1.5},
    {"12on132", 12, 132, 1, 10, 0.5},
    {"12on132", 12, 132, 1, 10, 1.0},
    {"12on132", 12, 132, 1, 10, 1.5},
    {"12on132", 12, 132, 1, 10, 4.0},
}};

const bool registered = [] {
  for (const Case& what : cases) {
    for (const FederatedTest test : {FederatedTest::rtgpu, FederatedTest::rtgpu_paper}) {
      const std::string id = test == FederatedTest::rtgpu ? "rtgpu" : "rtgpu-paper";
      const std::string name = std::string{"allocation/"} + what.name + "/" + id + "/U" +
                               std::to_string(what.utilisation).substr(0, 3);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [what, test](benchmark::State& state) { allocation(state, what, test); })
          ->Iterations(200)
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace tactus
