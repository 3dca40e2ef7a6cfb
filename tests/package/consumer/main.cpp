// Uses the installed library the way somebody else's program would: loads a system or describes one,
// simulates it, and listens to what happens. Status 0 only if all answers are right.
#include <array>
#include <chrono>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tactus/base/text.hpp"
#include "tactus/io/system_file.hpp"
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
  system.name = "described";
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

/// The instants at which jobs complete before `horizon`, in order; also printed.
std::vector<tactus::Time> simulate(const tactus::System& system, tactus::Duration horizon) {
  Completions completions;
  const std::array<tactus::trace::Observer*, 1> observers{&completions};
  tactus::sim::simulate(system, {.horizon = horizon}, observers);
  std::cout << system.name << ":";
  for (const tactus::Time completion : completions.all) std::cout << " " << tactus::to_text(completion);
  std::cout << "\n";
  return completions.all;
}

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error{std::string{"wrong: "} + what};
}

void run(const std::string& file) {
  const std::vector<tactus::Time> expected{tactus::time_at(milliseconds{2}),
                                           tactus::time_at(milliseconds{6})};
  expect(simulate(describe_system(), milliseconds{8}) == expected, "the jobs complete at 2ms and 6ms");

  const tactus::System loaded = tactus::load(file);
  const std::vector<tactus::Time> completions = simulate(loaded, *tactus::hyperperiod(loaded));
  expect(completions.size() == loaded.tasks.size(), "every task of the file completes once a hyperperiod");
}

}  // namespace

int main(int count, char** arguments) {
  try {
    expect(count == 2, "there is one argument, a system file");
    run(arguments[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
