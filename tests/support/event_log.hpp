// Every event of a trace in the order in which it was told.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/trace/observer.hpp"

namespace tactus::test {

class EventLog : public trace::Observer {
 public:
  using Observer::on;

  /// The kind of an event and its fields as numbers.
  struct Entry {
    const char* kind = "";
    std::array<std::int64_t, 8> fields{};
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  explicit EventLog(bool blocks = true) : blocks_{blocks} {}

  [[nodiscard]] trace::Interests interests() const override;
  void on(const trace::JobReleased& event) override;
  void on(const trace::BlockRan& event) override;
  void on(const trace::CopyRan& event) override;
  void on(const trace::CpuRan& event) override;
  void on(const trace::OperationFinished& event) override;
  void on(const trace::JobEnded& event) override;

  std::vector<Entry> entries;

 private:
  bool blocks_;
};

std::string to_text(const EventLog::Entry& entry);

/// The first event that differs, with a few before it; nothing when the logs are equal.
std::optional<std::string> first_difference(const EventLog& left, const EventLog& right);

}  // namespace tactus::test
