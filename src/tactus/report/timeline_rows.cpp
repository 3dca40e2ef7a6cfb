#include "tactus/report/timeline_rows.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "tactus/trace/lanes.hpp"

namespace tactus::report {

namespace {

Time last_event(const trace::Recording& recording, Time from) {
  Time last = from;
  for (const trace::BlockRan& block : recording.blocks) last = std::max(last, block.end);
  for (const trace::CopyRan& copy : recording.copies) last = std::max(last, copy.end);
  for (const trace::CpuRan& stretch : recording.cpus) last = std::max(last, stretch.end);
  for (const trace::JobEnded& job : recording.ends) {
    last = std::max(last, job.release);
    if (job.completion != never) last = std::max(last, job.completion);
  }
  return last;
}

Time end_of_range(const trace::Recording& recording, Time from) {
  const Time last = last_event(recording, from);
  Time end = last;
  const Time soon = saturating_add(last, (last - from) / 2);
  for (const trace::JobEnded& job : recording.ends) {
    if (job.deadline <= soon && job.deadline != never) end = std::max(end, job.deadline);
  }
  return end;
}

struct PlacedBar {
  Bar bar;
  std::int32_t server = 0;  // which SM, copy engine or CPU core
};

// A lane for each server; slots are given to all bars, so that a block keeps its row whatever part of the
// schedule is shown.
std::vector<Lane> lanes_of(std::vector<PlacedBar> bars, std::string_view name, std::size_t at_least) {
  std::stable_sort(bars.begin(), bars.end(),
                   [](const PlacedBar& a, const PlacedBar& b) { return a.bar.start < b.bar.start; });
  std::size_t servers = at_least;
  for (const PlacedBar& placed : bars)
    servers = std::max(servers, static_cast<std::size_t>(placed.server) + 1);
  std::vector<trace::Lanes> slots(servers);
  std::vector<Lane> lanes(servers);
  for (std::size_t i = 0; i < servers; ++i) {
    lanes[i].name = std::string{name} + " " + std::to_string(i);
    lanes[i].rows.resize(1);
  }
  for (const PlacedBar& placed : bars) {
    const auto server = static_cast<std::size_t>(placed.server);
    const std::size_t row = *slots[server].place(placed.bar.start, placed.bar.end);
    std::vector<std::vector<Bar>>& rows = lanes[server].rows;
    if (row >= rows.size()) rows.resize(row + 1);
    rows[row].push_back(placed.bar);
  }
  return lanes;
}

bool same_bars(const std::vector<Bar>& a, const std::vector<Bar>& b) {
  return std::ranges::equal(a, b, [](const Bar& x, const Bar& y) {
    return std::tie(x.job, x.segment, x.start, x.end) == std::tie(y.job, y.segment, y.start, y.end);
  });
}

// Joins neighbours that differ in nothing but the indices of their blocks.
std::vector<Lane> joined(std::vector<Lane> lanes) {
  std::vector<Lane> result;
  for (std::size_t first = 0; first < lanes.size();) {
    std::size_t last = first;
    while (last + 1 < lanes.size() &&
           std::ranges::equal(lanes[last + 1].rows, lanes[first].rows, same_bars)) {
      ++last;
    }
    if (last > first) lanes[first].name += "-" + std::to_string(last);
    lanes[first].servers = last - first + 1;
    result.push_back(std::move(lanes[first]));
    first = last + 1;
  }
  return result;
}

std::size_t number_of_rows(const std::vector<Lane>& lanes) {
  std::size_t rows = 0;
  for (const Lane& lane : lanes) rows += lane.rows.size();
  return rows;
}

// Leaves `most_rows` rows and returns how many there were besides.
std::size_t limit_rows(std::vector<Lane>& lanes, std::size_t most_rows) {
  std::size_t left_out = 0;
  for (Lane& lane : lanes) {
    const std::size_t kept = std::min(most_rows, lane.rows.size());
    left_out += lane.rows.size() - kept;
    lane.rows.resize(kept);
    most_rows -= kept;
  }
  std::erase_if(lanes, [](const Lane& lane) { return lane.rows.empty(); });
  return left_out;
}

// The least of 1, 2, 5, 10, 20, ... with fewer than `most` of it in the range.
std::int64_t round_step(std::int64_t range, std::int64_t most) {
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t step : {power, 2 * power, 5 * power}) {
      if (range / step < most) return step;
    }
  }
}

}  // namespace

