#include "tactus/report/timeline_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "tactus/trace/span_layout.hpp"

namespace tactus::report {

namespace {

// With more rows than this, servers with identical schedules share rows.
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
  std::vector<Track> servers;
};

std::string named(std::string_view kind, std::size_t first, std::size_t last) {
  return first == last ? fmt::format("{} {}", kind, first) : fmt::format("{} {}-{}", kind, first, last);
}

// A lane for each server; slots are assigned to all bars, so that a block keeps its row whatever part of the
// schedule is shown.
std::vector<Track> lanes_of(std::vector<PlacedBar> bars, std::string_view name, std::size_t at_least) {
  std::stable_sort(bars.begin(), bars.end(),
                   [](const PlacedBar& a, const PlacedBar& b) { return a.bar.start < b.bar.start; });
  std::size_t servers = at_least;
  for (const PlacedBar& placed : bars)
    servers = std::max(servers, static_cast<std::size_t>(placed.server) + 1);
  std::vector<trace::SpanLayout> slots(servers);
  std::vector<Track> lanes(servers);
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

bool is_idle(const Track& lane) {
  return std::ranges::all_of(lane.rows, [](const std::vector<Bar>& row) { return row.empty(); });
}

bool same_bars(const std::vector<Bar>& a, const std::vector<Bar>& b) {
  return std::ranges::equal(a, b, [](const Bar& x, const Bar& y) {
    return std::tie(x.job, x.segment, x.start, x.end) == std::tie(y.job, y.segment, y.start, y.end);
  });
}

std::size_t number_of_rows(const std::vector<Track>& lanes) {
  std::size_t rows = 0;
  for (const Track& lane : lanes) rows += lane.rows.size();
  return rows;
}

// One lane for all idle servers.
std::optional<Track> lane_of_idle(const Kind& kind, const std::vector<std::size_t>& idle) {
  if (idle.empty()) return std::nullopt;
  const bool in_a_row = idle.back() - idle.front() + 1 == idle.size();
  return Track{.name = in_a_row ? named(kind.one, idle.front(), idle.back())
                                : fmt::format("{} {}", idle.size(), kind.many),
               .rows = {},
               .servers = idle.size(),
               .form = TrackForm::idle};
}

// All bars of some rows in one, by their start.
std::vector<Bar> joined(std::vector<std::vector<Bar>> rows) {
  std::vector<Bar> bars;
  for (std::vector<Bar>& row : rows) {
    bars.insert(bars.end(), row.begin(), row.end());
    row = {};
  }
  std::ranges::stable_sort(bars, {}, &Bar::start);
  return bars;
}

// Servers from the first to the last.
struct Neighbours {
  std::size_t first = 0;
  std::size_t last = 0;
};

// The busy servers one by one, or in groups that differ only in the indices of their blocks.
std::vector<Neighbours> busy_servers(const Kind& kind, bool join_equal) {
  std::vector<Neighbours> groups;
  for (std::size_t first = 0; first < kind.servers.size();) {
    std::size_t last = first;
    if (!is_idle(kind.servers[first])) {
      while (join_equal && last + 1 < kind.servers.size() &&
             std::ranges::equal(kind.servers[last + 1].rows, kind.servers[first].rows, same_bars)) {
        ++last;
      }
      groups.push_back({first, last});
    }
    first = last + 1;
  }
  return groups;
}

std::size_t number_of_rows(const Kind& kind, const std::vector<Neighbours>& groups) {
  std::size_t rows = 0;
  for (const Neighbours& group : groups) rows += kind.servers[group.first].rows.size();
  return rows;
}

// The slots of servers with identical schedules, one by one or together in one row.
std::vector<Track> by_slots(Kind kind, const std::vector<Neighbours>& groups, bool together) {
  std::vector<Track> result;
  for (const auto& [first, last] : groups) {
    Track lane = std::move(kind.servers[first]);
    lane.name = named(kind.one, first, last);
    lane.servers = last - first + 1;
    if (last > first) lane.form = TrackForm::same;
    if (together && lane.rows.size() > 1) {
      lane.rows = {joined(std::move(lane.rows))};
      lane.servers = 1;  // the one whose bars are shown
      lane.form = TrackForm::together;
    }
    result.push_back(std::move(lane));
  }
  return result;
}

// Groups of so many neighbouring servers, each in one row.
std::vector<Track> in_groups(Kind kind, std::size_t size) {
  std::vector<Track> result;
  for (std::size_t first = 0; first < kind.servers.size(); first += size) {
    const std::size_t last = std::min(first + size, kind.servers.size()) - 1;
    std::vector<std::vector<Bar>> rows;
    for (std::size_t i = first; i <= last; ++i)
      std::ranges::move(kind.servers[i].rows, std::back_inserter(rows));
    Track lane{.name = named(kind.one, first, last),
               .rows = {joined(std::move(rows))},
               .servers = last - first + 1,
               .form = TrackForm::together};
    if (!is_idle(lane)) result.push_back(std::move(lane));
  }
  return result;
}

// The idle servers; of groups, only whole idle groups.
std::vector<std::size_t> idle_servers(const Kind& kind, std::size_t group) {
  std::vector<std::size_t> idle;
  for (std::size_t first = 0; first < kind.servers.size(); first += group) {
    const std::span<const Track> lanes =
        std::span{kind.servers}.subspan(first, std::min(group, kind.servers.size() - first));
    if (!std::ranges::all_of(lanes, is_idle)) continue;
    for (std::size_t i = first; i < first + lanes.size(); ++i) idle.push_back(i);
  }
  return idle;
}

// The least group size of 2, 4, 8, ... with at most `most` busy groups.
std::size_t size_of_groups(const Kind& kind, std::size_t most) {
  std::size_t size = 2;
  const auto busy = [&] { return (kind.servers.size() - idle_servers(kind, size).size() + size - 1) / size; };
  while (size < kind.servers.size() && busy() > most) size *= 2;
  return size;
}

std::vector<Track> within(Kind kind, std::size_t max_rows) {
  std::vector<Neighbours> groups = busy_servers(kind, false);
  if (number_of_rows(kind, groups) > std::min(max_rows, comfortable_rows)) groups = busy_servers(kind, true);
  const bool fits = groups.size() <= max_rows;
  const bool together = number_of_rows(kind, groups) > max_rows;
  const std::size_t size = fits ? 1 : size_of_groups(kind, max_rows);
  std::optional<Track> idle = lane_of_idle(kind, idle_servers(kind, size));
  std::vector<Track> lanes =
      fits ? by_slots(std::move(kind), groups, together) : in_groups(std::move(kind), size);
  if (idle) lanes.push_back(std::move(*idle));
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
    for (const Track& lane : kind->servers) {
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

// Appends the stretches in which a job executed and returns their number.
std::size_t add_stretches(const trace::JobEnded& job, const std::vector<Executed>& executed,
                          std::vector<Stretch>& stretches) {
  const std::size_t before = stretches.size();
  for (auto next = std::ranges::lower_bound(executed, job.job, {}, &Executed::job);
       next != executed.end() && next->job == job.job; ++next) {
    if (stretches.size() > before && next->start <= stretches.back().end) {
      stretches.back().end = std::max(stretches.back().end, next->end);
    } else {
      stretches.push_back({next->start, next->end});
    }
  }
  return stretches.size() - before;
}

// The jobs whose deadline or work is in the range, and when they executed.
void add_jobs(Rows& rows, const trace::Recording& recording, const std::vector<Executed>& executed) {
  std::vector<std::pair<const trace::JobEnded*, std::size_t>> shown;
  for (const trace::JobEnded& job : recording.ends) {
    const bool is_due = rows.from <= job.deadline && job.deadline <= rows.to;
    if (job.release > rows.to || (job.completion < rows.from && !is_due)) continue;
    std::size_t stretches = add_stretches(job, executed, rows.stretches);
    const bool touches = job.start != never && job.start < rows.to && job.completion > rows.from;
    if (executed.empty() && touches) {
      rows.stretches.push_back({job.start, job.completion});
      stretches = 1;
    }
    shown.emplace_back(&job, stretches);
  }
  std::span<const Stretch> left{rows.stretches};
  for (const auto& [job, stretches] : shown) {
    rows.jobs.at(job->job.task).push_back({.ended = *job, .executing = left.first(stretches)});
    left = left.subspan(stretches);
  }
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
             std::size_t max_rows) {
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
    for (Track& lane : kind->servers) {
      for (std::vector<Bar>& row : lane.rows) std::erase_if(row, is_outside);
    }
  }
  // An incomplete record would show work as waiting.
  result.jobs.resize(system.tasks.size());
  add_jobs(result, recording,
           recording.complete() ? executions({&cores, &sms, &engines}) : std::vector<Executed>{});

  // CPUs come first, since jobs begin there. The SMs get the rows that they and the copy engines leave.
  std::size_t room = std::max<std::size_t>(max_rows, 4);
  std::vector<Track> of_cores = within(std::move(cores), room / 4);
  room -= std::min(room / 2, number_of_rows(of_cores));
  std::vector<Track> of_engines = within(std::move(engines), room / 4);
  room -= std::min(room / 2, number_of_rows(of_engines));
  std::vector<Track> of_sms = within(std::move(sms), room);
  for (std::vector<Track>* lanes : {&of_cores, &of_sms, &of_engines}) {
    std::ranges::move(*lanes, std::back_inserter(result.lanes));
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

Axis axis_of(Time from, Time to, std::size_t max_ticks) {
  struct Unit {
    std::int64_t nanoseconds;
    std::string_view name;
  };
  constexpr std::array<Unit, 4> units{{{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}}};
  const std::int64_t range = in_ns(to - from);
  const auto most = static_cast<std::int64_t>(std::max<std::size_t>(max_ticks, 2));
  const std::int64_t step = round_number([&](std::int64_t tried) { return range / tried < most; });
  const auto* unit =
      std::find_if(units.begin(), units.end() - 1, [&](const Unit& u) { return u.nanoseconds <= range; });
  Axis axis{.ticks = {}, .unit = unit->nanoseconds, .unit_name = unit->name};
  for (std::int64_t steps = ceil_div(in_ns(from), step); steps <= in_ns(to) / step; ++steps) {
    axis.ticks.push_back(time_at(nanoseconds(steps * step)));
  }
  return axis;
}

std::string Axis::label(Time time) const {
  const std::int64_t value = in_ns(time);
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
  // Only 1, 2, 5, 10, ... occur.
  return fmt::format("every {}{}", number, number == 2 ? "nd" : "th");
}

}  // namespace tactus::report
