// Uses the installed library the way somebody else's program would: every header of docs/api.md, and no
// other. The page shows these functions. Status 0 only if all answers are right.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <tactus/check.hpp>
#include <tactus/falsify.hpp>
#include <tactus/generate.hpp>
#include <tactus/measure.hpp>
#include <tactus/plan.hpp>
#include <tactus/runtime.hpp>
#include <tactus/simulate.hpp>
#include <tactus/strategy.hpp>
#include <tactus/system.hpp>
#include <tactus/trace.hpp>

namespace {

using namespace std::chrono_literals;

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error{std::string{"wrong: "} + what};
}

/// One kernel every 4 ms. 8 blocks of 512 threads fill the two SMs, so its 12 blocks take two rounds of 1 ms.
tactus::System describe_system() {
  tactus::Task task;
  task.name = "filter";
  task.period = 4ms;
  task.deadline = 4ms;
  task.work.nodes = {{"", tactus::KernelSegment{.grid = {12, 1, 1}, .block = 512, .block_time = {1ms, 1ms}}}};

  tactus::System system;
  system.name = "described";
  system.platform = *tactus::find_preset("jetson-tx2");
  system.policy.strategy = tactus::strategy_named("single-stream");
  system.tasks = {task};
  if (!tactus::validate(system).empty()) throw std::runtime_error{"breaks a rule of the model"};
  return system;
}

bool check(const tactus::System& system) {
  const tactus::analysis::CheckResult result = tactus::analysis::check(system);
  for (const tactus::analysis::CheckedAnalysis& checked : result.analyses) {
    if (checked.result.applies()) std::cout << checked.analysis.id << ": " << checked.result.reason << "\n";
  }
  for (const tactus::analysis::ProvenBound& proven : tactus::analysis::proven_bounds(system, result)) {
    if (proven.bound) std::cout << "done after " << tactus::to_text(*proven.bound) << "\n";
  }
  return result.verdict == tactus::analysis::Verdict::schedulable;
}

class Completions : public tactus::trace::Observer {
 public:
  using Observer::on;
  [[nodiscard]] tactus::trace::Interests interests() const override { return {.ends = true}; }
  void on(const tactus::trace::JobEnded& event) override { all.push_back(event.completion); }

  std::vector<tactus::Time> all;
};

/// The instants at which jobs complete before `horizon`, in order.
std::vector<tactus::Time> simulate(const tactus::System& system, tactus::Duration horizon) {
  Completions completions;
  tactus::trace::Statistics statistics{system.tasks.size()};
  tactus::trace::PerfettoExporter exporter{"trace.json", system};
  const std::array<tactus::trace::Observer*, 3> observers{&completions, &statistics, &exporter};
  const tactus::sim::Outcome outcome = tactus::sim::simulate(system, {.horizon = horizon}, observers);
  exporter.finish(outcome.reached);
  std::cout << outcome.completed << " jobs, " << statistics.misses() << " misses\n";
  return completions.all;
}

bool plan(tactus::System system) {
  system.policy.order = tactus::Order::fp;
  const tactus::plan::Plan plan = tactus::plan::plan(system);
  if (plan.found) tactus::save(plan.planned, "planned.yaml");
  return plan.found;
}

std::uint64_t run(const tactus::System& system) {
  std::atomic<std::uint64_t> blocks{0};
  tactus::Runtime runtime{tactus::host_device(), system};
  runtime.bind_blocks("filter", [&](tactus::Job& /*job*/) { ++blocks; });
  const tactus::RunReport report = runtime.run_for(1s);
  if (!report.outcome.failure.empty()) throw std::runtime_error{report.outcome.failure};
  return blocks;
}

/// Jobs go through one stream in the order of their releases.
class FifoStream final : public tactus::sched::Strategy {
 public:
  explicit FifoStream(const tactus::System& system) {
    for (const tactus::Task& task : system.tasks) calls_.push_back(tactus::sched::call_order(task));
  }

