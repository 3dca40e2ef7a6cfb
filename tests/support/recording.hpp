// Everything a simulation tells its observers, kept and made comparable.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tactus/model/system.hpp"
#include "tactus/trace/event.hpp"
#include "tactus/trace/observer.hpp"

namespace tactus::test {

struct Recording {
  std::vector<trace::JobReleased> releases;
  std::vector<trace::BlockRan> blocks;
  std::vector<trace::CopyRan> copies;
  std::vector<trace::CpuRan> cpus;
  std::vector<trace::OperationFinished> operations;
  std::vector<trace::JobEnded> ends;
};

/// Keeps what it asked for. Blocks are optional: without them an engine may handle equal blocks in bulk.
class Recorder : public trace::Observer {
 public:
  using Observer::on;

  enum class Blocks : bool { unwanted, wanted };

  explicit Recorder(Blocks blocks) : blocks_{blocks} {}

  [[nodiscard]] trace::Interests interests() const override;
  void on(const trace::JobReleased& event) override { recording.releases.push_back(event); }
  void on(const trace::BlockRan& event) override { recording.blocks.push_back(event); }
  void on(const trace::CopyRan& event) override { recording.copies.push_back(event); }
  void on(const trace::CpuRan& event) override { recording.cpus.push_back(event); }
  void on(const trace::OperationFinished& event) override { recording.operations.push_back(event); }
  void on(const trace::JobEnded& event) override { recording.ends.push_back(event); }

  Recording recording;

 private:
  Blocks blocks_;
};

/// Sorts each kind of event by all of its fields: two recordings of one schedule become equal.
void sort_events(Recording& recording);

/// One line for each event that only one of two sorted recordings has, the earliest first; nothing when they
/// agree. At most `most` lines.
std::optional<std::string> difference(const Recording& left, const Recording& right, const char* left_name,
                                      const char* right_name, std::size_t most = 12);

/// All events of a recording, one a line, in order of time.
std::string to_text(const Recording& recording);

}  // namespace tactus::test
