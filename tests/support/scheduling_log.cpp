#include "support/scheduling_log.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/recording.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {

namespace {

using nlohmann::json;

Time instant(const json& seconds) { return time_at(nanoseconds(std::llround(seconds.get<double>() * 1e9))); }

/// The only launch in a log: there is an entry for each phase, and one of them has the kernel's name.
const json& launch_in(const json& log, const std::string& path) {
  const json* found = nullptr;
  for (const json& entry : log.at("times")) {
    if (!entry.contains("kernel_name")) continue;
    if (found != nullptr) throw InputError{path + ": there are several launches", "log one iteration"};
    found = &entry;
  }
  if (found == nullptr) throw InputError{path + ": there is no launch"};
  return *found;
}

LoggedKernel kernel_of(const json& benchmark, const json& log, const std::string& path) {
  const json& launch = launch_in(log, path);
  LoggedKernel kernel;
  kernel.name = benchmark.at("label").get<std::string>();
  kernel.threads = launch.at("thread_count").get<std::int64_t>();
  kernel.shared_memory = launch.at("shared_memory").get<std::int64_t>();
  kernel.block_time = nanoseconds(benchmark.at("additional_info").get<std::int64_t>());
  kernel.called = instant(launch.at("cuda_launch_times").at(0));
  kernel.arrived = instant(launch.at("cuda_launch_times").at(1));
  const json& times = launch.at("block_times");
  const json& sms = launch.at("block_smids");
  const auto blocks = benchmark.at("block_count").get<std::size_t>();
  if (sms.size() != blocks || times.size() != 2 * blocks) {
    throw InputError{path + ": it has not the " + std::to_string(blocks) + " blocks of its configuration"};
  }
  for (std::size_t i = 0; i < blocks; ++i) {
    kernel.blocks.push_back({sms[i].get<std::int32_t>(), instant(times[2 * i]), instant(times[2 * i + 1])});
  }
  return kernel;
}

json parsed(const std::string& path) {
  try {
    return json::parse(read_file(path));
  } catch (const json::exception& error) {
    throw InputError{path + ": " + error.what()};
  }
}

/// Blocks of one kernel on one SM, the earliest first, from `zero` on.
using Place = std::pair<std::string, std::int32_t>;
using Schedule = std::map<Place, std::vector<LoggedBlock>>;

void add(Schedule& schedule, const std::string& kernel, LoggedBlock block) {
  schedule[{kernel, block.sm}].push_back(block);
}

void put_in_order(Schedule& schedule) {
  Time zero = never;
  for (const auto& [place, blocks] : schedule) {
    for (const LoggedBlock& block : blocks) zero = std::min(zero, block.start);
  }
  for (auto& [place, blocks] : schedule) {
    for (LoggedBlock& block : blocks) {
      block.start -= zero.time_since_epoch();
      block.end -= zero.time_since_epoch();
    }
    std::sort(blocks.begin(), blocks.end(), [](const LoggedBlock& a, const LoggedBlock& b) {
      return std::pair{a.start, a.end} < std::pair{b.start, b.end};
    });
  }
}

Schedule simulated(const System& system) {
  Recorder recorder{Recorder::Blocks::wanted};
  const std::array<trace::Observer*, 1> observers{&recorder};
  sim::SimulationOptions options;
  options.horizon = Duration::max() / 4;
  sim::simulate(system, options, observers);
  Schedule schedule;
  for (const trace::BlockRan& block : recorder.recording.blocks) {
    add(schedule, system.tasks[block.job.task].name, {block.sm, block.start, block.end});
  }
  return schedule;
}

Duration distance(Time a, Time b) { return a < b ? b - a : a - b; }

}  // namespace

std::vector<LoggedKernel> read_logs(const std::string& configuration) {
  const std::filesystem::path folder = std::filesystem::path{configuration}.parent_path();
  std::string path = configuration;
  try {
    const json whole = parsed(configuration);
    if (whole.value("max_iterations", 1) != 1) throw InputError{path + ": it has several iterations"};
    std::vector<LoggedKernel> kernels;
    for (const json& benchmark : whole.at("benchmarks")) {
      path = (folder / benchmark.at("log_name").get<std::string>()).string();
      kernels.push_back(kernel_of(benchmark, parsed(path), path));
    }
    if (kernels.empty()) throw InputError{path + ": it names no kernel"};
    return kernels;
  } catch (const json::exception& error) {
    throw InputError{path + ": " + error.what()};
  }
}

System system_of(const std::vector<LoggedKernel>& kernels, const std::string& platform) {
  Time first = never;
  for (const LoggedKernel& kernel : kernels) first = std::min(first, kernel.arrived);
  const auto in_ns_text = [](Duration time) { return std::to_string(in_ns(time)) + "ns"; };
  json system{{"tactus", 1}, {"name", "log"}, {"platform", platform}, {"tasks", json::array()}};
  for (const LoggedKernel& kernel : kernels) {
    system["tasks"].push_back({{"name", kernel.name},
                               {"arrival", "once"},
                               {"offset", in_ns_text(kernel.arrived - first)},
                               {"kernel",
                                {{"grid", kernel.blocks.size()},
                                 {"block", kernel.threads},
                                 {"block_time", in_ns_text(kernel.block_time)},
                                 {"shared_memory", std::to_string(kernel.shared_memory) + "B"}}}});
  }
  ReadResult read = read_system(system.dump(), "the system of the log");  // JSON is YAML
  if (!read.system) throw InputError{std::move(read.problems)};
  return *std::move(read.system);
}

Duration BlockPair::difference() const {
  return std::max(distance(logged.start, simulated.start), distance(logged.end, simulated.end));
}

Duration LogComparison::largest_difference() const {
  Duration largest{};
  for (const BlockPair& pair : blocks) largest = std::max(largest, pair.difference());
  return largest;
}

bool LogComparison::agrees() const { return elsewhere.empty() && largest_difference() <= start_offset; }

LogComparison compare_with_simulation(const std::vector<LoggedKernel>& kernels, const std::string& platform) {
  LogComparison comparison;
  Schedule logged;
  Time called = never;
  Time started = never;
  for (const LoggedKernel& kernel : kernels) {
    called = std::min(called, kernel.called);
    for (const LoggedBlock& block : kernel.blocks) {
      started = std::min(started, block.start);
      add(logged, kernel.name, block);
    }
  }
  comparison.start_offset = started - called;
  Schedule twins = simulated(system_of(kernels, platform));
  put_in_order(logged);
  put_in_order(twins);
  for (const auto& [place, blocks] : logged) {
    const std::vector<LoggedBlock>& others = twins[place];
    if (blocks.size() != others.size()) comparison.elsewhere.push_back(place.first);
    for (std::size_t i = 0; i < std::min(blocks.size(), others.size()); ++i) {
      comparison.blocks.push_back({place.first, blocks[i], others[i]});
    }
  }
  std::stable_sort(
      comparison.blocks.begin(), comparison.blocks.end(),
      [](const BlockPair& a, const BlockPair& b) { return a.simulated.start < b.simulated.start; });
  std::vector<std::string>& names = comparison.elsewhere;
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return comparison;
}

}  // namespace tactus::test