Rows rows_of(const System& system, const trace::Recording& recording, const TimelineRange& range,
             std::size_t most_rows) {
  Rows result;
  result.from = range.from;
  result.to = std::max(range.to ? *range.to : end_of_range(recording, range.from),
                       saturating_add(range.from, nanoseconds(1)));

  std::vector<PlacedBar> blocks;
  for (const trace::BlockRan& block : recording.blocks) {
    blocks.push_back({{block.job, block.segment, block.block, block.start, block.end}, block.sm});
  }
  std::vector<PlacedBar> copies;
  for (const trace::CopyRan& copy : recording.copies) {
    copies.push_back({{copy.job, copy.segment, -1, copy.start, copy.end}, copy.engine});
  }
  std::vector<PlacedBar> cpus;
  for (const trace::CpuRan& stretch : recording.cpus) {
    cpus.push_back({{stretch.job, stretch.segment, -1, stretch.start, stretch.end}, stretch.core});
  }
  const auto is_outside = [&](const Bar& bar) { return bar.start >= result.to || bar.end <= result.from; };
  result.blocks = static_cast<std::size_t>(
      std::ranges::count_if(blocks, [&](const PlacedBar& placed) { return !is_outside(placed.bar); }));
  std::vector<Lane> engines = lanes_of(std::move(copies), "copy", 0);
  std::vector<Lane> cores = lanes_of(std::move(cpus), "CPU", 0);
  result.lanes = lanes_of(std::move(blocks), "SM", static_cast<std::size_t>(system.platform.gpu.sms));
  if (number_of_rows(cores) + number_of_rows(result.lanes) + number_of_rows(engines) > most_rows) {
    result.lanes = joined(std::move(result.lanes));
  }
  std::ranges::move(engines, std::back_inserter(result.lanes));
  // CPUs come first: that is where jobs begin.
  result.lanes.insert(result.lanes.begin(), std::make_move_iterator(cores.begin()),
                      std::make_move_iterator(cores.end()));
  result.left_out = limit_rows(result.lanes, most_rows);
  for (Lane& lane : result.lanes) {
    for (std::vector<Bar>& row : lane.rows) std::erase_if(row, is_outside);
  }

  result.jobs.resize(system.tasks.size());
  for (const trace::JobEnded& job : recording.ends) {
    const bool past = job.completion < result.from && (job.deadline < result.from || job.deadline == never);
    if (job.release <= result.to && !past) result.jobs.at(job.job.task).push_back(job);
  }
  return result;
}

Axis axis_of(Time from, Time to, std::size_t most_ticks) {
  struct Unit {
    std::int64_t nanoseconds;
    std::string_view name;
  };
  constexpr std::array<Unit, 4> units{{{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}}};
  const std::int64_t range = count(to - from);
  const std::int64_t step =
      round_step(range, static_cast<std::int64_t>(std::max<std::size_t>(most_ticks, 2)));
  const auto* unit =
      std::find_if(units.begin(), units.end() - 1, [&](const Unit& u) { return u.nanoseconds <= range; });
  Axis axis{.ticks = {}, .unit = unit->nanoseconds, .unit_name = unit->name};
  for (std::int64_t steps = ceil_div(count(from), step); steps <= count(to) / step; ++steps) {
    axis.ticks.push_back(at(nanoseconds(steps * step)));
  }
  return axis;
}

std::string Axis::label(Time time) const {
  const std::int64_t value = count(time);
  std::string text = std::to_string(value / unit);
  if (const std::int64_t rest = value % unit; rest != 0) {
    std::string digits = std::to_string(unit + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text;
}

}  // namespace tactus::report
