#include "tactus/trace/perfetto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "tactus/trace/json_text.hpp"

namespace tactus::trace {

namespace {

constexpr std::size_t piece = std::size_t{1} << 16U;

// Jobs of an overloaded system may overlap by the thousand; nobody looks at as many tracks.
constexpr std::size_t most_overlapping = 1000;

// Chrome's name for its alarming red; other viewers ignore it and go by the slice's name.
std::string_view colour(std::string_view category) {
  return category == "miss" || category == "away" ? std::string_view{R"(,"cname":"terrible")"}
                                                  : std::string_view{};
}

// Microseconds with the nanoseconds as an exact decimal fraction: 1234567 ns is 1234.567.
std::string in_microseconds(std::int64_t nanoseconds) {
  const std::int64_t whole = nanoseconds / 1000;
  const std::int64_t rest = nanoseconds % 1000;
  return rest == 0 ? fmt::format("{}", whole) : fmt::format("{}.{:03}", whole, rest);
}

std::string number_or_null(Time time) { return time == never ? "null" : std::to_string(count(time)); }

// Names of the streams that outlive jobs, in the numbering of OperationFinished::stream: those the file
// names, in file order, or those of the strategy.
std::vector<std::string> stream_names(const System& system) {
  std::vector<std::string> names;
  const auto numbered = [&](std::string_view what, std::int32_t count) {
    for (std::int32_t i = 0; i < count; ++i) names.push_back(fmt::format("{} {}", what, i));
  };
  switch (system.policy.strategy) {
    case StrategyKind::as_submitted: {
      std::set<std::string> seen;
      for (const Task& task : system.tasks) {
        if (task.stream && seen.insert(*task.stream).second) names.push_back(*task.stream);
      }
      break;
    }
    case StrategyKind::multi_stream:
      numbered("level", system.policy.levels);
      break;
    case StrategyKind::sm_cores:
      numbered("core", system.platform.gpu.sms / system.policy.sm_group);
      names.emplace_back("all SMs");
      break;
    default:
      break;
  }
  return names;
}

std::vector<std::string> segment_labels(const Task& task) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < task.work.nodes.size(); ++i) {
    const Node& node = task.work.nodes[i];
    switch (task.work.form) {
      case WorkForm::single:
        labels.emplace_back();
        break;
      case WorkForm::chain:
        labels.push_back(fmt::format(" {} {}", kind_name(node.segment), i));
        break;
      case WorkForm::graph:
        labels.push_back(" " + escape_json(node.name));
        break;
    }
  }
  return labels;
}

}  // namespace

PerfettoExporter::PerfettoExporter(std::filesystem::path path, const System& system, PerfettoOptions options)
    : file_{std::move(path)},
      buffer_{"{\"traceEvents\":["},
      system_name_{escape_json(system.name)},
      most_events_{options.most_events},
      bounds_{std::move(options.bounds)} {
  for (const Task& task : system.tasks) {
    const std::string name = escape_json(task.name);
    const auto group = [](Process process, std::string group_name) {
      return TrackGroup{.process = process, .name = std::move(group_name), .numbered_by = {}};
    };
    tasks_.push_back({.name = name,
                      .segments = segment_labels(task),
                      .jobs = group(Process::tasks, name),
                      .releases = group(Process::tasks, name + " releases"),
                      .deadlines = group(Process::tasks, name + " deadlines"),
                      .bounds = group(Process::tasks, name + " bounds"),
                      .own_streams = group(Process::streams, name + " (a stream each job)")});
  }
  for (const std::string& name : stream_names(system)) {
    streams_.push_back(
        {.process = Process::streams, .name = "stream " + escape_json(name), .numbered_by = {}});
  }
}

Interests PerfettoExporter::interests() const {
  // That it is full is known only once something had to be left out.
  const bool complete = left_out_ == 0;
  const bool detail = complete || has_room_for_detail();
  const bool rest = complete || has_room();
  return {.releases = rest,
          .blocks = detail,
          .copies = detail,
          .cpus = detail,
          .operations = detail,
          .ends = rest,
          .absences = detail};
}

void PerfettoExporter::on(const JobReleased& event) {
  if (!has_room()) {
    ++left_out_;
    return;
  }
  TaskTracks& task = tasks_.at(event.job.task);
  instant(task.releases, fmt::format("release #{}", event.job.number), "release", event.release,
          fmt::format(R"("task":"{}","job":{},"deadline_ns":{})", task.name, event.job.number,
                      number_or_null(event.deadline)));
}

void PerfettoExporter::on(const BlockRan& event) {
  if (!has_room_for_detail()) {
    ++left_out_;
    return;
  }
  slice(track(at_index(sms_, event.sm, Process::gpu, "SM", " slot "), event.start, event.end),
        segment_label(event.job, event.segment), "block", event.start, event.end,
        fmt::format(R"("task":"{}","job":{},"segment":{},"block":{},"sm":{})", tasks_.at(event.job.task).name,
                    event.job.number, event.segment, event.block, event.sm));
}

