#include "tactus/report/timeline_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "tactus/trace/lanes.hpp"

namespace tactus::report {

namespace {

// With more rows than this, servers that did the same are no longer drawn one by one.
constexpr std::size_t comfortable_rows = 16;

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

// Servers of one kind.
struct Kind {
  std::string_view one;   // "SM"
  std::string_view many;  // "SMs"
  std::vector<Lane> servers;
};

std::string named(std::string_view kind, std::size_t first, std::size_t last) {
  return first == last ? fmt::format("{} {}", kind, first) : fmt::format("{} {}-{}", kind, first, last);
}

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
    lanes[i].name = named(name, i, i);
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

bool is_idle(const Lane& lane) {
  return std::ranges::all_of(lane.rows, [](const std::vector<Bar>& row) { return row.empty(); });
}

bool same_bars(const std::vector<Bar>& a, const std::vector<Bar>& b) {
  return std::ranges::equal(a, b, [](const Bar& x, const Bar& y) {
    return std::tie(x.job, x.segment, x.start, x.end) == std::tie(y.job, y.segment, y.start, y.end);
  });
}

std::size_t number_of_rows(const std::vector<Lane>& lanes) {
  std::size_t rows = 0;
  for (const Lane& lane : lanes) rows += lane.rows.size();
  return rows;
}

// One lane for all servers that did nothing, behind the others.
void add_idle(std::vector<Lane>& lanes, const Kind& kind, const std::vector<std::size_t>& idle) {
  if (idle.empty()) return;
  const bool in_a_row = idle.back() - idle.front() + 1 == idle.size();
  lanes.push_back({.name = in_a_row ? named(kind.one, idle.front(), idle.back())
                                    : fmt::format("{} {}", idle.size(), kind.many),
                   .rows = {},
                   .servers = idle.size(),
                   .form = LaneForm::idle});
}

// Every busy server by itself, or neighbours that differ in nothing but the indices of their blocks as one.
std::vector<Lane> one_by_one(const Kind& kind, bool join_equal) {
  std::vector<Lane> result;
  std::vector<std::size_t> idle;
  for (std::size_t first = 0; first < kind.servers.size();) {
    if (is_idle(kind.servers[first])) {
      idle.push_back(first++);
      continue;
    }
    std::size_t last = first;
    while (join_equal && last + 1 < kind.servers.size() &&
           std::ranges::equal(kind.servers[last + 1].rows, kind.servers[first].rows, same_bars)) {
      ++last;
    }
    result.push_back(kind.servers[first]);
    if (last > first) {
      result.back().name = named(kind.one, first, last);
      result.back().servers = last - first + 1;
      result.back().form = LaneForm::same;
    }
    first = last + 1;
  }
  add_idle(result, kind, idle);
  return result;
}

// All that happened in some lanes, in one row.
std::vector<Bar> together(const std::vector<Lane>& lanes, std::size_t first, std::size_t last) {
  std::vector<Bar> bars;
  for (std::size_t i = first; i <= last; ++i) {
    for (const std::vector<Bar>& row : lanes[i].rows) bars.insert(bars.end(), row.begin(), row.end());
  }
  std::stable_sort(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) { return a.start < b.start; });
  return bars;
}

std::vector<Lane> slots_together(std::vector<Lane> lanes) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].rows.size() < 2) continue;
    lanes[i].rows = {together(lanes, i, i)};
    // Of servers that did the same only the first one's bars are here.
    lanes[i].servers = 1;
    lanes[i].form = LaneForm::together;
  }
  return lanes;
}

std::vector<Lane> in_groups(const Kind& kind, std::size_t size) {
  std::vector<Lane> result;
  std::vector<std::size_t> idle;
  for (std::size_t first = 0; first < kind.servers.size(); first += size) {
    const std::size_t last = std::min(first + size, kind.servers.size()) - 1;
    Lane group{.name = named(kind.one, first, last),
               .rows = {together(kind.servers, first, last)},
               .servers = last - first + 1,
               .form = LaneForm::together};
    if (!is_idle(group)) {
      result.push_back(std::move(group));
    } else {
      for (std::size_t i = first; i <= last; ++i) idle.push_back(i);
    }
  }
  add_idle(result, kind, idle);
  return result;
}

std::vector<Lane> within(const Kind& kind, std::size_t most_rows) {
  std::vector<Lane> lanes = one_by_one(kind, false);
  if (number_of_rows(lanes) <= std::min(most_rows, comfortable_rows)) return lanes;
  lanes = one_by_one(kind, true);
  if (number_of_rows(lanes) <= most_rows) return lanes;
  lanes = slots_together(std::move(lanes));
  for (std::size_t size = 2; number_of_rows(lanes) > most_rows && size < 2 * kind.servers.size(); size *= 2) {
    lanes = in_groups(kind, size);
  }
  return lanes;
}

// By job and start.
struct Executed {
  trace::JobName job;
  Time start{};
  Time end{};
};

