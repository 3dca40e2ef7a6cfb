#include "tactus/analysis/device_requests.hpp"

#include <algorithm>

namespace tactus::analysis {

namespace {

bool is_request(const Stage& stage) { return stage.server == ServerKind::gpu && stage.is_issued(); }

}  // namespace

Stages with_requests(const Stages& stages) {
  Stages merged;
  for (const Stage& stage : stages) {
    const ServerKind server = stage.server == ServerKind::cpu ? ServerKind::cpu : ServerKind::gpu;
    if (merged.empty() || merged.back().server != server) merged.push_back({server, {}});
    Interval& time = merged.back().time;
    time = {checked_add(time.best, stage.time.best), checked_add(time.worst, stage.time.worst)};
  }
  return merged;
}

Duration worst_time(const Stages& stages, ServerKind server) {
  Duration sum{};
  for (const Stage& stage : stages) {
    if (stage.server == server) sum = checked_add(sum, stage.time.worst);
  }
  return sum;
}

std::int64_t count_requests(const Stages& requests) {
  return std::count_if(requests.begin(), requests.end(), is_request);
}

Duration longest_request(const Stages& requests) {
  Duration longest{};
  for (const Stage& stage : requests) {
    if (is_request(stage)) longest = std::max(longest, stage.time.worst);
  }
  return longest;
}

Duration longest_copying(const Stages& stages) {
  Duration longest{};
  Duration copying{};
  for (const Stage& stage : stages) {
    if (stage.server == ServerKind::cpu) copying = Duration{};
    if (stage.server == ServerKind::copy) copying = checked_add(copying, stage.time.worst);
    longest = std::max(longest, copying);
  }
  return longest;
}

}  // namespace tactus::analysis
