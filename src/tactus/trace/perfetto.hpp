// A trace for the Perfetto page (ui.perfetto.dev), in Chrome's JSON trace format.
//
// Processes and their tracks, in this order:
//   Tasks     for each task: its jobs as slices, each after the slice of its waiting; its releases, its
//             completions, its deadlines and its proven bounds as instants. A track for each kind, because
//             the page hides an instant behind whatever begins on the same track at the same time.
//   Counters  free threads, pending and waiting jobs
//   CPUs      a track for each core that served a segment, a track with the engine's absences
//   GPU       a track for each SM slot, a track for each copy engine; of a large GPU, SMs are in processes of
//             their own, sixteen in each
//   Streams   a track for each named stream; the operations of jobs with streams of their own, by task
// Slices of one track must nest or the page drops them, so overlapping ones get a further track. Idle
// servers have no track. A flow joins the release of a job, its operations in the order of their start, and
// its completion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/file.hpp"
#include "tactus/model/system.hpp"
#include "tactus/trace/bounds.hpp"
#include "tactus/trace/observer.hpp"
#include "tactus/trace/span_layout.hpp"
#include "tactus/trace/step_counter.hpp"

namespace tactus::trace {

struct PerfettoOptions {
  /// After so many events blocks, copies and operations are left out; after twice as many, everything. The
  /// page does not open much more. Flows and counters are left out after half as many of them.
  std::uint64_t max_events = 5'000'000;
  /// Proven bounds of the tasks, marked after every release; tasks without a bound get no marks.
  Bounds bounds{};
};

/// Writes events as they arrive; the file appears under its name only with `finish`.
class PerfettoExporter final : public Observer {
 public:
  using Observer::on;

  PerfettoExporter(std::filesystem::path path, const System& system, PerfettoOptions options = {});

  /// The kinds of events that it still writes.
  [[nodiscard]] Interests interests() const override;

  void on(const JobReleased& event) override;
  void on(const BlockRan& event) override;
  void on(const CopyRan& event) override;
  void on(const CpuRan& event) override;
  void on(const OperationFinished& event) override;
  void on(const JobEnded& event) override;
  void on(const EngineAway& event) override;

  /// Completes the file. Jobs that never completed are drawn up to `reached`. FailureError when writing
  /// failed.
  void finish(Time reached);

  /// Whether events were left out because there were too many.
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
    std::string name;              // escaped
    std::string_view numbered_by;  // " slot " names every track; empty: only the further ones get a number
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
  [[nodiscard]] bool has_room_for_extras() const { return extras_ < max_events_ / 2; }
  [[nodiscard]] Process process_of(std::int32_t sm) const;
  static TrackGroup& at_index(std::vector<TrackGroup>& groups, std::int32_t index, Process process,
                              std::string_view name, std::string_view numbered_by);
  std::optional<Track> track(TrackGroup& group, Time start, Time end);
  Track track_of(TrackGroup& group, std::size_t lane);
  void slice(std::optional<Track> where, std::string_view name, std::string_view category, Time start,
             Time end, std::string_view args);
  void instant(TrackGroup& group, std::string_view name, std::string_view category, Time time,
               std::string_view args);
  void job_slices(const JobEnded& event, Time end);
  void waiting_slice(std::optional<Track> where, const JobEnded& event, Time end);
  void completion_instant(const JobEnded& event);
  void flow(std::string_view phase, const JobName& job, std::optional<Track> where, Time time);
  void count_threads(const BlockRan& event);
  void count_job(const JobEnded& event);
  void sample_threads(Time time, std::span<const std::int64_t> values);
  void sample_jobs(Time time, std::span<const std::int64_t> values);
  void bound_instant(const JobEnded& event, Time reached);
  [[nodiscard]] std::string segment_label(const JobName& job, std::uint32_t segment) const;
  void begin_event();
  void begin_line();
  /// Begins a line for a flow or a counter; false where their limit is reached.
  bool begin_extra();
  void write_metadata();
  void name_process(Process process, std::string_view name, std::uint32_t sort_index);
  void name_tracks(const TrackGroup& group, std::uint64_t& sort_index);
  void flush();

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
  TrackGroup engine_{.process = Process::cpus, .name = "engine away", .numbered_by = {}};
  std::vector<TrackGroup> streams_;
  std::int32_t number_of_sms_;
  StepCounter threads_;
  StepCounter jobs_;
  std::vector<JobEnded> cut_off_;  // shown when it is known how far the schedule went
};

}  // namespace tactus::trace