  void on_released(tactus::sched::JobId id, const tactus::sched::JobRow& job) noexcept override {
    released_.push_back({id, job.task});
  }
  void schedule(tactus::Time /*now*/, const tactus::sched::JobTable& /*jobs*/, tactus::sched::Pass& pass,
                tactus::sched::Commands& commands) noexcept override {
    for (; !released_.empty() && pass.may_submit(released_.front().id); released_.pop_front()) {
      const auto& [id, task] = released_.front();
      for (const tactus::sched::GpuCall& call : calls_[task]) {
        commands.emplace_back(
            tactus::sched::Submit{.id = {id, call.segment}, .server = call.server, .stream = 0});
      }
    }
  }
  [[nodiscard]] std::uint32_t streams() const override { return 1; }
  [[nodiscard]] std::vector<tactus::sched::Lane> lanes() const override { return {{.stream = 0}}; }
  void reserve(std::size_t /*jobs*/) override {}

 private:
  struct Released {
    tactus::sched::JobId id;
    tactus::TaskIndex task = 0;
  };
  std::vector<std::vector<tactus::sched::GpuCall>> calls_;  // by task
  std::deque<Released> released_;
};

constexpr std::array fifo_orders{tactus::Order::edf};

constexpr tactus::sched::StrategyEntry fifo_stream{
    .facts = {.name = "fifo-stream", .orders = fifo_orders, .has_order = false},
    .refusals =
        [](const tactus::System& system, const tactus::sched::Capabilities&) {
          return tactus::sched::refuse_other_than_gpu_work(system, "fifo-stream");
        },
    .make = [](const tactus::System& system) -> std::unique_ptr<tactus::sched::Strategy> {
      return std::make_unique<FifoStream>(system);
    }};

tactus::System use_own_strategy(tactus::System system) {
  tactus::sched::add_strategy(fifo_stream);
  system.policy.strategy = tactus::strategy_named("fifo-stream");
  return system;
}

tactus::System generate() {
  const tactus::generate::Generator& generator = *tactus::generate::find_generator("gpu-jobs");
  tactus::generate::Parameters parameters{generator.parameters};
  parameters.set("tasks", std::int64_t{5});
  parameters.set("utilisation", tactus::Rational{1, 2});
  parameters.set("periods", std::vector<tactus::Duration>{10ms, 20ms, 40ms});
  return generator.make(parameters, 1);
}

bool falsify() {
  const tactus::analysis::Analysis& analysis = *tactus::analysis::find("np-edf-as-published");
  const tactus::falsify::Family family = *tactus::falsify::family_of(analysis.id);
  const tactus::falsify::Summary summary = tactus::falsify::falsify(analysis, family, {.systems = 1000});
  if (summary.broken) std::cout << tactus::falsify::replay_file(analysis, *summary.broken);
  return summary.broken.has_value();
}

tactus::Duration measure() {
  const std::vector<tactus::Duration> samples{98us, 100us, 99us};
  const tactus::measure::SampleSummary summary = tactus::measure::summary_of(samples);
  return tactus::measure::MarginRule{}.apply(summary);  // max * 1.2
}

void run_all(const std::string& file) {
  const tactus::System described = describe_system();
  const std::vector<tactus::Time> expected{tactus::time_at(2ms), tactus::time_at(6ms)};
  expect(simulate(described, 8ms) == expected, "the jobs complete at 2ms and 6ms");
  expect(simulate(use_own_strategy(described), 8ms) == expected, "also under a strategy of one's own");
  expect(check(described), "its deadlines are proven");
  expect(plan(described), "there are priorities with which they are");
  expect(run(described) > 0, "the function is called");
  expect(generate().tasks.size() == 5, "five tasks are generated");
  expect(falsify(), "the published test is broken");
  expect(measure() == 120us, "a fifth is added to the longest");

  const tactus::System loaded = tactus::load(file);
  const std::vector<tactus::Time> completions = simulate(loaded, *tactus::hyperperiod(loaded));
  expect(completions.size() == loaded.tasks.size(), "every task of the file completes once a hyperperiod");
}

}  // namespace

int main(int count, char** arguments) {
  try {
    expect(count == 2, "there is one argument, a system file");
    run_all(arguments[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
