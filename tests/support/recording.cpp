#include "support/recording.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <tuple>
#include <utility>

namespace tactus::test {

namespace {

// The first element is the instant by which events are listed; all fields follow, so equal keys mean equal
// events.
auto key(const trace::JobReleased& e) { return std::tuple{e.release, e.job, e.deadline}; }
auto key(const trace::BlockRan& e) { return std::tuple{e.start, e.job, e.segment, e.block, e.sm, e.end}; }
auto key(const trace::CopyRan& e) { return std::tuple{e.start, e.job, e.segment, e.engine, e.end}; }
auto key(const trace::CpuRan& e) { return std::tuple{e.start, e.job, e.segment, e.core, e.end}; }
auto key(const trace::OperationFinished& e) {
  return std::tuple{e.end, e.job, e.segment, e.stream, e.called, e.start};
}
auto key(const trace::JobEnded& e) {
  return std::tuple{e.completion, e.job, e.release, e.start, e.deadline, e.missed};
}

constexpr auto by_key = [](const auto& a, const auto& b) { return key(a) < key(b); };

std::string instant(Time t) { return t == never ? "never" : std::to_string(in_ns(t)); }

std::string job(const trace::JobName& name) {
  return "task " + std::to_string(name.task) + " job " + std::to_string(name.number);
}

std::string line(const trace::JobReleased& e) {
  return job(e.job) + " released at " + instant(e.release) + ", deadline " + instant(e.deadline);
}

std::string line(const trace::BlockRan& e) {
  return job(e.job) + " segment " + std::to_string(e.segment) + " block " + std::to_string(e.block) +
         " on SM " + std::to_string(e.sm) + " from " + instant(e.start) + " to " + instant(e.end);
}

std::string line(const trace::CopyRan& e) {
  return job(e.job) + " segment " + std::to_string(e.segment) + " on copy engine " +
         std::to_string(e.engine) + " from " + instant(e.start) + " to " + instant(e.end);
}

std::string line(const trace::CpuRan& e) {
  return job(e.job) + " segment " + std::to_string(e.segment) + " on CPU " + std::to_string(e.core) +
         " from " + instant(e.start) + " to " + instant(e.end);
}

std::string line(const trace::OperationFinished& e) {
  return job(e.job) + " segment " + std::to_string(e.segment) + " in stream " + std::to_string(e.stream) +
         " called at " + instant(e.called) + ", ran from " + instant(e.start) + " to " + instant(e.end);
}

std::string line(const trace::JobEnded& e) {
  return job(e.job) + " released at " + instant(e.release) + " started at " + instant(e.start) +
         " completed at " + instant(e.completion) + ", deadline " + instant(e.deadline) +
         (e.missed ? ", missed" : "");
}

using Lines = std::vector<std::pair<Time, std::string>>;

template <typename Event>
void list_difference(const std::vector<Event>& left, const std::vector<Event>& right, const char* left_name,
                     const char* right_name, Lines& lines) {
  std::vector<Event> only;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(only), by_key);
  for (const Event& event : only) {
    lines.emplace_back(std::get<0>(key(event)), std::string{"only "} + left_name + ": " + line(event));
  }
  only.clear();
  std::set_difference(right.begin(), right.end(), left.begin(), left.end(), std::back_inserter(only), by_key);
  for (const Event& event : only) {
    lines.emplace_back(std::get<0>(key(event)), std::string{"only "} + right_name + ": " + line(event));
  }
}

template <typename Event>
void list_all(const std::vector<Event>& events, Lines& lines) {
  for (const Event& event : events) lines.emplace_back(std::get<0>(key(event)), line(event));
}

std::string join_by_time(Lines lines, std::size_t most) {
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::ostringstream text;
  for (std::size_t i = 0; i < lines.size() && i < most; ++i) text << lines[i].second << '\n';
  if (lines.size() > most) text << "and " << lines.size() - most << " more\n";
  return text.str();
}

}  // namespace

trace::Interests Recorder::interests() const {
  return {.releases = true,
          .blocks = blocks_ == Blocks::wanted,
          .copies = true,
          .cpus = true,
          .operations = true,
          .ends = true};
}

void sort_events(Recording& recording) {
  std::sort(recording.releases.begin(), recording.releases.end(), by_key);
  std::sort(recording.blocks.begin(), recording.blocks.end(), by_key);
  std::sort(recording.copies.begin(), recording.copies.end(), by_key);
  std::sort(recording.cpus.begin(), recording.cpus.end(), by_key);
  std::sort(recording.operations.begin(), recording.operations.end(), by_key);
  std::sort(recording.ends.begin(), recording.ends.end(), by_key);
}

std::optional<std::string> difference(const Recording& left, const Recording& right, const char* left_name,
                                      const char* right_name, std::size_t most) {
  Lines lines;
  list_difference(left.releases, right.releases, left_name, right_name, lines);
  list_difference(left.blocks, right.blocks, left_name, right_name, lines);
  list_difference(left.copies, right.copies, left_name, right_name, lines);
  list_difference(left.cpus, right.cpus, left_name, right_name, lines);
  list_difference(left.operations, right.operations, left_name, right_name, lines);
  list_difference(left.ends, right.ends, left_name, right_name, lines);
  if (lines.empty()) return std::nullopt;
  return join_by_time(std::move(lines), most);
}

std::string to_text(const Recording& recording) {
  Lines lines;
  list_all(recording.releases, lines);
  list_all(recording.blocks, lines);
  list_all(recording.copies, lines);
  list_all(recording.cpus, lines);
  list_all(recording.operations, lines);
  list_all(recording.ends, lines);
  const std::size_t all = lines.size();
  return join_by_time(std::move(lines), all);
}

}  // namespace tactus::test
