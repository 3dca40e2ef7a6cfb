#include "tactus/generate/job_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tactus/model/presets.hpp"

namespace tactus::generate {

Task make_job_task(std::string name, Arrival arrival, Duration period, Duration deadline,
                   Utilisation utilisation, const BlockShare& blocks) {
  const Duration work = part_of(period, utilisation);
  Task task;
  task.name = std::move(name);
  task.arrival = arrival;
  task.period = period;
  task.deadline = deadline;
  task.work.nodes.push_back({.name = "", .segment = ExclusiveSegment{Interval::exactly(work)}});
  const Rational& share = blocks.share;
  if (share < Rational{1}) {
    const Duration least{share.numerator() == 0 ? 0 : 1};
    task.longest_block = std::max(least, part_of(work, share));
  }
  return task;
}

Duration part_of(Duration value, const Rational& share) {
  const Int128 part = static_cast<Int128>(value.count()) * share.numerator() / share.denominator();
  return Duration{static_cast<std::int64_t>(part)};
}

void check_range(const Parameters& parameters, std::string_view key,
                 std::vector<ParameterProblem>& problems) {
  const std::vector<Duration>& ends = parameters.durations(key);
  if (ends.size() == 2 && ends[0] <= ends[1]) return;
  problems.push_back({key, fmt::format("{} is not [least, most]", key),
                      "write two durations, the shorter first, for instance [1ms, 20ms]"});
}

Arrival arrival_of(std::string_view word) {
  return word == "sporadic" ? Arrival::sporadic : Arrival::periodic;
}

std::span<const std::string_view> arrival_words() {
  static constexpr std::array<std::string_view, 2> words{"periodic", "sporadic"};
  return words;
}

std::span<const std::string_view> order_words() {
  static constexpr std::array<std::string_view, 2> words{"edf", "fp"};
  return words;
}

std::span<const std::string_view> platform_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> names;
    for (const Preset& preset : presets()) names.push_back(preset.name);
    return names;
  }();
  return words;
}

}  // namespace tactus::generate
