#include "tactus/trace/perfetto.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/base/file.hpp"
#include "tactus/trace/json_text.hpp"
#include "tactus/trace/span_layout.hpp"
#include "tactus/trace/step_counter.hpp"

namespace tactus::trace {

namespace {

constexpr std::size_t piece = std::size_t{1} << 16U;

// Jobs of an overloaded system may overlap by the thousand; so many tracks would be useless.
constexpr std::size_t max_overlapping = 1000;

// At most this many pending jobs of a task show their waiting. The counters show how many there are.
constexpr std::size_t max_waiting = 8;

// A GPU with more SMs shows the sum of its free threads, and its SMs in several groups.
constexpr std::int32_t max_counted_sms = 8;
constexpr std::int32_t max_sms_together = 16;

// Series of the counter of jobs.
constexpr std::size_t pending_jobs = 0;
constexpr std::size_t waiting_jobs = 1;
constexpr std::size_t job_window = 16384;

// Chrome's names for its alarming red and for grey; other viewers ignore it and go by the slice's name.
std::string_view colour(std::string_view category) {
  if (category == "waiting") return R"(,"cname":"grey")";
  return category == "miss" || category == "away" ? std::string_view{R"(,"cname":"terrible")"}
                                                  : std::string_view{""};  // compiled formats need one
}

// Formats that are used millions of times are compiled, which is a third faster.

// Microseconds with the nanoseconds as an exact decimal fraction: 1234567 ns is 1234.567.
std::string in_microseconds(std::int64_t nanoseconds) {
  const std::int64_t whole = nanoseconds / 1000;
  const std::int64_t rest = nanoseconds % 1000;
  return rest == 0 ? fmt::format(FMT_COMPILE("{}"), whole)
                   : fmt::format(FMT_COMPILE("{}.{:03}"), whole, rest);
}

// Names of the streams that outlive jobs, in the numbering of OperationFinished::stream.
std::vector<std::string> stream_names(const System& system) {
  const StrategyFacts& strategy = *system.policy.strategy;
  return strategy.stream_names == nullptr ? std::vector<std::string>{} : strategy.stream_names(system);
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

std::int64_t threads_of(const Segment& segment, const Gpu& gpu) {
  if (const auto* kernel = std::get_if<KernelSegment>(&segment)) return block_demand(*kernel, gpu).threads;
  if (std::holds_alternative<GpuSegment>(segment)) return gpu.threads_per_sm / gpu.virtual_sms_per_sm;
  return gpu.threads_per_sm;
}

std::vector<std::int64_t> threads_of_segments(const Task& task, const Gpu& gpu) {
  std::vector<std::int64_t> threads;
  for (const Node& node : task.work.nodes) threads.push_back(threads_of(node.segment, gpu));
  return threads;
}

std::vector<std::int64_t> free_threads(const Gpu& gpu) {
  if (gpu.sms > max_counted_sms) return {std::int64_t{gpu.sms} * gpu.threads_per_sm};
  return std::vector<std::int64_t>(static_cast<std::size_t>(gpu.sms), gpu.threads_per_sm);
}

// Half of the window holds the ends of all blocks that can be resident at once, so that older samples
// are final.
std::size_t thread_window(const Gpu& gpu) {
  constexpr std::size_t least = 16384;
  return std::max(least, 4 * static_cast<std::size_t>(gpu.sms) * static_cast<std::size_t>(gpu.blocks_per_sm));
}

}  // namespace

class PerfettoExporter::Writer {
 public:
  Writer(std::filesystem::path path, const System& system, PerfettoOptions options)
      : file_{std::move(path)},
        buffer_{"{\"traceEvents\":["},
        system_name_{escape_json(system.name)},
        max_events_{options.max_events},
        bounds_{std::move(options.bounds)},
        number_of_sms_{system.platform.gpu.sms},
        threads_{free_threads(system.platform.gpu), thread_window(system.platform.gpu)},
        jobs_{{0, 0}, job_window} {
    for (const Task& task : system.tasks) {
      const std::string name = escape_json(task.name);
      tasks_.push_back({.name = name,
                        .segments = segment_labels(task),
                        .threads = threads_of_segments(task, system.platform.gpu),
                        .jobs = {Process::tasks, name},
                        .releases = {Process::tasks, name + " releases"},
                        .completions = {Process::tasks, name + " completions"},
                        .deadlines = {Process::tasks, name + " deadlines"},
                        .bounds = {Process::tasks, name + " bounds"},
                        .own_streams = {Process::streams, name + " (a stream each job)"}});
    }
    for (const std::string& name : stream_names(system)) {
      streams_.push_back({.process = Process::streams, .name = "stream " + escape_json(name)});
    }
  }

