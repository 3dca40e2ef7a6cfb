#include "tactus/trace/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>

#include "tactus/trace/json_text.hpp"

namespace tactus::trace {

namespace {

auto canonical_key(const JobReleased& event) { return std::tie(event.release, event.job); }
auto canonical_key(const JobEnded& event) { return std::tie(event.release, event.job); }
auto canonical_key(const BlockRan& event) {
  return std::tie(event.start, event.job, event.segment, event.block, event.sm);
}
auto canonical_key(const CopyRan& event) {
  return std::tie(event.start, event.job, event.segment, event.engine);
}
auto canonical_key(const CpuRan& event) {
  return std::tie(event.start, event.job, event.segment, event.core);
}
auto canonical_key(const EngineAway& event) { return std::tie(event.from, event.to); }
auto canonical_key(const OperationFinished& event) { return std::tie(event.start, event.job, event.segment); }

template <class Event>
void sort_events(std::vector<Event>& events) {
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return canonical_key(a) < canonical_key(b); });
}

// Elements go to the stream in pieces of about this size.
constexpr std::size_t piece = std::size_t{1} << 16U;

template <class Record, class Format>
void write_array(std::ostream& out, std::span<const Record> records, Format format) {
  fmt::memory_buffer buffer;
  buffer.push_back('[');
  for (const Record& record : records) {
    if (&record != records.data()) buffer.push_back(',');
    format(std::back_inserter(buffer), record);
    if (buffer.size() >= piece) {
      out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
      buffer.clear();
    }
  }
  buffer.push_back(']');
  out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
}

}  // namespace

void sort_canonically(Recording& recording) {
  sort_events(recording.releases);
  sort_events(recording.blocks);
  sort_events(recording.copies);
  sort_events(recording.cpus);
  sort_events(recording.operations);
  sort_events(recording.ends);
  sort_events(recording.absences);
}

Interests Recorder::interests() const {
  Interests open = options_.keep;
  for (const auto kind : kinds_of_events) open.*kind = open.*kind && !(recording_.truncated.*kind);
  return open;
}

template <class Event>
void Recorder::keep(std::vector<Event>& events, const Event& event) {
  const Time begin = std::get<0>(canonical_key(event));
  if (!(options_.keep.*Event::kind) || begin >= options_.until) return;
  if (events.size() < options_.max_of_a_kind) {
    events.push_back(event);
  } else {
    recording_.truncated.*Event::kind = true;
  }
}

void Recorder::on(const JobReleased& event) { keep(recording_.releases, event); }
void Recorder::on(const BlockRan& event) { keep(recording_.blocks, event); }
void Recorder::on(const CopyRan& event) { keep(recording_.copies, event); }
void Recorder::on(const CpuRan& event) { keep(recording_.cpus, event); }
void Recorder::on(const OperationFinished& event) { keep(recording_.operations, event); }
void Recorder::on(const JobEnded& event) { keep(recording_.ends, event); }
void Recorder::on(const EngineAway& event) { keep(recording_.absences, event); }

Recording Recorder::take() {
  Recording recording = std::exchange(recording_, {});
  sort_canonically(recording);
  return recording;
}

void write_jobs_json(std::ostream& out, std::span<const JobEnded> jobs, const System& system) {
  const std::vector<std::string> names = escaped_task_names(system);
  write_array(out, jobs, [&](auto target, const JobEnded& job) {
    fmt::format_to(target,
                   R"({{"task":"{}","job":{},"release_ns":{},"start_ns":{},"completion_ns":{},)"
                   R"("deadline_ns":{},"missed":{},"fate":"{}"}})",
                   names.at(job.job.task), job.job.number, in_ns(job.release), number_or_null(job.start),
                   number_or_null(job.completion), number_or_null(job.deadline), job.missed, fate_word(job));
  });
}

void write_blocks_json(std::ostream& out, std::span<const BlockRan> blocks, const System& system) {
  const std::vector<std::string> names = escaped_task_names(system);
  write_array(out, blocks, [&](auto target, const BlockRan& block) {
    fmt::format_to(target,
                   R"({{"task":"{}","job":{},"segment":{},"block":{},"sm":{},"start_ns":{},"end_ns":{}}})",
                   names.at(block.job.task), block.job.number, block.segment, block.block, block.sm,
                   in_ns(block.start), in_ns(block.end));
  });
}

}  // namespace tactus::trace
