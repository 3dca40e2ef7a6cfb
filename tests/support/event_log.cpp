#include "support/event_log.hpp"

#include <algorithm>

namespace tactus::test {

namespace {

constexpr const char* released = "released";
constexpr const char* block_ran = "block";
constexpr const char* copy_ran = "copy";
constexpr const char* cpu_ran = "cpu";
constexpr const char* operation = "operation";
constexpr const char* ended = "ended";

std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

trace::Interests EventLog::interests() const {
  return {
      .releases = true, .blocks = blocks_, .copies = true, .cpus = true, .operations = true, .ends = true};
}

void EventLog::on(const trace::JobReleased& event) {
  entries.push_back(
      {released, {event.job.task, number(event.job.number), in_ns(event.release), in_ns(event.deadline)}});
}

void EventLog::on(const trace::BlockRan& event) {
  entries.push_back({block_ran,
                     {event.job.task, number(event.job.number), event.segment, event.block, event.sm,
                      in_ns(event.start), in_ns(event.end)}});
}

void EventLog::on(const trace::CopyRan& event) {
  entries.push_back({copy_ran,
                     {event.job.task, number(event.job.number), event.segment, event.engine,
                      in_ns(event.start), in_ns(event.end)}});
}

void EventLog::on(const trace::CpuRan& event) {
  entries.push_back({cpu_ran,
                     {event.job.task, number(event.job.number), event.segment, event.core, in_ns(event.start),
                      in_ns(event.end)}});
}

void EventLog::on(const trace::OperationFinished& event) {
  entries.push_back({operation,
                     {event.job.task, number(event.job.number), event.segment, event.stream,
                      in_ns(event.called), in_ns(event.start), in_ns(event.end)}});
}

void EventLog::on(const trace::JobEnded& event) {
  entries.push_back({ended,
                     {event.job.task, number(event.job.number), in_ns(event.release), in_ns(event.start),
                      in_ns(event.completion), in_ns(event.deadline), event.missed ? 1 : 0,
                      static_cast<std::int64_t>(event.fate)}});
}

std::string to_text(const EventLog::Entry& entry) {
  std::string text = entry.kind;
  for (const std::int64_t field : entry.fields) {
    text += ' ';
    text += field == in_ns(never) ? "never" : std::to_string(field);
  }
  return text;
}

std::optional<std::string> first_difference(const EventLog& left, const EventLog& right) {
  const auto [one, other] =
      std::mismatch(left.entries.begin(), left.entries.end(), right.entries.begin(), right.entries.end());
  if (one == left.entries.end() && other == right.entries.end()) return std::nullopt;
  constexpr std::ptrdiff_t before = 5;
  std::string text;
  const auto place = one - left.entries.begin();
  for (auto entry = left.entries.begin() + std::max<std::ptrdiff_t>(0, place - before); entry != one;
       ++entry) {
    text += "  both: " + to_text(*entry) + "\n";
  }
  text += "  left: " + (one == left.entries.end() ? "nothing more" : to_text(*one)) + "\n";
  text += "  right: " + (other == right.entries.end() ? "nothing more" : to_text(*other)) + "\n";
  return text;
}

}  // namespace tactus::test