  [[nodiscard]] Interests interests() const {
    // Set only when an event was actually left out.
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

  void on(const JobReleased& event) {
    if (leaves_out(!has_room())) return;
    TaskTracks& task = tasks_.at(event.job.task);
    instant(task.releases, fmt::format(FMT_COMPILE("release #{}"), event.job.number), "release",
            event.release,
            fmt::format(FMT_COMPILE(R"("task":"{}","job":{},"deadline_ns":{})"), task.name, event.job.number,
                        number_or_null(event.deadline)));
    flow("s", event.job, Track{task.releases.process, task.releases.ids.front()}, event.release);
    const auto sample = [this](Time time, auto values) { sample_jobs(time, values); };
    jobs_.add(pending_jobs, event.release, 1, sample);
    jobs_.add(waiting_jobs, event.release, 1, sample);
  }

  void on(const BlockRan& event) {
    if (leaves_out(!has_room_for_detail())) return;
    slice(
        track(at_index(sms_, event.sm, process_of(event.sm), "SM", " slot "), event.start, event.end),
        segment_label(event.job, event.segment), "block", event.start, event.end,
        fmt::format(FMT_COMPILE(R"("task":"{}","job":{},"segment":{},"block":{},"sm":{})"),
                    tasks_.at(event.job.task).name, event.job.number, event.segment, event.block, event.sm));
    count_threads(event);
  }

  void on(const CopyRan& event) {
    if (leaves_out(!has_room_for_detail())) return;
    slice(
        track(at_index(copy_engines_, event.engine, Process::gpu, "copy engine", {}), event.start, event.end),
        segment_label(event.job, event.segment), "copy", event.start, event.end,
        fmt::format(FMT_COMPILE(R"("task":"{}","job":{},"segment":{},"engine":{})"),
                    tasks_.at(event.job.task).name, event.job.number, event.segment, event.engine));
  }

  void on(const CpuRan& event) {
    if (leaves_out(!has_room_for_detail())) return;
    slice(track(at_index(cpus_, event.core, Process::cpus, "CPU", {}), event.start, event.end),
          segment_label(event.job, event.segment), "cpu", event.start, event.end,
          fmt::format(FMT_COMPILE(R"("task":"{}","job":{},"segment":{},"core":{})"),
                      tasks_.at(event.job.task).name, event.job.number, event.segment, event.core));
  }

  void on(const OperationFinished& event) {
    if (leaves_out(!has_room_for_detail())) return;
    TaskTracks& task = tasks_.at(event.job.task);
    TrackGroup& group = event.stream < 0 ? task.own_streams
                                         : at_index(streams_, event.stream, Process::streams, "stream", {});
    const std::optional<Track> where = track(group, event.start, event.end);
    slice(where, segment_label(event.job, event.segment), "operation", event.start, event.end,
          fmt::format(
              FMT_COMPILE(R"("task":"{}","job":{},"segment":{},"called_ns":{},"start_ns":{},"end_ns":{})"),
              task.name, event.job.number, event.segment, in_ns(event.called), in_ns(event.start),
              in_ns(event.end)));
    flow("t", event.job, where, event.start);
  }

  void on(const JobEnded& event) {
    if (leaves_out(!has_room())) return;
    TaskTracks& task = tasks_.at(event.job.task);
    if (event.deadline != never) {
      // One mark for each deadline, written when its outcome is known: two marks at one instant would hide
      // each other.
      const std::string name =
          fmt::format(FMT_COMPILE("{} #{}"), event.missed ? "MISSED deadline" : "deadline", event.job.number);
      instant(
          task.deadlines, name, event.missed ? "miss" : "deadline", event.deadline,
          fmt::format(FMT_COMPILE(R"("task":"{}","job":{},"release_ns":{},"completion_ns":{},"missed":{})"),
                      task.name, event.job.number, in_ns(event.release), number_or_null(event.completion),
                      event.missed));
    }
    count_job(event);
    if (event.completion == never) {
      if (event.fate == Fate::full) turned_away_instant(event);
      if (event.start != never || event.fate == Fate::ran || bound_mark(bounds_, event)) {
        cut_off_.push_back(event);
      }
      return;
    }
    completion_instant(event);
    bound_instant(event, event.completion);
    if (event.start != never) job_slices(event, event.completion);
  }

  void on(const EngineAway& event) {
    if (leaves_out(!has_room_for_detail())) return;
    slice(track(engine_, event.from, event.to), "away", "away", event.from, event.to, "");
  }

  void finish(Time reached) {
    const Time end = reached == never ? latest_ : reached;
    for (const JobEnded& event : cut_off_) {
      bound_instant(event, end);
      if (event.start != never) {
        job_slices(event, std::max(event.start, end));
      } else if (event.fate == Fate::ran && event.release < end) {
        const std::optional<std::size_t> lane =
            tasks_.at(event.job.task).jobs.lanes.place(event.release, end, max_waiting);
        if (lane) waiting_slice(track_of(tasks_.at(event.job.task).jobs, *lane), event, end);
      }
    }
    threads_.finish(end, [this](Time time, auto values) { sample_threads(time, values); });
    jobs_.finish(end, [this](Time time, auto values) { sample_jobs(time, values); });
    write_metadata();
    buffer_ += fmt::format(
        "\n],\n\"displayTimeUnit\":\"ns\",\n"
        "\"otherData\":{{\"tool\":\"tactus\",\"system\":\"{}\",\"truncated\":{},\"events_left_out\":{},"
        "\"flows_and_counters_left_out\":{}}}}}\n",
        system_name_, truncated(), left_out_, extras_left_out_);
    flush();
    file_.commit();
  }

  [[nodiscard]] bool truncated() const { return left_out_ > 0; }

 private:
  /// Their ids. Those of groups of SMs follow `first_sms`.
  enum class Process : std::uint32_t {
    tasks = 1,
    cpus = 2,
    gpu = 3,
    streams = 4,
    counters = 5,
    first_sms = 16
  };

  struct Track {
    Process process{};
    std::uint64_t id = 0;
  };

  // Tracks that show spans of one origin; a second one only where spans overlap.
  struct TrackGroup {
    Process process{};
    std::string name;                // escaped
    std::string_view numbered_by{};  // " slot " names every track; empty: only the further ones get a number
    SpanLayout lanes{};
    std::vector<std::uint64_t> ids{};
  };

  struct TaskTracks {
    std::string name;                   // escaped
    std::vector<std::string> segments;  // what tells a segment from the others in a slice's name, escaped
    std::vector<std::int64_t> threads;  // of a block of each segment
    TrackGroup jobs;
    TrackGroup releases;
    TrackGroup completions;
    TrackGroup deadlines;
    TrackGroup bounds;
    TrackGroup own_streams;
  };

  [[nodiscard]] bool has_room_for_detail() const { return events_ < max_events_; }
  [[nodiscard]] bool has_room() const { return events_ / 2 < max_events_; }
  /// Counts an event that is left out.
  bool leaves_out(bool is_full) {
    if (is_full) ++left_out_;
    return is_full;
  }

  [[nodiscard]] Process process_of(std::int32_t sm) const {
    if (number_of_sms_ <= max_sms_together) return Process::gpu;
    return Process{static_cast<std::uint32_t>(Process::first_sms) +
                   static_cast<std::uint32_t>(sm / max_sms_together)};
  }

  static TrackGroup& at_index(std::vector<TrackGroup>& groups, std::int32_t index, Process process,
                              std::string_view name, std::string_view numbered_by) {
    while (std::cmp_less_equal(groups.size(), index)) {
      groups.push_back({.process = process,
                        .name = fmt::format("{} {}", name, groups.size()),
                        .numbered_by = numbered_by});
    }
    return groups[static_cast<std::size_t>(index)];
  }

  std::optional<Track> track(TrackGroup& group, Time start, Time end) {
    latest_ = std::max(latest_, end);
    const std::optional<std::size_t> lane = group.lanes.place(start, end, max_overlapping);
    if (!lane) {
      ++left_out_;
      return std::nullopt;
    }
    return track_of(group, *lane);
  }

  Track track_of(TrackGroup& group, std::size_t lane) {
    if (lane == group.ids.size()) group.ids.push_back(next_track_++);
    return Track{group.process, group.ids[lane]};
  }

  void slice(std::optional<Track> where, std::string_view name, std::string_view category, Time start,
             Time end, std::string_view args) {
    if (!where) return;
    begin_event();
    fmt::format_to(
        std::back_inserter(buffer_),
        FMT_COMPILE(
            R"({{"ph":"X","name":"{}","cat":"{}"{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})"),
        name, category, colour(category), static_cast<std::uint32_t>(where->process), where->id,
        in_microseconds(in_ns(start)), in_microseconds(in_ns(end - start)), args);
  }

  void instant(TrackGroup& group, std::string_view name, std::string_view category, Time time,
               std::string_view args) {
    if (group.ids.empty()) group.ids.push_back(next_track_++);
    begin_event();
    fmt::format_to(
        std::back_inserter(buffer_),
        FMT_COMPILE(
            R"({{"ph":"i","s":"t","name":"{}","cat":"{}"{},"pid":{},"tid":{},"ts":{},"args":{{{}}}}})"),
        name, category, colour(category), static_cast<std::uint32_t>(group.process), group.ids.front(),
        in_microseconds(in_ns(time)), args);
  }

  /// The job's waiting, the job from its start and, inside it in red, its part after the deadline.
  void job_slices(const JobEnded& event, Time end) {
    TaskTracks& task = tasks_.at(event.job.task);
    latest_ = std::max(latest_, end);
    std::optional<Track> where;
    if (event.release < event.start) {
      const std::optional<std::size_t> lane = task.jobs.lanes.place(event.release, end, max_waiting);
      if (lane) {
        where = track_of(task.jobs, *lane);
        waiting_slice(where, event, event.start);
      }
    }
    if (!where) where = track(task.jobs, event.start, end);
    const bool completed = event.completion != never;
    const std::string response =
        completed ? std::to_string(in_ns(event.completion - event.release)) : std::string{"null"};
    const std::string args = fmt::format(
        FMT_COMPILE(R"("task":"{}","job":{},"release_ns":{},"response_ns":{},"deadline_ns":{},"missed":{})"),
        task.name, event.job.number, in_ns(event.release), response, number_or_null(event.deadline),
        event.missed);
    slice(where,
          fmt::format(FMT_COMPILE("{} #{}{}"), task.name, event.job.number,
                      completed ? "" : " (not completed)"),
          "job", event.start, end, args);
    const Time late_from = std::max(event.start, event.deadline);
    if (event.missed && late_from < end) slice(where, "late", "miss", late_from, end, args);
  }

  void waiting_slice(std::optional<Track> where, const JobEnded& event, Time end) {
    slice(where, fmt::format(FMT_COMPILE("waiting #{}"), event.job.number), "waiting", event.release, end,
          fmt::format(FMT_COMPILE(R"("task":"{}","job":{},"release_ns":{},"waiting_ns":{})"),
                      tasks_.at(event.job.task).name, event.job.number, in_ns(event.release),
                      in_ns(end - event.release)));
  }

  void completion_instant(const JobEnded& event) {
    TaskTracks& task = tasks_.at(event.job.task);
    instant(task.completions, fmt::format(FMT_COMPILE("completion #{}"), event.job.number), "completion",
            event.completion,
            fmt::format(FMT_COMPILE(R"("task":"{}","job":{},"release_ns":{},"response_ns":{},"missed":{})"),
                        task.name, event.job.number, in_ns(event.release),
                        in_ns(event.completion - event.release), event.missed));
    flow("f", event.job, Track{task.completions.process, task.completions.ids.front()}, event.completion);
  }

  /// Written where completions are, when it becomes known.
  void turned_away_instant(const JobEnded& event) {
    TaskTracks& task = tasks_.at(event.job.task);
    instant(task.completions, fmt::format(FMT_COMPILE("turned away #{}"), event.job.number), "full",
            std::max(latest_, event.release),
            fmt::format(FMT_COMPILE(R"("task":"{}","job":{},"release_ns":{})"), task.name, event.job.number,
                        in_ns(event.release)));
  }

  /// The page binds an event of a flow to the slice or instant of its track that was written before it and
  /// begins at the same time.
  void flow(std::string_view phase, const JobName& job, std::optional<Track> where, Time time) {
    if (!where) return;
    if (!begin_extra()) return;
    fmt::format_to(
        std::back_inserter(buffer_),
        FMT_COMPILE(R"({{"ph":"{}","name":"job","cat":"flow","id":{},"pid":{},"tid":{},"ts":{}{}}})"), phase,
        job.number * tasks_.size() + job.task, static_cast<std::uint32_t>(where->process), where->id,
        in_microseconds(in_ns(time)), phase == "f" ? R"(,"bp":"e")" : "");
  }

  void count_threads(const BlockRan& event) {
    const std::vector<std::int64_t>& of_segments = tasks_.at(event.job.task).threads;
    if (event.segment >= of_segments.size()) return;
    const std::int64_t threads = of_segments[event.segment];
    const std::size_t series = threads_.series() == 1 ? 0 : static_cast<std::size_t>(event.sm);
    if (series >= threads_.series()) return;
    const auto sample = [this](Time time, auto values) { sample_threads(time, values); };
    threads_.add(series, event.start, -threads, sample);
    threads_.add(series, event.end, threads, sample);
  }

  /// A job counts as pending until it is known to have completed or to be given up.
  void count_job(const JobEnded& event) {
    const auto sample = [this](Time time, auto values) { sample_jobs(time, values); };
    if (event.fate == Fate::skipped || event.fate == Fate::no_room) {
      jobs_.add(pending_jobs, event.release, -1, sample);
      jobs_.add(waiting_jobs, event.release, -1, sample);
      return;
    }
    const Time gone = event.completion != never ? event.completion : latest_;
    if (event.completion != never || event.fate != Fate::ran) jobs_.add(pending_jobs, gone, -1, sample);
    if (event.start != never) {
      jobs_.add(waiting_jobs, event.start, -1, sample);
    } else if (event.fate != Fate::ran) {
      jobs_.add(waiting_jobs, gone, -1, sample);
    }
  }

  void sample_threads(Time time, std::span<const std::int64_t> values) {
    if (!begin_extra()) return;
    fmt::format_to(std::back_inserter(buffer_),
                   FMT_COMPILE(R"({{"ph":"C","name":"free threads","pid":{},"ts":{},"args":{{)"),
                   static_cast<std::uint32_t>(Process::counters), in_microseconds(in_ns(time)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t free = std::max<std::int64_t>(values[i], 0);
      if (values.size() == 1) {
        fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE(R"("of the GPU":{})"), free);
      } else {
        fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE(R"({}"of SM {}":{})"), i == 0 ? "" : ",", i,
                       free);
      }
    }
    buffer_ += "}}";
  }