std::vector<Executed> executions(const std::vector<const Kind*>& kinds) {
  std::vector<Executed> all;
  for (const Kind* kind : kinds) {
    for (const Lane& lane : kind->servers) {
      for (const std::vector<Bar>& row : lane.rows) {
        for (const Bar& bar : row) all.push_back({bar.job, bar.start, bar.end});
      }
    }
  }
  std::ranges::sort(all, [](const Executed& a, const Executed& b) {
    return std::tie(a.job, a.start) < std::tie(b.job, b.start);
  });
  return all;
}

std::vector<Stretch> stretches_of(const trace::JobEnded& job, const std::vector<Executed>& executed) {
  std::vector<Stretch> result;
  const auto [first, last] = std::ranges::equal_range(executed, job.job, {}, &Executed::job);
  for (auto next = first; next != last; ++next) {
    if (!result.empty() && next->start <= result.back().end) {
      result.back().end = std::max(result.back().end, next->end);
    } else {
      result.push_back({next->start, next->end});
    }
  }
  return result;
}

// The least of 1, 2, 5, 10, 20, ... for which `fits`.
template <class Fits>
std::int64_t round_number(const Fits& fits) {
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t number : {power, 2 * power, 5 * power}) {
      if (fits(number)) return number;
    }
  }
}

}  // namespace

std::size_t Rows::number_of_rows() const { return report::number_of_rows(lanes); }

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
  Kind cores{"CPU", "CPUs", lanes_of(std::move(cpus), "CPU", 0)};
  Kind sms{"SM", "SMs", lanes_of(std::move(blocks), "SM", static_cast<std::size_t>(system.platform.gpu.sms))};
  Kind engines{"copy", "copy engines", lanes_of(std::move(copies), "copy", 0)};
  for (Kind* kind : {&cores, &sms, &engines}) {
    for (Lane& lane : kind->servers) {
      for (std::vector<Bar>& row : lane.rows) std::erase_if(row, is_outside);
    }
  }
  // CPUs come first: that is where jobs begin. What they and the copy engines do not need is left to the SMs.
  std::size_t room = std::max<std::size_t>(most_rows, 4);
  std::vector<Lane> of_cores = within(cores, room / 4);
  room -= std::min(room / 2, number_of_rows(of_cores));
  std::vector<Lane> of_engines = within(engines, room / 4);
  room -= std::min(room / 2, number_of_rows(of_engines));
  std::vector<Lane> of_sms = within(sms, room);
  for (std::vector<Lane>* lanes : {&of_cores, &of_sms, &of_engines}) {
    std::ranges::move(*lanes, std::back_inserter(result.lanes));
  }

  // A record with gaps would show work as waiting.
  const std::vector<Executed> executed =
      recording.complete() ? executions({&cores, &sms, &engines}) : std::vector<Executed>{};
  result.jobs.resize(system.tasks.size());
  for (const trace::JobEnded& job : recording.ends) {
    const bool is_due = result.from <= job.deadline && job.deadline <= result.to;
    if (job.release > result.to || (job.completion < result.from && !is_due)) continue;
    DrawnJob drawn{.ended = job, .executing = stretches_of(job, executed)};
    const bool touches = job.start != never && job.start < result.to && job.completion > result.from;
    if (drawn.executing.empty() && touches && executed.empty()) {
      drawn.executing.push_back({job.start, job.completion});
    }
    result.jobs.at(job.job.task).push_back(std::move(drawn));
  }
  return result;
}

double share_of_sm(const System& system, TaskIndex task, std::uint32_t segment) {
  const std::vector<Node>& nodes = system.tasks.at(task).work.nodes;
  if (segment >= nodes.size()) return 1;
  const Gpu& gpu = system.platform.gpu;
  const Segment& work = nodes[segment].segment;
  if (std::holds_alternative<GpuSegment>(work)) return 1.0 / gpu.virtual_sms_per_sm;
  const auto* kernel = std::get_if<KernelSegment>(&work);
  if (kernel == nullptr) return 1;
  const std::int64_t resident = blocks_per_sm(block_demand(*kernel, gpu), gpu);
  return resident > 0 ? 1.0 / static_cast<double>(resident) : 1;
}

Axis axis_of(Time from, Time to, std::size_t most_ticks) {
  struct Unit {
    std::int64_t nanoseconds;
    std::string_view name;
  };
  constexpr std::array<Unit, 4> units{{{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}}};
  const std::int64_t range = count(to - from);
  const auto most = static_cast<std::int64_t>(std::max<std::size_t>(most_ticks, 2));
  const std::int64_t step = round_number([&](std::int64_t tried) { return range / tried < most; });
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
  if (value == 0) return "0";
  std::string text = std::to_string(value / unit);
  if (const std::int64_t rest = value % unit; rest != 0) {
    std::string digits = std::to_string(unit + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return fmt::format("{} {}", text, unit_name);
}

std::uint64_t every_which(std::size_t marks, std::size_t room) {
  const std::size_t most = std::max<std::size_t>(room, 1);
  return static_cast<std::uint64_t>(round_number([&](std::int64_t step) {
    return (marks + static_cast<std::size_t>(step) - 1) / static_cast<std::size_t>(step) <= most;
  }));
}

std::string ordinal(std::uint64_t number) {
  // Only 1, 2, 5, 10, ... are asked for.
  return fmt::format("every {}{}", number, number == 2 ? "nd" : "th");
}

}  // namespace tactus::report
