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

#include <cstdint>
#include <filesystem>
#include <memory>

#include "tactus/model/system.hpp"
#include "tactus/trace/bounds.hpp"
#include "tactus/trace/observer.hpp"

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
  PerfettoExporter(const PerfettoExporter&) = delete;
  PerfettoExporter& operator=(const PerfettoExporter&) = delete;
  PerfettoExporter(PerfettoExporter&&) noexcept;
  PerfettoExporter& operator=(PerfettoExporter&&) noexcept;
  ~PerfettoExporter() override;

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
  [[nodiscard]] bool truncated() const;

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace tactus::trace
