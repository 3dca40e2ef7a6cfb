#include "tactus/io/write_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/io/words.hpp"
#include "tactus/model/core_times.hpp"
#include "tactus/model/presets.hpp"

namespace tactus {

namespace io {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether the text needs no quotes in YAML, also inside [] and {}.
bool is_plain(std::string_view name) {
  constexpr std::array<std::string_view, 9> other_meanings{"null", "Null", "NULL", "true", "false",
                                                           "yes",  "no",   "on",   "off"};
  if (name.empty() || !is_letter(name.front()) || name.back() == ' ') return false;
  if (std::find(other_meanings.begin(), other_meanings.end(), name) != other_meanings.end()) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == ' ';
  });
}

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (std::size_t offset = 0; offset < name.size();) {
    const Character character = character_at(name, offset);
    const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
    if (is_disturbing(character.code)) {
      text += fmt::format("\\u{:04X}", static_cast<unsigned>(character.code));
    } else {
      if (character.code == '"' || character.code == '\\') text += '\\';
      text += name.substr(offset, bytes);
    }
    offset += bytes;
  }
  return text + '"';
}

std::string name_text(std::string_view name) { return is_plain(name) ? std::string{name} : quoted(name); }

/// The parser accepts keys of at most 1024 characters unless a `?` precedes them.
std::string key_text(std::string_view name) {
  constexpr std::size_t longest = 1000;
  std::string text = name_text(name);
  return text.size() > longest ? "? " + text + " " : text;
}

std::string time_text(Interval time) {
  return time.best == time.worst ? to_text(time.worst)
                                 : fmt::format("[{}, {}]", to_text(time.best), to_text(time.worst));
}

std::string factor_text(const Rational& factor) {
  const std::optional<std::string> decimal = to_decimal(factor);
  if (!decimal) {
    throw FailureError{
        fmt::format("the factor {} is no decimal: a system file cannot hold it", to_string(factor))};
  }
  return *decimal;
}

/// "{a: 1, b: 2}", entry by entry.
class FlowMap {
 public:
  void add(std::string_view key, std::string_view value) {
    text_ += fmt::format("{}{}: {}", text_.empty() ? "" : ", ", key, value);
  }
  void add(std::string_view key, std::int64_t value) { add(key, std::to_string(value)); }
  template <typename T>
  void add_unless(T standard, std::string_view key, T value) {
    if (value != standard) add(key, value);
  }
  void add_unless(Duration standard, std::string_view key, Duration value) {
    if (value != standard) add(key, to_text(value));
  }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

/// "key: value" on lines of their own.
class Lines {
 public:
  explicit Lines(std::string indentation) : indentation_{std::move(indentation)} {}