void PerfettoExporter::on(const CopyRan& event) {
  if (!has_room_for_detail()) {
    ++left_out_;
    return;
  }
  slice(track(at_index(copy_engines_, event.engine, Process::gpu, "copy engine", {}), event.start, event.end),
        segment_label(event.job, event.segment), "copy", event.start, event.end,
        fmt::format(R"("task":"{}","job":{},"segment":{},"engine":{})", tasks_.at(event.job.task).name,
                    event.job.number, event.segment, event.engine));
}

void PerfettoExporter::on(const CpuRan& event) {
  if (!has_room_for_detail()) {
    ++left_out_;
    return;
  }
  slice(track(at_index(cpus_, event.core, Process::cpus, "CPU", {}), event.start, event.end),
        segment_label(event.job, event.segment), "cpu", event.start, event.end,
        fmt::format(R"("task":"{}","job":{},"segment":{},"core":{})", tasks_.at(event.job.task).name,
                    event.job.number, event.segment, event.core));
}

void PerfettoExporter::on(const EngineAway& event) {
  if (!has_room_for_detail()) {
    ++left_out_;
    return;
  }
  slice(track(engine_, event.from, event.to), "away", "away", event.from, event.to, {});
}

void PerfettoExporter::on(const OperationFinished& event) {
  if (!has_room_for_detail()) {
    ++left_out_;
    return;
  }
  TaskTracks& task = tasks_.at(event.job.task);
  TrackGroup& group =
      event.stream < 0 ? task.own_streams : at_index(streams_, event.stream, Process::streams, "stream", {});
  slice(track(group, event.start, event.end), segment_label(event.job, event.segment), "operation",
        event.start, event.end,
        fmt::format(R"("task":"{}","job":{},"segment":{},"called_ns":{},"start_ns":{},"end_ns":{})",
                    task.name, event.job.number, event.segment, count(event.called), count(event.start),
                    count(event.end)));
}

void PerfettoExporter::on(const JobEnded& event) {
  if (!has_room()) {
    ++left_out_;
    return;
  }
  TaskTracks& task = tasks_.at(event.job.task);
  if (event.deadline != never) {
    // One mark a deadline, written only now that its outcome is known: two at one place would hide each
    // other.
    const std::string name =
        fmt::format("{} #{}", event.missed ? "MISSED deadline" : "deadline", event.job.number);
    instant(
        task.deadlines, name, event.missed ? "miss" : "deadline", event.deadline,
        fmt::format(R"("task":"{}","job":{},"release_ns":{},"completion_ns":{},"missed":{})", task.name,
                    event.job.number, count(event.release), number_or_null(event.completion), event.missed));
  }
  if (event.completion == never) {
    if (event.start != never || bound_mark(bounds_, event)) cut_off_.push_back(event);
    return;
  }
  bound_instant(event, event.completion);
  if (event.start != never) job_slices(event, event.completion);
}

void PerfettoExporter::finish(Time reached) {
  const Time end = reached == never ? latest_ : reached;
  for (const JobEnded& event : cut_off_) {
    bound_instant(event, end);
    if (event.start != never) job_slices(event, std::max(event.start, end));
  }
  write_metadata();
  buffer_ += fmt::format(
      "\n],\n\"displayTimeUnit\":\"ns\",\n"
      "\"otherData\":{{\"tool\":\"tactus\",\"system\":\"{}\",\"truncated\":{},\"events_left_out\":{}}}}}\n",
      system_name_, truncated(), left_out_);
  flush();
  file_.commit();
}

// The job from its start, and inside it, in red, what lies behind its deadline.
void PerfettoExporter::job_slices(const JobEnded& event, Time end) {
  TaskTracks& task = tasks_.at(event.job.task);
  const std::optional<Track> where = track(task.jobs, event.start, end);
  const bool completed = event.completion != never;
  const std::string response =
      completed ? std::to_string(count(event.completion - event.release)) : std::string{"null"};
  const std::string args = fmt::format(
      R"("task":"{}","job":{},"release_ns":{},"response_ns":{},"deadline_ns":{},"missed":{})", task.name,
      event.job.number, count(event.release), response, number_or_null(event.deadline), event.missed);
  slice(where, fmt::format("{} #{}{}", task.name, event.job.number, completed ? "" : " (not completed)"),
        "job", event.start, end, args);
  const Time late_from = std::max(event.start, event.deadline);
  if (event.missed && late_from < end) slice(where, "late", "miss", late_from, end, args);
}

void PerfettoExporter::bound_instant(const JobEnded& event, Time reached) {
  const std::optional<BoundMark> mark = bound_mark(bounds_, event, reached);
  if (!mark) return;
  TaskTracks& task = tasks_.at(event.job.task);
  const bool exceeded = mark->kept == false;
  const std::string_view kept = exceeded ? "false" : (mark->kept ? "true" : "null");
  instant(task.bounds, fmt::format("{} #{}", exceeded ? "EXCEEDED bound" : "bound", event.job.number),
          "bound", mark->time,
          fmt::format(R"("task":"{}","job":{},"release_ns":{},"bound_ns":{},"completion_ns":{},"kept":{})",
                      task.name, event.job.number, count(event.release), mark->bound.count(),
                      number_or_null(event.completion), kept));
}