  void sample_jobs(Time time, std::span<const std::int64_t> values) {
    if (!begin_extra()) return;
    fmt::format_to(
        std::back_inserter(buffer_),
        FMT_COMPILE(R"({{"ph":"C","name":"jobs","pid":{},"ts":{},"args":{{"pending":{},"waiting":{}}}}})"),
        static_cast<std::uint32_t>(Process::counters), in_microseconds(in_ns(time)),
        std::max<std::int64_t>(values[pending_jobs], 0), std::max<std::int64_t>(values[waiting_jobs], 0));
  }

  void bound_instant(const JobEnded& event, Time reached) {
    const std::optional<BoundMark> mark = bound_mark(bounds_, event, reached);
    if (!mark) return;
    TaskTracks& task = tasks_.at(event.job.task);
    const bool exceeded = mark->kept == false;
    const std::string_view kept = exceeded ? "false" : (mark->kept ? "true" : "null");
    instant(
        task.bounds,
        fmt::format(FMT_COMPILE("{} #{}"), exceeded ? "EXCEEDED bound" : "bound", event.job.number), "bound",
        mark->time,
        fmt::format(
            FMT_COMPILE(R"("task":"{}","job":{},"release_ns":{},"bound_ns":{},"completion_ns":{},"kept":{})"),
            task.name, event.job.number, in_ns(event.release), mark->bound.count(),
            number_or_null(event.completion), kept));
  }