  void add(std::string_view key, std::string_view value) {
    text_ += fmt::format("{}{}: {}\n", indentation_, key, value);
  }
  void add_unless(std::int64_t standard, std::string_view key, std::int64_t value) {
    if (value != standard) add(key, std::to_string(value));
  }
  void add_unless(Duration standard, std::string_view key, Duration value) {
    if (value != standard) add(key, to_text(value));
  }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  std::string indentation_;
  std::string text_;
};

// --- Platform ---------------------------------------------------------------------------------------------

std::string cpus_text(const std::vector<std::int32_t>& clusters) {
  if (clusters.size() == 1) return std::to_string(clusters.front());
  return fmt::format("{{clusters: [{}]}}", fmt::join(clusters, ", "));
}

/// The keys that differ from `base`; without a base, `sms` in any case.
FlowMap gpu_map(const Gpu& gpu, const Gpu& base, bool has_base) {
  FlowMap map;
  if (!has_base || gpu.sms != base.sms) map.add("sms", gpu.sms);
  map.add_unless(base.threads_per_sm, "threads_per_sm", gpu.threads_per_sm);
  map.add_unless(base.blocks_per_sm, "blocks_per_sm", gpu.blocks_per_sm);
  map.add_unless(base.registers_per_sm, "registers_per_sm", gpu.registers_per_sm);
  map.add_unless(base.register_unit, "register_unit", gpu.register_unit);
  map.add_unless(base.register_files, "register_files", gpu.register_files);
  map.add_unless(base.warp, "warp", gpu.warp);
  const auto add_size = [&](std::string_view key, std::int64_t Gpu::*size) {
    map.add_unless(size_text(base.*size), key, size_text(gpu.*size));
  };
  add_size("shared_memory_per_sm", &Gpu::shared_memory_per_sm);
  add_size("shared_memory_unit", &Gpu::shared_memory_unit);
  add_size("shared_memory_reserved", &Gpu::shared_memory_reserved);
  map.add_unless(base.priority_levels, "priority_levels", gpu.priority_levels);
  map.add_unless(base.copy_engines, "copy_engines", gpu.copy_engines);
  map.add_unless(word_of(words::sm_choices, base.sm_choice), "sm_choice",
                 word_of(words::sm_choices, gpu.sm_choice));
  map.add_unless(base.virtual_sms_per_sm, "virtual_sms_per_sm", gpu.virtual_sms_per_sm);
  map.add_unless(base.parts_per_sm, "parts_per_sm", gpu.parts_per_sm);
  if (gpu.copy_bandwidth && gpu.copy_bandwidth != base.copy_bandwidth) {
    map.add("copy_bandwidth", size_text(*gpu.copy_bandwidth) + "/s");
  }
  if (gpu.copy_chunk && gpu.copy_chunk != base.copy_chunk) map.add("copy_chunk", size_text(*gpu.copy_chunk));
  return map;
}

std::string platform_text(const Platform& platform) {
  const std::optional<Platform> preset = find_preset(platform.preset);
  const Platform base = preset.value_or(Platform{});
  if (preset && platform == *preset) return fmt::format("platform: {}\n", platform.preset);
  Lines lines{"  "};
  if (preset) lines.add("base", platform.preset);
  if (platform.clusters != base.clusters) lines.add("cpus", cpus_text(platform.clusters));
  FlowMap overheads;
  overheads.add_unless(base.overheads.release, "release", platform.overheads.release);
  overheads.add_unless(base.overheads.launch, "launch", platform.overheads.launch);
  overheads.add_unless(base.overheads.completion, "completion", platform.overheads.completion);
  overheads.add_unless(base.overheads.copy, "copy", platform.overheads.copy);
  overheads.add_unless(base.overheads.cpu, "cpu", platform.overheads.cpu);
  FlowMap engine;
  engine.add_unless(base.overheads.engine.event, "event", platform.overheads.engine.event);
  engine.add_unless(base.overheads.engine.submit, "submit", platform.overheads.engine.submit);
  if (!engine.empty()) overheads.add("engine", engine.text());
  if (const auto& resident = platform.overheads.resident; resident && resident != base.overheads.resident) {
    FlowMap times;
    times.add("release", to_text(resident->release));
    times.add("completion", to_text(resident->completion));
    overheads.add("resident", times.text());
  }
  if (const auto& doorbell = platform.overheads.doorbell; doorbell && doorbell != base.overheads.doorbell) {
    FlowMap times;
    times.add("launch", to_text(doorbell->launch));
    times.add("completion", to_text(doorbell->completion));
    overheads.add("doorbell", times.text());
  }
  if (!overheads.empty()) lines.add("overheads", overheads.text());
  const FlowMap gpu = gpu_map(platform.gpu, base.gpu, preset.has_value());
  if (!gpu.empty()) lines.add("gpu", gpu.text());
  return "platform:\n" + std::move(lines).text();
}

// --- Policy -----------------------------------------------------------------------------------------------

std::string window_text(const Window& window) {
  FlowMap map;
  map.add_unless(Duration{}, "offset", window.offset);
  map.add("budget", to_text(window.budget));
  return map.text();
}

std::string reservations_text(const Reservations& reservations) {
  FlowMap map;
  map.add("period", to_text(reservations.period));
  if (reservations.local) map.add("local", window_text(*reservations.local));
  if (reservations.all) map.add("all", window_text(*reservations.all));
  return map.text();
}

std::string virtual_sms_text(const System& system) {
  FlowMap map;
  for (std::size_t i = 0; i < system.virtual_sms.size(); ++i) {
    if (system.virtual_sms[i]) map.add(key_text(system.tasks[i].name), *system.virtual_sms[i]);
  }
  return map.text();
}

std::string policy_text(const System& system) {
  const Policy& policy = system.policy;
  const Order usual = policy.strategy->orders.front();
  // What is said is kept by `plan`, what is not may be chosen: defaults are not the same as nothing.
  const bool says_all = policy.strategy->times_nodes;
  const OpenKeys& open = policy.open;
  Lines lines{"  "};
  lines.add("strategy", policy.strategy->name);
  if (policy.order != usual || (says_all && !open.order)) {
    lines.add("order", word_of(words::orders, policy.order));
  }
  lines.add_unless(system.platform.gpu.priority_levels, "levels", policy.levels);
  if (policy.refill != Refill::lazy) lines.add("refill", word_of(words::refills, policy.refill));
  lines.add_unless(1, "sm_group", policy.sm_group);
  lines.add_unless(Policy{}.time_slice, "time_slice", policy.time_slice);
  if (policy.reservations) lines.add("reservations", reservations_text(*policy.reservations));
  if (!system.virtual_sms.empty()) lines.add("virtual_sms", virtual_sms_text(system));
  if (policy.cpu) {
    FlowMap cpu;
    if (policy.cpu->order) cpu.add("order", word_of(words::orders, *policy.cpu->order));
    if (policy.cpu->scope != CpuScope::partitioned) {
      cpu.add("scope", word_of(words::cpu_scopes, policy.cpu->scope));
    }
    if (!policy.cpu->preemptive) cpu.add("preemptive", "false");
    lines.add("cpu", cpu.text());
  }
  if (policy.copies) {
    lines.add("copies", fmt::format("{{order: {}}}", word_of(words::copy_orders, *policy.copies)));
  }
  if (policy.clusters != ClusterMode::global || (says_all && !open.clusters)) {
    lines.add("clusters", word_of(words::cluster_modes, policy.clusters));
  }
  if (!policy.early_release) lines.add("early_release", "false");
  if (!policy.parallel_jobs || (says_all && !open.parallel_jobs)) {
    lines.add("parallel_jobs", policy.parallel_jobs ? "true" : "false");
  }
  return "policy:\n" + std::move(lines).text();
}

// --- Work -------------------------------------------------------------------------------------------------

std::string value_text(const CpuSegment& segment) {
  if (segment.by_core.empty()) return time_text(segment.time);
  FlowMap map;
  for (const CoreTime& one : segment.by_core) map.add(cores_text(one.cores), time_text(one.time));
  return map.text();
}
std::string value_text(const ExclusiveSegment& segment) { return time_text(segment.time); }

std::string value_text(const CopySegment& segment) {
  if (!segment.bytes) return time_text(segment.time);
  FlowMap map;
  map.add("bytes", size_text(*segment.bytes));
  if (segment.direction != CopyDirection::unspecified) {
    map.add("direction", word_of(words::directions, segment.direction));
  }
  return map.text();
}

std::string grid_text(const std::array<std::int64_t, 3>& grid) {
  if (grid[2] != 1) return fmt::format("[{}, {}, {}]", grid[0], grid[1], grid[2]);
  if (grid[1] != 1) return fmt::format("[{}, {}]", grid[0], grid[1]);
  return std::to_string(grid[0]);
}

std::string value_text(const KernelSegment& kernel) {
  FlowMap map;
  map.add("grid", grid_text(kernel.grid));
  map.add("block", kernel.block);
  map.add("block_time", time_text(kernel.block_time));
  if (kernel.shared_memory != 0) map.add("shared_memory", size_text(kernel.shared_memory));
  map.add_unless(std::int64_t{0}, "registers", kernel.registers);
  return map.text();
}

std::string value_text(const GpuSegment& segment) {
  FlowMap map;
  map.add("work", time_text(segment.work));
  if (segment.overhead != Interval{}) map.add("overhead", time_text(segment.overhead));
  if (segment.interleave != Rational{1}) map.add("interleave", factor_text(segment.interleave));
  return map.text();
}

/// "cpu: 2ms".
std::string segment_text(const Segment& segment) {
  return fmt::format("{}: {}", kind_name(segment),
                     std::visit([](const auto& kind) { return value_text(kind); }, segment));
}

/// Files cannot say them, and a file without them would describe another system.
void refuse_places_of_nodes(const Task& task) {
  for (const WorkChoice& choice : task.choices) {
    for (std::size_t i = 0; i < choice.variants.front().size(); ++i) {
      if (!task.work.nodes[choice.node + i].core) continue;
      throw InputError{"a part with variants of the task '" + task.name + "' has a core of its own",
                       "system files say that for single segments only: it cannot be written"};
    }
  }
  for (const Node& node : task.work.nodes) {
    if (!node.virtual_sms) continue;
    throw InputError{"a segment of the task '" + task.name + "' has virtual SMs of its own",
                     "system files say them for tasks only: it cannot be written"};
  }
}

/// "{cpu: 2ms}, {copy: 1ms}".
std::string segments_text(const std::vector<Segment>& segments) {
  std::vector<std::string> texts;
  texts.reserve(segments.size());
  for (const Segment& segment : segments) texts.push_back(fmt::format("{{{}}}", segment_text(segment)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// "either: [[{exclusive: 3ms}], [{cpu: 9ms}]]"; of a graph's node without the inner brackets.
std::string choice_text(const WorkChoice& choice, WorkForm form) {
  std::vector<std::string> variants;
  for (const std::vector<Segment>& variant : choice.variants) {
    const std::string segments = segments_text(variant);
    variants.push_back(form == WorkForm::graph ? segments : fmt::format("[{}]", segments));
  }
  return fmt::format("either: [{}]", fmt::join(variants, ", "));
}

/// The next part of the work, without its braces; `node` moves behind it.
std::string part_text(const Task& task, std::size_t& node) {
  for (const WorkChoice& choice : task.choices) {
    if (choice.node != node) continue;
    node += choice.variants.front().size();
    return choice_text(choice, task.work.form);
  }
  const Node& one = task.work.nodes[node++];
  return segment_text(one.segment) + (one.core ? fmt::format(", core: {}", *one.core) : "");
}

/// "parts: [{cpu: 1ms}, {copy: 1ms}]", or with their names.
std::string parts_text(const Task& task, const NodeGroup& group) {
  std::vector<std::string> texts;
  std::vector<std::string_view> names;
  bool are_numbered = true;
  for (std::size_t node = group.first; node < group.first + group.count;) {
    names.push_back(part_name(task.work.nodes[node]));
    are_numbered = are_numbered && names.back() == std::to_string(texts.size());
    texts.push_back(fmt::format("{{{}}}", part_text(task, node)));
  }
  if (are_numbered) return fmt::format("parts: [{}]", fmt::join(texts, ", "));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string key = key_text(names[i]);
    texts[i] = fmt::format("{}{}: {}", key, key.starts_with('?') ? " " : "", texts[i]);
  }
  return fmt::format("parts: {{{}}}", fmt::join(texts, ", "));
}

/// "[a, b], [b, c]". Edges between the parts of a node follow from their order; others are edges of the node
/// where they lead to its first part or from its last one.
std::string edges_text(const Work& work) {
  std::vector<NodeGroup> group_of(work.nodes.size());
  for (const NodeGroup& group : node_groups(work)) {
    std::fill_n(group_of.begin() + static_cast<std::ptrdiff_t>(group.first), group.count, group);
  }
  const auto name = [&](std::size_t node, bool is_end) {
    const Node& named = work.nodes[node];
    return name_text(is_end && !named.part_of.empty() ? named.part_of : named.name);
  };
  std::vector<std::string> edges;
  for (const Edge& edge : work.edges) {
    const NodeGroup& from = group_of[edge.from];
    const NodeGroup& to = group_of[edge.to];
    if (from.first == to.first && edge.from + 1 == edge.to && edge.delay == 0) continue;
    edges.push_back(fmt::format("[{}, {}{}]", name(edge.from, edge.from + 1 == from.first + from.count),
                                name(edge.to, edge.to == to.first),
                                edge.delay > 0 ? fmt::format(", {{delay: {}}}", edge.delay) : ""));
  }
  return fmt::format("{}", fmt::join(edges, ", "));
}

std::string work_text(const Task& task) {
  const Work& work = task.work;
  std::string text;
  switch (work.form) {
    case WorkForm::single:
      return fmt::format("    {}\n", segment_text(work.nodes.front().segment));
    case WorkForm::chain:
      text = "    segments:\n";
      for (std::size_t node = 0; node < work.nodes.size();) {
        const bool is_placed = work.nodes[node].core.has_value();
        const std::string part = part_text(task, node);
        text += is_placed ? fmt::format("      - {{{}}}\n", part) : fmt::format("      - {}\n", part);
      }
      return text;
    case WorkForm::graph:
      break;
  }
  text = "    graph:\n      nodes:\n";
  for (const NodeGroup& group : node_groups(work)) {
    const Node& first = work.nodes[group.first];
    // After a `?` key the colon is on a line of its own.
    const std::string key = key_text(first.part_of.empty() ? first.name : first.part_of);
    const std::string gap = key.starts_with('?') ? "\n        " : "";
    std::size_t node = group.first;
    text += fmt::format("        {}{}: {{{}}}\n", key, gap,
                        first.part_of.empty() ? part_text(task, node) : parts_text(task, group));
  }
  if (const std::string edges = edges_text(work); !edges.empty()) {
    text += fmt::format("      edges: [{}]\n", edges);
  }
  return text;
}

// --- Tasks ------------------------------------------------------------------------------------------------

std::string sm_text(const SmAffinity& sm) {
  return sm.kind == SmAffinity::Kind::any ? "any" : std::to_string(sm.core);
}

std::string job_text(const ScriptedJob& job) {
  FlowMap map;
  const auto add = [&](std::string_view key, const std::optional<Duration>& value) {
    if (value) map.add(key, to_text(*value));
  };
  if (job.release) map.add("release", to_text(*job.release));
  add("late", job.late);
  add("launch", job.launch);
  add("completion", job.completion);
  add("cpu", job.cpu);
  if (job.times.size() == 1) add("time", job.times.front());
  if (job.times.size() > 1) {
    std::vector<std::string> times;
    for (const Duration time : job.times) times.push_back(to_text(time));
    map.add("time", fmt::format("[{}]", fmt::join(times, ", ")));
  }
  return map.text();
}

std::string jobs_text(const std::vector<ScriptedJob>& jobs) {
  if (jobs.empty()) return {};
  std::string text = "    jobs:\n";
  for (const ScriptedJob& job : jobs) text += fmt::format("      - {}\n", job_text(job));
  return text;
}

std::string task_text(const Task& task) {
  refuse_places_of_nodes(task);
  Lines lines{"    "};
  if (task.arrival != Arrival::periodic) lines.add("arrival", word_of(words::arrivals, task.arrival));
  if (task.period) lines.add("period", to_text(*task.period));
  if (task.deadline && task.deadline != task.period) lines.add("deadline", to_text(*task.deadline));
  lines.add_unless(Duration{}, "offset", task.offset);
  lines.add_unless(Duration{}, "jitter", task.jitter);
  if (task.priority) lines.add("priority", std::to_string(*task.priority));
  if (task.enqueue) lines.add("enqueue", to_text(*task.enqueue));
  if (task.dispatch != Dispatch::launch) lines.add("dispatch", word_of(words::dispatches, task.dispatch));
  if (task.launcher) lines.add("launcher", "true");
  if (task.gpu_priority) lines.add("gpu_priority", std::to_string(*task.gpu_priority));
  if (task.any_core) {
    lines.add("core", "any");
  } else {
    lines.add_unless(0, "core", task.core);
  }
  if (task.wait != Waiting::suspend) lines.add("wait", word_of(words::waiting, task.wait));
  if (task.sm.kind != SmAffinity::Kind::all) lines.add("sm", sm_text(task.sm));
  if (task.longest_block) lines.add("longest_block", to_text(*task.longest_block));
  if (task.time_slice) lines.add("time_slice", to_text(*task.time_slice));
  if (task.preemptible) lines.add("preemptible", "true");
  if (task.stream) lines.add("stream", name_text(*task.stream));
  lines.add_unless(0, "stream_priority", task.stream_priority);
  if (task.budget) lines.add("budget", to_text(*task.budget));
  if (task.on_overrun != OnOverrun::proceed) {
    lines.add("on_overrun", word_of(words::overrun_actions, task.on_overrun));
  }
  if (task.on_miss != OnMiss::proceed) lines.add("on_miss", word_of(words::miss_actions, task.on_miss));
  if (task.max_jobs) lines.add("max_jobs", std::to_string(*task.max_jobs));
  if (task.on_full != OnFull::drop_newest) lines.add("on_full", word_of(words::full_actions, task.on_full));
  return fmt::format("  - name: {}\n{}{}{}", name_text(task.name), std::move(lines).text(), work_text(task),
                     jobs_text(task.jobs));
}

// --- Chains -----------------------------------------------------------------------------------------------

std::string chain_text(const EffectChain& chain, const std::vector<Task>& tasks) {
  std::vector<std::string> names;
  for (const TaskIndex task : chain.tasks) names.push_back(name_text(tasks[task].name));
  Lines lines{"    "};
  lines.add("tasks", fmt::format("[{}]", fmt::join(names, ", ")));
  if (chain.communication != Communication::latest_value) {
    lines.add("communication", word_of(words::communications, chain.communication));
  }
  if (chain.reaction) lines.add("reaction", to_text(*chain.reaction));
  if (chain.age) lines.add("age", to_text(*chain.age));
  return fmt::format("  - name: {}\n{}", name_text(chain.name), std::move(lines).text());
}

}  // namespace
}  // namespace io

std::string to_platform_entry(const Platform& platform) { return io::platform_text(platform); }

std::string to_segment_entry(const Segment& segment) { return io::segment_text(segment); }

std::string to_system_file(const System& system) {
  std::string text = "tactus: 1\n";
  if (!system.name.empty()) text += fmt::format("name: {}\n", io::name_text(system.name));
  text += io::platform_text(system.platform);
  text += io::policy_text(system);
  text += "tasks:\n";
  for (const Task& task : system.tasks) text += io::task_text(task);
  if (!system.chains.empty()) text += "chains:\n";
  for (const EffectChain& chain : system.chains) text += io::chain_text(chain, system.tasks);
  return text;
}

void save(const System& system, const std::filesystem::path& path) {
  write_file(path, to_system_file(system));
}

}  // namespace tactus