std::string PerfettoExporter::segment_label(const JobName& job, std::uint32_t segment) const {
  const TaskTracks& task = tasks_.at(job.task);
  const std::string_view label =
      segment < task.segments.size() ? std::string_view{task.segments[segment]} : std::string_view{};
  return fmt::format("{} #{}{}", task.name, job.number, label);
}

PerfettoExporter::TrackGroup& PerfettoExporter::at_index(std::vector<TrackGroup>& groups, std::int32_t index,
                                                         Process process, std::string_view name,
                                                         std::string_view numbered_by) {
  while (std::cmp_less_equal(groups.size(), index)) {
    groups.push_back(
        {.process = process, .name = fmt::format("{} {}", name, groups.size()), .numbered_by = numbered_by});
  }
  return groups[static_cast<std::size_t>(index)];
}

std::optional<PerfettoExporter::Track> PerfettoExporter::track(TrackGroup& group, Time start, Time end) {
  latest_ = std::max(latest_, end);
  const std::optional<std::size_t> lane = group.lanes.place(start, end, most_overlapping);
  if (!lane) {
    ++left_out_;
    return std::nullopt;
  }
  if (*lane == group.ids.size()) group.ids.push_back(next_track_++);
  return Track{group.process, group.ids[*lane]};
}

void PerfettoExporter::slice(std::optional<Track> where, std::string_view name, std::string_view category,
                             Time start, Time end, std::string_view args) {
  if (!where) return;
  begin_event();
  fmt::format_to(std::back_inserter(buffer_),
                 R"({{"ph":"X","name":"{}","cat":"{}"{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                 name, category, colour(category), static_cast<int>(where->process), where->id,
                 in_microseconds(count(start)), in_microseconds(count(end - start)), args);
}

void PerfettoExporter::instant(TrackGroup& group, std::string_view name, std::string_view category, Time time,
                               std::string_view args) {
  if (group.ids.empty()) group.ids.push_back(next_track_++);
  begin_event();
  fmt::format_to(std::back_inserter(buffer_),
                 R"({{"ph":"i","s":"t","name":"{}","cat":"{}"{},"pid":{},"tid":{},"ts":{},"args":{{{}}}}})",
                 name, category, colour(category), static_cast<int>(group.process), group.ids.front(),
                 in_microseconds(count(time)), args);
}

void PerfettoExporter::begin_event() {
  if (buffer_.size() >= piece) flush();
  buffer_ += events_ == 0 ? "\n" : ",\n";
  ++events_;
}

void PerfettoExporter::write_metadata() {
  std::uint64_t sort_index = 1;
  name_process(Process::tasks, "Tasks");
  for (const TaskTracks& task : tasks_) {
    name_tracks(task.jobs, sort_index);
    name_tracks(task.releases, sort_index);
    name_tracks(task.deadlines, sort_index);
    name_tracks(task.bounds, sort_index);
  }
  if (!cpus_.empty() || !engine_.ids.empty()) name_process(Process::cpus, "CPUs");
  for (const TrackGroup& group : cpus_) name_tracks(group, sort_index);
  name_tracks(engine_, sort_index);
  name_process(Process::gpu,
               truncated() ? fmt::format("GPU (cut: {} events left out)", left_out_) : std::string{"GPU"});
  for (const TrackGroup& group : sms_) name_tracks(group, sort_index);
  for (const TrackGroup& group : copy_engines_) name_tracks(group, sort_index);
  name_process(Process::streams, "Streams");
  for (const TrackGroup& group : streams_) name_tracks(group, sort_index);
  for (const TaskTracks& task : tasks_) name_tracks(task.own_streams, sort_index);
}

void PerfettoExporter::name_process(Process process, std::string_view name) {
  const int id = static_cast<int>(process);
  begin_event();
  fmt::format_to(std::back_inserter(buffer_),
                 R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}})", id, name);
  begin_event();
  fmt::format_to(std::back_inserter(buffer_),
                 R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}})", id, id);
}

void PerfettoExporter::name_tracks(const TrackGroup& group, std::uint64_t& sort_index) {
  for (std::size_t lane = 0; lane < group.ids.size(); ++lane) {
    std::string name = group.name;
    if (!group.numbered_by.empty()) {
      name += fmt::format("{}{}", group.numbered_by, lane);
    } else if (lane > 0) {
      name += fmt::format(" ({})", lane + 1);
    }
    const int process = static_cast<int>(group.process);
    begin_event();
    fmt::format_to(std::back_inserter(buffer_),
                   R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}})", process,
                   group.ids[lane], name);
    begin_event();
    fmt::format_to(std::back_inserter(buffer_),
                   R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
                   process, group.ids[lane], sort_index++);
  }
}

void PerfettoExporter::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

}  // namespace tactus::trace
