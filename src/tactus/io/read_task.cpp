// One task of a system file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "tactus/base/utf8.hpp"
#include "tactus/io/read_parts.hpp"
#include "tactus/io/units.hpp"
#include "tactus/model/limits.hpp"

namespace tactus::io {

namespace {

constexpr std::array<std::string_view, 30> task_keys{
    "name",        "arrival", "period",     "rate",          "deadline", "offset",          "jitter",
    "priority",    "core",    "sm",         "longest_block", "stream",   "stream_priority", "budget",
    "on_overrun",  "on_miss", "exclusive",  "kernel",        "segments", "graph",           "jobs",
    "preemptible", "wait",    "time_slice", "gpu_priority",  "enqueue",  "dispatch",        "launcher",
    "max_jobs",    "on_full"};
constexpr std::array<std::string_view, 6> job_keys{"release", "late", "launch", "completion", "cpu", "time"};
SmAffinity read_sm(const Value& value, Reader& reader) {
  using Kind = SmAffinity::Kind;
  if (value.kind == Value::Kind::scalar && value.text == "all") return {.kind = Kind::all, .core = 0};
  if (value.kind == Value::Kind::scalar && value.text == "any") return {.kind = Kind::any, .core = 0};
  const bool is_number = value.kind == Value::Kind::scalar && !value.quoted && !value.text.empty() &&
                         value.text.find_first_not_of("-0123456789") == std::string::npos;
  if (is_number) {
    const std::optional<std::int32_t> core = reader.small_integer(value, "sm", {0, limits::sms.max - 1});
    if (!core) return {};
    return {.kind = Kind::one, .core = *core};
  }
  reader.reject(ProblemId::unknown_word, value,
                value.kind == Value::Kind::scalar ? "sm " + in_backticks(value.text) + " is not known"
                                                  : "sm is not a single value",
                "write the number of a core, all, or any");
  return {};
}

void read_core(const Fields& fields, Task& task, Reader& reader) {
  const Value* given = fields.find("core");
  const bool is_word = given != nullptr && given->kind == Value::Kind::scalar && !given->quoted &&
                       given->text.find_first_of("+-.0123456789") == std::string::npos;
  task.any_core = is_word && given->text == "any";
  if (is_word && !task.any_core) {
    reader.reject(ProblemId::unknown_word, *given, "core " + in_backticks(given->text) + " is not known",
                  "write the number of a core, or any: `tactus plan` chooses one");
  } else if (!task.any_core) {
    fields.take("core", task.core, {0, limits::cpus.max - 1});
  }
}

std::optional<Duration> read_period(Reader& reader, const Value& value) {
  const bool is_rate = value.kind == Value::Kind::scalar && !parse_duration(value.text).value &&
                       parse_rate(value.text).value.has_value();
  if (!is_rate) return reader.duration(value, "period");
  reader.reject(ProblemId::unknown_unit, value, fmt::format("period {} is a rate", in_backticks(value.text)),
                fmt::format("write `rate: {}`", value.text));
  return std::nullopt;
}

void read_arrival(const Fields& fields, Task& task, Reader& reader) {
  // Replaces what could not be read.
  constexpr Duration some_period = std::chrono::seconds{1};
  const Value* period = fields.find("period");
  const Value* rate = fields.find("rate");
  if (fields.mentions("arrival")) {
    task.arrival = period != nullptr || rate != nullptr ? Arrival::periodic : Arrival::once;
  }
  fields.take("arrival", task.arrival, words::arrivals);
  if (period != nullptr && rate != nullptr) {
    reader.add(ProblemId::conflicting_keys, std::max(fields.key_offset("period"), fields.key_offset("rate")),
               "both `period` and `rate` are given", "keep one");
  }
  if (rate != nullptr) task.period = reader.rate(*rate, "rate").value_or(some_period);
  if (period != nullptr) task.period = read_period(reader, *period).value_or(some_period);
  if (repeats(task)) task.deadline = task.period;
  fields.take("deadline", task.deadline, &Reader::duration);
  fields.take("offset", task.offset, &Reader::duration);
  fields.take("jitter", task.jitter, &Reader::duration);
}

/// One time for each segment; a single one needs no brackets.
std::vector<Duration> read_times(const Value& value, Reader& reader) {
  std::vector<Duration> times;
  if (value.kind != Value::Kind::list) {
    if (const std::optional<Duration> time = reader.duration(value, "time")) times.push_back(*time);
    return times;
  }
  if (value.items.empty()) {
    reader.reject(ProblemId::wrong_shape, value, "time is an empty list",
                  "give one for each segment, or leave it out");
  }
  for (const Value& item : value.items) {
    const std::optional<Duration> time = reader.duration(item, "time");
    if (!time) {
      reader.silence(value);
      return {};
    }
    times.push_back(*time);
  }
  return times;
}

/// Whether a key is present (or a misspelling of it) but its value is unusable.
bool is_unknown(const Fields& fields, std::string_view key, const Reader& reader) {
  const Value* given = fields.find(key);
  return given != nullptr ? reader.is_rejected(*given) : fields.mentions(key);
}

/// Remembers whether the release had to be replaced.
ScriptedJob read_job(const Value& value, bool& release_is_unknown, Reader& reader) {
  ScriptedJob job;
  if (!reader.is_map(value, "a job", "{release: 3ms, time: 1ms}")) {
    release_is_unknown = true;
    return job;
  }
  const Fields fields{reader, value, job_keys};
  if (const Value* given = fields.find("release")) {
    if (const std::optional<Duration> release = reader.duration(*given, "release"))
      job.release = time_at(*release);
  }
  release_is_unknown = release_is_unknown || is_unknown(fields, "release", reader);
  fields.take("late", job.late, &Reader::duration);
  fields.take("launch", job.launch, &Reader::duration);
  fields.take("completion", job.completion, &Reader::duration);
  fields.take("cpu", job.cpu, &Reader::duration);
  if (const Value* given = fields.find("time")) job.times = read_times(*given, reader);
  return job;
}

/// No scripted jobs when the work or release they are checked against had to be replaced.
std::vector<ScriptedJob> read_jobs(const Value& value, const Fields& task, Reader& reader) {
  std::vector<ScriptedJob> jobs;
  if (!reader.is_list(value, "jobs", "[{release: 0ms}, {release: 12ms, time: 1ms}]")) return jobs;
  jobs.reserve(value.items.size());
  bool release_is_unknown = false;
  for (const Value& item : value.items) jobs.push_back(read_job(item, release_is_unknown, reader));
  const auto unknown = [&](std::string_view key) { return is_unknown(task, key, reader); };
  if (release_is_unknown || unknown("arrival") || unknown("period") || unknown("rate") || unknown("offset") ||
      unknown("jitter")) {
    jobs.clear();
  }
  return jobs;
}

}  // namespace

Task read_task(const Value& value, const Gpu& gpu, Reader& reader) {
  Task task;
  if (!reader.is_map(value, "a task", "{name: a, period: 10ms, exclusive: 3ms}")) {
    task.arrival = Arrival::once;
    task.work = some_work();
    return task;
  }
  const Fields fields{reader, value, task_keys};
  fields.take("name", task.name, &Reader::name);
  read_arrival(fields, task, reader);
  fields.take("priority", task.priority, &Reader::integer);
  fields.take("gpu_priority", task.gpu_priority, &Reader::integer);
  fields.take("enqueue", task.enqueue, &Reader::duration);
  fields.take("dispatch", task.dispatch, words::dispatches);
  fields.take("launcher", task.launcher, &Reader::boolean);
  read_core(fields, task, reader);
  fields.take("wait", task.wait, words::waiting);
  if (const Value* given = fields.find("sm")) task.sm = read_sm(*given, reader);
  fields.take("longest_block", task.longest_block, &Reader::duration);
  fields.take("preemptible", task.preemptible, &Reader::boolean);
  fields.take("time_slice", task.time_slice, &Reader::duration);
  fields.take("stream", task.stream, &Reader::name);
  fields.take("stream_priority", task.stream_priority, {1 - gpu.priority_levels, 0});
  fields.take("budget", task.budget, &Reader::duration);
  fields.take("on_overrun", task.on_overrun, words::overrun_actions);
  fields.take("on_miss", task.on_miss, words::miss_actions);
  fields.take("max_jobs", task.max_jobs, &Reader::integer);
  fields.take("on_full", task.on_full, words::full_actions);
  const bool work_is_known = read_work(value, fields, gpu, task, reader);
  if (!work_is_known) {
    task.longest_block.reset();
    task.preemptible = false;
    task.dispatch = Dispatch::launch;
    task.launcher = false;
  }
  if (const Value* given = fields.find("jobs")) {
    task.jobs = read_jobs(*given, fields, reader);
    if (!work_is_known) task.jobs.clear();
  }
  return task;
}

}  // namespace tactus::io
