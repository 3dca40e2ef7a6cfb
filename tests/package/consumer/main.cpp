// Uses the installed library the way somebody else's program would: describes a system, simulates it, and
// listens to what happens. Status 0 only if all answers are right.
#include <array>
#include <chrono>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <vector>

#include "tactus/base/text.hpp"
#include "tactus/model/presets.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sim/simulate.hpp"

namespace {

using std::chrono::milliseconds;

/// One kernel every 4 ms. 8 blocks of 512 threads fill the two SMs, so its 12 blocks take two rounds of 1 ms.
tactus::System describe_system() {
  const std::optional<tactus::Platform> platform = tactus::find_preset("jetson-tx2");
  if (!platform) throw std::runtime_error{"the preset jetson-tx2 is not there"};

  tactus::KernelSegment kernel;
  kernel.grid = {12, 1, 1};
  kernel.block = 512;
  kernel.block_time = tactus::Interval::exactly(milliseconds{1});

  tactus::Task task;
  task.name = "filter";
  task.period = milliseconds{4};
  task.deadline = milliseconds{4};
  task.work.nodes.push_back({.name = {}, .segment = kernel});

  tactus::System system;
  system.name = "consumer";
  system.platform = *platform;
  system.tasks.push_back(task);
  return system;
}

class Completions : public tactus::trace::Observer {
 public:
  [[nodiscard]] tactus::trace::Interests interests() const override { return {.ends = true}; }
  void on(const tactus::trace::JobEnded& event) override { all.push_back(event.completion); }

  std::vector<tactus::Time> all;
};

void run() {
  Completions completions;
  const std::array<tactus::trace::Observer*, 1> observers{&completions};
  tactus::sim::simulate(describe_system(), {.horizon = milliseconds{8}}, observers);

  for (const tactus::Time completion : completions.all) {
    std::cout << "completed at " << tactus::to_text(completion) << "\n";
  }
  const std::vector<tactus::Time> expected{tactus::at(milliseconds{2}), tactus::at(milliseconds{6})};
  if (completions.all != expected) throw std::runtime_error{"the jobs did not complete at 2ms and 6ms"};
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