  [[nodiscard]] std::string segment_label(const JobName& job, std::uint32_t segment) const {
    const TaskTracks& task = tasks_.at(job.task);
    const std::string_view label =
        segment < task.segments.size() ? std::string_view{task.segments[segment]} : std::string_view{""};
    return fmt::format(FMT_COMPILE("{} #{}{}"), task.name, job.number, label);
  }

  void begin_event() {
    begin_line();
    ++events_;
  }

  void begin_line() {
    if (buffer_.size() >= piece) flush();
    buffer_ += is_empty_ ? "\n" : ",\n";
    is_empty_ = false;
  }

  /// Begins a line for a flow or a counter; false where their limit is reached.
  bool begin_extra() {
    if (extras_ >= max_events_ / 2) {
      ++extras_left_out_;
      return false;
    }
    ++extras_;
    begin_line();
    return true;
  }

  void write_metadata() {
    std::uint64_t sort_index = 1;
    std::uint32_t process_index = 1;
    name_process(Process::tasks, "Tasks", process_index++);
    for (const TaskTracks& task : tasks_) {
      for (const TrackGroup* group :
           {&task.jobs, &task.releases, &task.completions, &task.deadlines, &task.bounds}) {
        name_tracks(*group, sort_index);
      }
    }
    name_process(Process::counters, "Counters", process_index++);
    if (!cpus_.empty() || !engine_.ids.empty()) name_process(Process::cpus, "CPUs", process_index++);
    for (const TrackGroup& group : cpus_) name_tracks(group, sort_index);
    name_tracks(engine_, sort_index);
    name_process(Process::gpu,
                 truncated() ? fmt::format("GPU (cut: {} events left out)", left_out_) : std::string{"GPU"},
                 process_index++);
    std::optional<Process> named;
    for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
      if (sms_[sm].ids.empty()) continue;
      if (sms_[sm].process != Process::gpu && named != sms_[sm].process) {
        const auto first = static_cast<std::int32_t>(sm) / max_sms_together * max_sms_together;
        const std::int32_t last = std::min(first + max_sms_together, number_of_sms_) - 1;
        name_process(sms_[sm].process, fmt::format("GPU: SM {} to {}", first, last), process_index++);
        named = sms_[sm].process;
      }
      name_tracks(sms_[sm], sort_index);
    }
    for (const TrackGroup& group : copy_engines_) name_tracks(group, sort_index);
    name_process(Process::streams, "Streams", process_index++);
    for (const TrackGroup& group : streams_) name_tracks(group, sort_index);
    for (const TaskTracks& task : tasks_) name_tracks(task.own_streams, sort_index);
  }

