// Records events, for tables, pictures and tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iosfwd>
#include <span>
#include <vector>

#include "tactus/model/system.hpp"
#include "tactus/trace/observer.hpp"

namespace tactus::trace {

/// Events in the canonical order: by time (release, or start), task, job, segment, block, SM.
struct Recording {
  std::vector<JobReleased> releases;
  std::vector<BlockRan> blocks;
  std::vector<CopyRan> copies;
  std::vector<CpuRan> cpus;
  std::vector<OperationFinished> operations;
  std::vector<JobEnded> ends;
  std::vector<EngineAway> absences;
  Interests truncated;  // kinds of events that reached the limit

  [[nodiscard]] bool complete() const {
    return std::ranges::none_of(kinds_of_events, [this](auto kind) { return truncated.*kind; });
  }
};

void sort_canonically(Recording& recording);

struct RecorderOptions {
  Interests keep;
  /// Limit for each kind, so that many blocks do not displace the jobs; the first events are kept.
  std::size_t max_of_a_kind = 5'000'000;
  /// Events that begin at or after this instant are not recorded and do not count as truncated.
  Time until = never;
};

class Recorder final : public Observer {
 public:
  using Observer::on;

  explicit Recorder(RecorderOptions options) : options_{options} {}

  /// The kinds of events below their limits.
  [[nodiscard]] Interests interests() const override;

  void on(const JobReleased& event) override;
  void on(const BlockRan& event) override;
  void on(const CopyRan& event) override;
  void on(const CpuRan& event) override;
  void on(const OperationFinished& event) override;
  void on(const JobEnded& event) override;
  void on(const EngineAway& event) override;

  /// Returns the recorded events in canonical order, and starts anew.
  [[nodiscard]] Recording take();

 private:
  template <class Event>
  void keep(std::vector<Event>& events, const Event& event);

  RecorderOptions options_;
  Recording recording_;
};

/// The "jobs" and "blocks" of `tactus sim --json`: a JSON array without line breaks. Written piece by piece
/// because there may be millions.
void write_jobs_json(std::ostream& out, std::span<const JobEnded> jobs, const System& system);
void write_blocks_json(std::ostream& out, std::span<const BlockRan> blocks, const System& system);

}  // namespace tactus::trace
