// Uses the installed library the way somebody else's program would. Status 0 only if all answers are right.
#include <chrono>
#include <iostream>
#include <optional>

#include "tactus/base/text.hpp"
#include "tactus/model/presets.hpp"
#include "tactus/model/system.hpp"

namespace {

tactus::System two_tasks(const tactus::Platform& platform) {
  tactus::System system;
  system.platform = platform;
  for (const int milliseconds : {4, 6}) {
    tactus::Task task;
    task.period = std::chrono::milliseconds{milliseconds};
    task.deadline = task.period;
    system.tasks.push_back(task);
  }
  return system;
}

}  // namespace

int main() {
  const std::optional<tactus::Platform> platform = tactus::find_preset("jetson-tx2");
  if (!platform) {
    std::cerr << "the preset jetson-tx2 is not there\n";
    return 1;
  }
  std::cout << "jetson-tx2 has " << platform->gpu.sms << " SMs\n";

  const std::optional<tactus::Duration> hyperperiod = tactus::hyperperiod(two_tasks(*platform));
  if (hyperperiod != std::chrono::milliseconds{12}) {
    std::cerr << "the hyperperiod of 4ms and 6ms is not 12ms\n";
    return 1;
  }
  std::cout << "the hyperperiod is " << tactus::to_text(*hyperperiod) << "\n";
}