  void name_process(Process process, std::string_view name, std::uint32_t sort_index) {
    const auto id = static_cast<std::uint32_t>(process);
    begin_event();
    fmt::format_to(std::back_inserter(buffer_),
                   R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}})", id, name);
    begin_event();
    fmt::format_to(std::back_inserter(buffer_),
                   R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}})", id,
                   sort_index);
  }

  void name_tracks(const TrackGroup& group, std::uint64_t& sort_index) {
    for (std::size_t lane = 0; lane < group.ids.size(); ++lane) {
      std::string name = group.name;
      if (!group.numbered_by.empty()) {
        name += fmt::format("{}{}", group.numbered_by, lane);
      } else if (lane > 0) {
        name += fmt::format(" ({})", lane + 1);
      }
      const auto process = static_cast<std::uint32_t>(group.process);
      begin_event();
      fmt::format_to(std::back_inserter(buffer_),
                     R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}})", process,
                     group.ids[lane], name);
      begin_event();
      fmt::format_to(
          std::back_inserter(buffer_),
          R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})", process,
          group.ids[lane], sort_index++);
    }
  }

  void flush() {
    file_.write(buffer_);
    buffer_.clear();
  }

  AtomicFile file_;
  std::string buffer_;
  std::string system_name_;
  std::uint64_t max_events_;
  Bounds bounds_;
  bool is_empty_ = true;
  std::uint64_t events_ = 0;  // without flows and counters
  std::uint64_t left_out_ = 0;
  std::uint64_t extras_ = 0;  // flows and counters
  std::uint64_t extras_left_out_ = 0;
  std::uint64_t next_track_ = 100;  // apart from the process ids, so that no track is taken for a main thread
  Time latest_{};
  std::vector<TaskTracks> tasks_;
  std::vector<TrackGroup> sms_;
  std::vector<TrackGroup> copy_engines_;
  std::vector<TrackGroup> cpus_;
  TrackGroup engine_{.process = Process::cpus, .name = "engine away"};
  std::vector<TrackGroup> streams_;
  std::int32_t number_of_sms_;
  StepCounter threads_;
  StepCounter jobs_;
  std::vector<JobEnded> cut_off_;  // shown when it is known how far the schedule went
};

PerfettoExporter::PerfettoExporter(std::filesystem::path path, const System& system, PerfettoOptions options)
    : writer_{std::make_unique<Writer>(std::move(path), system, std::move(options))} {}
PerfettoExporter::PerfettoExporter(PerfettoExporter&&) noexcept = default;
PerfettoExporter& PerfettoExporter::operator=(PerfettoExporter&&) noexcept = default;
PerfettoExporter::~PerfettoExporter() = default;

Interests PerfettoExporter::interests() const { return writer_->interests(); }
void PerfettoExporter::on(const JobReleased& event) { writer_->on(event); }
void PerfettoExporter::on(const BlockRan& event) { writer_->on(event); }
void PerfettoExporter::on(const CopyRan& event) { writer_->on(event); }
void PerfettoExporter::on(const CpuRan& event) { writer_->on(event); }
void PerfettoExporter::on(const OperationFinished& event) { writer_->on(event); }
void PerfettoExporter::on(const JobEnded& event) { writer_->on(event); }
void PerfettoExporter::on(const EngineAway& event) { writer_->on(event); }
void PerfettoExporter::finish(Time reached) { writer_->finish(reached); }
bool PerfettoExporter::truncated() const { return writer_->truncated(); }

}  // namespace tactus::trace
