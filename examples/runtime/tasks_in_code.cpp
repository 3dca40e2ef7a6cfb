// A system without a file: its tasks are made in code. docs/runtime.md shows this program.
#include <iostream>
#include <tactus/runtime.hpp>
using namespace std::chrono_literals;

tactus::Task make_detector() {
  tactus::Task task;
  task.name = "detector";
  task.period = 100ms;
  task.deadline = 80ms;
  task.work.form = tactus::WorkForm::chain;
  task.work.nodes = {
      {"", tactus::CpuSegment{tactus::Interval::exactly(2ms)}},
      {"", tactus::CopySegment{.time = {500us, 1ms}, .bytes = {}}},
      {"", tactus::KernelSegment{.grid = {64, 1, 1}, .block = 512, .block_time = {500us, 800us}}},
  };
  return task;
}

int main() {
  tactus::System system;
  system.name = "robot";
  system.platform = *tactus::find_preset("jetson-tx2");
  system.policy.strategy = tactus::strategy_named("federated");
  system.policy.order = tactus::Order::fp;

  tactus::Runtime runtime{tactus::host_device(), system};
  if (const auto reason = runtime.add(make_detector())) {
    std::cerr << *reason << "\n";
    return 1;
  }
  runtime.bind("detector", 0, [](tactus::Job& job) { std::cout << "job " << job.number() << "\n"; });
  const tactus::RunReport report = runtime.run_for(1s);
  std::cout << report.outcome.completed << " jobs done\n";
  return report.outcome.failure.empty() ? 0 : 3;
}
