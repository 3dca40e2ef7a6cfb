// The entries of a task that say what its jobs do.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "tactus/base/utf8.hpp"
#include "tactus/io/read_parts.hpp"
#include "tactus/io/units.hpp"
#include "tactus/model/limits.hpp"

namespace tactus::io {

namespace {

constexpr std::array<std::string_view, 4> work_keys{"exclusive", "kernel", "segments", "graph"};
constexpr std::array<std::string_view, 6> segment_keys{"cpu", "copy", "kernel", "gpu", "exclusive", "either"};
constexpr std::array<std::string_view, 7> placed_keys{"cpu",       "copy",   "kernel", "gpu",
                                                      "exclusive", "either", "core"};
constexpr std::array<std::string_view, 2> choice_keys{"either", "variant"};
constexpr std::array<std::string_view, 6> kernel_keys{"grid",          "block",     "block_time",
                                                      "shared_memory", "registers", "registers_per_thread"};
constexpr std::array<std::string_view, 2> copy_keys{"bytes", "direction"};
constexpr std::array<std::string_view, 3> gpu_keys{"work", "overhead", "interleave"};
constexpr std::array<std::string_view, 1> coarse_keys{"parts"};
constexpr std::array<std::string_view, 2> graph_keys{"nodes", "edges"};
constexpr std::array<std::string_view, 1> edge_keys{"delay"};

constexpr std::string_view kernel_example = "{grid: 64, block: 512, block_time: 1ms}";
constexpr std::string_view segment_example = "{cpu: 2ms}";

// What stands for a time that could not be read: long enough for whatever must be shorter, and never no time
// at all.
constexpr Interval some_time{Duration{1}, Duration::max()};

/// "2" or "2-5".
std::optional<Cores> parse_cores(std::string_view text) {
  const std::size_t dash = text.find('-', 1);
  const std::optional<std::int64_t> first = parse_integer(text.substr(0, dash)).value;
  const std::optional<std::int64_t> last =
      dash == std::string_view::npos ? first : parse_integer(text.substr(dash + 1)).value;
  if (!first || !last || *first < 0 || *last < *first || *last >= limits::cpus.max) return std::nullopt;
  return Cores{static_cast<std::int32_t>(*first), static_cast<std::int32_t>(*last - *first + 1)};
}

/// Reads the work of tasks. It notes whether something in it is not what the file means.
class WorkReader {
 public:
  WorkReader(const Gpu& gpu, Reader& reader) : gpu_{gpu}, reader_{reader} {}

  [[nodiscard]] bool has_gaps() const { return has_gaps_; }
  /// Of the work that was read last.
  [[nodiscard]] std::vector<WorkChoice> take_choices() { return std::exchange(choices_, {}); }

  Work single(std::string_view key, const Value& value) {
    Work work;
    work.nodes.push_back({{}, segment(key, value)});
    return work;
  }

  Work chain(const Value& value) {
    if (!reader_.is_list(value, "segments", "[{cpu: 2ms}, {copy: 1ms}]")) return gap();
    Work work{.form = WorkForm::chain, .nodes = {}, .edges = {}};
    for (const Value& item : value.items) {
      const std::optional<std::int32_t> core = own_core(item);
      for (const Segment& segment : part(item, "a segment", work)) work.nodes.push_back({{}, segment, core});
    }
    return work;
  }

  Work graph(const Value& value) {
    if (!reader_.is_map(value, "graph", "{nodes: {a: {cpu: 2ms}, b: {cpu: 1ms}}, edges: [[a, b]]}")) {
      return gap();
    }
    Fields fields{reader_, value, graph_keys};
    const Value* nodes = fields.require("nodes", "the graph", "nodes: {a: {cpu: 2ms}}");
    if (nodes == nullptr || !reader_.is_map(*nodes, "nodes", "{a: {cpu: 2ms}}")) return gap();
    Work work{.form = WorkForm::graph, .nodes = {}, .edges = {}};
    for (const Value::Entry& entry : nodes->entries) {
      const std::string owner = "node " + in_backticks(entry.key);
      if (entry.value.kind == Value::Kind::map && entry.value.find("parts") != nullptr) {
        read_parts(entry, owner, work);
      } else {
        work.nodes.push_back({entry.key, part(entry.value, owner, work).front(), own_core(entry.value)});
      }
    }
    if (const Value* edges = fields.find("edges")) read_edges(*edges, work);
    // Behind the others, which have the places that they have in the file.
    for (const NodeGroup& group : node_groups(work)) {
      for (std::size_t part = 1; part < group.count; ++part) {
        work.edges.push_back({.from = group.first + part - 1, .to = group.first + part});
      }
    }
    return work;
  }

 private:
  /// The parts of a coarse node, each a node.
  void read_parts(const Value::Entry& entry, const std::string& owner, Work& work) {
    constexpr std::string_view example = "[{cpu: 1ms}, {kernel: {...}}] or {prepare: {cpu: 1ms}, ...}";
    const Fields fields{reader_, entry.value, coarse_keys};
    const Value& parts = *fields.find("parts");
    const std::size_t before = work.nodes.size();
    const auto add = [&](std::string_view name, const Value& value) {
      const std::string who = fmt::format("part {} of {}", in_backticks(name), owner);
      Node node{fmt::format("{}.{}", entry.key, name), part(value, who, work).front(), own_core(value)};
      node.part_of = entry.key;
      work.nodes.push_back(std::move(node));
    };
    if (parts.kind == Value::Kind::map) {
      for (const Value::Entry& named : parts.entries) add(named.key, named.value);
    } else if (reader_.is_list(parts, "parts", example)) {
      for (std::size_t i = 0; i < parts.items.size(); ++i) add(std::to_string(i), parts.items[i]);
    }
    if (work.nodes.size() > before) return;
    if (!reader_.is_rejected(parts)) {
      reader_.reject(ProblemId::missing_key, parts, owner + " has no parts",
                     fmt::format("list at least one: {}", example));
    }
    has_gaps_ = true;
    work.nodes.push_back({entry.key, CpuSegment{some_time}});
  }

  Work gap() {
    has_gaps_ = true;
    return some_work();
  }

  /// `core` beside `cpu`: another core than the task's. What has variants, or is no CPU work, has none.
  std::optional<std::int32_t> own_core(const Value& value) {
    if (value.kind != Value::Kind::map) return std::nullopt;
    const Value* given = value.find("core");
    if (given == nullptr || value.find("either") != nullptr) return std::nullopt;
    if (value.find("cpu") != nullptr) return reader_.small_integer(*given, "core", {0, limits::cpus.max - 1});
    reader_.reject(ProblemId::conflicting_keys, *given, "only CPU work has a core", "remove `core`");
    return std::nullopt;
  }

  /// The next part of a chain or graph: a segment, or one of several variants; the first while it is open.
  std::vector<Segment> part(const Value& value, const std::string& owner, const Work& work) {
    const bool is_choice = value.kind == Value::Kind::map && value.find("either") != nullptr;
    if (!is_choice) return {one_segment(value, owner, placed_keys)};
    constexpr std::string_view example = "[[{copy: 1ms}, {exclusive: 3ms}], [{cpu: 9ms}]]";
    const Fields fields{reader_, value, choice_keys};
    const Value& either = *fields.find("either");
    WorkChoice choice{.node = work.nodes.size(), .variants = {}};
    if (!reader_.is_list(either, "either",
                         work.form == WorkForm::graph ? "[{exclusive: 3ms}, {cpu: 9ms}]" : example)) {
      has_gaps_ = true;
      return {CpuSegment{some_time}};
    }
    for (const Value& item : either.items) choice.variants.push_back(variant(item, work.form));
    if (choice.variants.empty()) choice.variants.push_back({CpuSegment{some_time}});
    std::optional<std::int64_t> chosen;
    fields.take("variant", chosen, &Reader::integer);
    const auto count = static_cast<std::int64_t>(choice.variants.size());
    if (chosen && (*chosen < 0 || *chosen >= count)) {
      reader_.reject(ProblemId::out_of_range, *fields.find("variant"),
                     fmt::format("variant {} is not one of {}", *chosen, count),
                     fmt::format("allowed: 0 to {}", count - 1));
      chosen = 0;
    }
    if (chosen) return choice.variants[static_cast<std::size_t>(*chosen)];
    choices_.push_back(choice);
    return choice.variants.front();
  }

  /// A list of segments, or one segment without brackets.
  std::vector<Segment> variant(const Value& value, WorkForm form) {
    if (value.kind != Value::Kind::list) return {one_segment(value, "a variant")};
    const bool is_node = form == WorkForm::graph;
    if (value.items.empty() || (is_node && value.items.size() > 1)) {
      reader_.reject(ProblemId::wrong_shape, value,
                     is_node ? "a variant of a node is one segment" : "a variant has no segments",
                     is_node ? "write {cpu: 9ms}; several segments are nodes of their own"
                             : "list at least one, for instance [{cpu: 9ms}]");
      has_gaps_ = true;
      return {CpuSegment{some_time}};
    }
    std::vector<Segment> segments;
    for (const Value& item : value.items) segments.push_back(one_segment(item, "a segment"));
    return segments;
  }

  Segment one_segment(const Value& value, const std::string& owner,
                      std::span<const std::string_view> known = segment_keys) {
    if (reader_.is_map(value, owner, segment_example)) {
      const Fields fields{reader_, value, known};
      const Value::Entry* first = nullptr;
      const Value::Entry* second = nullptr;
      bool has_unknown_keys = false;
      for (const Value::Entry& entry : value.entries) {
        if (entry.key == "core") continue;
        if (std::find(segment_keys.begin(), segment_keys.end(), entry.key) == segment_keys.end()) {
          has_unknown_keys = true;
        } else if (first == nullptr) {
          first = &entry;
        } else if (second == nullptr) {
          second = &entry;
        }
      }
      if (second != nullptr) {
        reader_.add(ProblemId::conflicting_keys, second->key_offset,
                    fmt::format("{} has two kinds of work: `{}` and `{}`", owner, first->key, second->key),
                    "write each as a segment of its own");
      } else if (first == nullptr && !has_unknown_keys) {
        reader_.add(ProblemId::missing_key, value.offset, owner + " has no work",
                    "give it one of cpu, copy, kernel, gpu, exclusive");
      }
      if (first != nullptr && first->key == "either") {
        reader_.add(ProblemId::conflicting_keys, first->key_offset, owner + " has variants of its own",
                    "list all variants in one `either`");
      } else if (first != nullptr) {
        return segment(first->key, first->value);
      }
    }
    has_gaps_ = true;
    return CpuSegment{some_time};
  }

  Segment segment(std::string_view key, const Value& value) {
    if (key == "kernel") return kernel(value);
    if (key == "gpu") return gpu_work(value);
    if (key == "copy") return copy(value);
    if (key == "cpu" && value.kind == Value::Kind::map) return cpu_by_core(value);
    const Interval time = reader_.interval(value, key).value_or(some_time);
    if (key == "exclusive") return ExclusiveSegment{time};
    return CpuSegment{time};
  }

  /// `{0-1: 2ms, 2-5: [3ms, 4ms]}`.
  CpuSegment cpu_by_core(const Value& value) {
    CpuSegment segment{some_time};
    const std::string example = "write a time, or one for each core, as in {0: 2ms, 1-3: 3ms}";
    if (std::none_of(value.entries.begin(), value.entries.end(),
                     [](const Value::Entry& entry) { return parse_cores(entry.key).has_value(); })) {
      reader_.reject(ProblemId::wrong_shape, value, "cpu is a map without cores", example);
      return segment;
    }
    for (const Value::Entry& entry : value.entries) {
      const std::optional<Cores> cores = parse_cores(entry.key);
      if (!cores) {
        reader_.add(ProblemId::invalid_value, entry.key_offset,
                    fmt::format("{} names no cores", in_backticks(entry.key)),
                    "write the number of a core or the first and last of several, as in {0: 2ms, 1-3: 3ms}");
      }
      const std::optional<Interval> time = reader_.interval(entry.value, "cpu");
      if (cores && time) segment.by_core.push_back({*cores, *time});
    }
    if (segment.by_core.size() < value.entries.size()) {
      segment.by_core.clear();
      reader_.silence(value);
    }
    return segment;
  }

  /// A size where a time is expected is refused, with what was most likely meant.
  bool is_size(const Value& value) {
    if (value.kind != Value::Kind::scalar || parse_duration(value.text).value) return false;
    if (!parse_size(value.text).value) return false;
    reader_.reject(ProblemId::unknown_unit, value,
                   fmt::format("copy {} is a size, but must be a time", in_backticks(value.text)),
                   fmt::format("write {{copy: {{bytes: {}}}}}: the time follows from the platform's "
                               "copy_bandwidth",
                               value.text));
    return true;
  }

  Segment copy(const Value& value) {
    CopySegment segment;
    if (value.kind != Value::Kind::map) {
      segment.time = is_size(value) ? some_time : reader_.interval(value, "copy").value_or(some_time);
      return segment;
    }
    segment.time = some_time;
    Fields fields{reader_, value, copy_keys};
    if (const Value* bytes = fields.require("bytes", "the copy", "bytes: 4MiB")) {
      segment.bytes = reader_.size(*bytes, "bytes");
    }
    if (segment.bytes && gpu_.copy_bandwidth) {
      if (const std::optional<Duration> time = copy_time(*segment.bytes, *gpu_.copy_bandwidth)) {
        segment.time = Interval::exactly(*time);
      }
    }
    fields.take("direction", segment.direction, words::directions);
    return segment;
  }

  Segment gpu_work(const Value& value) {
    GpuSegment segment{.work = some_time, .overhead = {}, .interleave = Rational{1}};
    if (!reader_.is_map(value, "gpu", "{work: 12ms, overhead: 0.2ms, interleave: 1.5}")) return segment;
    Fields fields{reader_, value, gpu_keys};
    if (const Value* work = fields.require("work", "the gpu segment", "work: 12ms")) {
      segment.work = reader_.interval(*work, "work").value_or(some_time);
    }
    std::optional<Interval> overhead = Interval{};
    if (const Value* given = fields.find("overhead")) overhead = reader_.interval(*given, "overhead");
    std::optional<Rational> interleave = Rational{1};
    if (const Value* given = fields.find("interleave")) interleave = reader_.factor(*given, "interleave");
    const bool interleave_misspelt = fields.mentions("interleave") && fields.find("interleave") == nullptr;
    segment.interleave = interleave.value_or(Rational{1});
    // How much overhead is allowed depends on the interleaving.
    if (overhead && interleave && !interleave_misspelt) segment.overhead = *overhead;
    return segment;
  }

  Segment kernel(const Value& value) {
    KernelSegment segment;
    segment.block_time = some_time;
    if (!reader_.is_map(value, "kernel", kernel_example)) return segment;
    Fields fields{reader_, value, kernel_keys};
    if (const Value* grid = fields.require("grid", "the kernel", "grid: 64")) {
      const std::vector<std::int64_t> sizes = dimensions(*grid, "grid");
      std::copy(sizes.begin(), sizes.end(), segment.grid.begin());
    }
    if (const Value* block = fields.require("block", "the kernel", "block: 512")) {
      const std::vector<std::int64_t> sizes = dimensions(*block, "block");
      check_depth(*block, sizes);
      for (const std::int64_t size : sizes) {
        if (__builtin_mul_overflow(segment.block, size, &segment.block)) {
          reader_.reject(ProblemId::out_of_range, *block, "the block has more threads than 64 bits hold",
                         "use a smaller block");
          segment.block = 1;
          break;
        }
      }
    }
    if (const Value* time = fields.require("block_time", "the kernel", "block_time: 1ms")) {
      segment.block_time = reader_.interval(*time, "block_time").value_or(some_time);
    }
    fields.take("shared_memory", segment.shared_memory, &Reader::size);
    registers(fields, segment);
    return segment;
  }

  void registers(const Fields& fields, KernelSegment& segment) {
    const Value* a_block = fields.find("registers");
    const Value* a_thread = fields.find("registers_per_thread");
    if (a_block != nullptr && a_thread != nullptr) {
      reader_.add(ProblemId::conflicting_keys,
                  std::max(fields.key_offset("registers"), fields.key_offset("registers_per_thread")),
                  "both `registers` and `registers_per_thread` are given",
                  "keep one: registers of a block, or registers_per_thread");
    }
    if (a_block != nullptr) segment.registers = reader_.integer(*a_block, "registers").value_or(0);
    if (a_thread == nullptr) return;
    const std::optional<std::int64_t> each = reader_.integer(*a_thread, "registers_per_thread");
    if (!each || a_block != nullptr) return;
    const Value* block = fields.find("block");
    if (block == nullptr || reader_.is_rejected(*block) || gpu_.warp < 1 || segment.block < 1) return;
    std::int64_t threads = 0;
    if (__builtin_mul_overflow(ceil_div(segment.block, gpu_.warp), gpu_.warp, &threads) ||
        __builtin_mul_overflow(threads, *each, &segment.registers)) {
      segment.registers = 0;
      reader_.reject(ProblemId::out_of_range, *a_thread, "a block has more registers than 64 bits hold",
                     "registers of a block = registers_per_thread * threads, in whole warps");
    }
  }

  /// `64` or `[8, 8, 1]`; empty when it cannot be read.
  std::vector<std::int64_t> dimensions(const Value& value, std::string_view label) {
    constexpr std::size_t most = 3;
    if (value.kind != Value::Kind::list) {
      if (value.kind == Value::Kind::map) {
        reader_.reject(ProblemId::wrong_shape, value, fmt::format("{} is a map", label),
                       "write a whole number or up to 3, as in [8, 8, 1]");
        return {};
      }
      const std::optional<std::int64_t> number = reader_.integer(value, label);
      return number && is_dimension(value, label, *number) ? std::vector{*number}
                                                           : std::vector<std::int64_t>{};
    }
    if (value.items.empty() || value.items.size() > most) {
      reader_.reject(ProblemId::wrong_shape, value,
                     fmt::format("{} is a list of {} numbers", label, value.items.size()),
                     "write one to three whole numbers, for instance [8, 8, 1]");
      return {};
    }
    std::vector<std::int64_t> result;
    for (const Value& item : value.items) {
      const std::optional<std::int64_t> number = reader_.integer(item, label);
      if (number && is_dimension(item, label, *number)) result.push_back(*number);
    }
    if (result.size() == value.items.size()) return result;
    reader_.silence(value);
    return {};
  }

  /// The model keeps the threads of a block, not its shape.
  void check_depth(const Value& block, const std::vector<std::int64_t>& sizes) {
    if (sizes.size() != 3 || limits::block_depth.contains(sizes[2])) return;
    reader_.reject(block.items[2], fmt::format("a block of {} threads in z", sizes[2]),
                   fmt::format("CUDA launches at most {} there: let x be the largest dimension",
                               limits::block_depth.max));
  }

  bool is_dimension(const Value& value, std::string_view label, std::int64_t number) {
    if (number >= 1) return true;
    reader_.reject(ProblemId::out_of_range, value,
                   fmt::format("{} {} is less than 1", label, in_backticks(value.text)),
                   fmt::format("every dimension of a {} is 1 or more", label));
    return false;
  }

  /// 1 where it cannot be read, so that no rule is about an edge within a job.
  std::int64_t read_delay(const Value& value) {
    std::int64_t delay = 1;
    if (!reader_.is_map(value, "what an edge has behind its names", "{delay: 1}")) return delay;
    Fields fields{reader_, value, edge_keys};
    if (const Value* jobs = fields.require("delay", "what follows the names of an edge", "delay: 1")) {
      if (const std::optional<std::int64_t> number = reader_.integer(*jobs, "delay")) delay = *number;
      if (delay < 1) {
        reader_.reject(ProblemId::out_of_range, *jobs,
                       fmt::format("delay {} is less than 1", in_backticks(jobs->text)),
                       "write how many jobs later the result is used, 1 or more");
        delay = 1;
      }
    }
    return delay;
  }

  void read_edges(const Value& value, Work& work) {
    constexpr std::string_view example = "[[a, b], [b, c]]";
    if (!reader_.is_list(value, "edges", example)) return;
    // The edge keeps its place, so that a rule about the next one finds it.
    constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();
    std::vector<std::string_view> names;
    std::unordered_map<std::string_view, NodeGroup> place_of;
    const auto add_name = [&](std::string_view name, const NodeGroup& place) {
      place_of.emplace(name, place);
      names.push_back(name);
    };
    for (std::size_t i = 0; i < work.nodes.size(); ++i) add_name(work.nodes[i].name, {.first = i});
    for (const NodeGroup& group : node_groups(work)) {
      if (!work.nodes[group.first].part_of.empty()) add_name(work.nodes[group.first].part_of, group);
    }
    /// An edge leads from the last part of a coarse node, and to the first.
    const auto find_node = [&](const Value& item, bool is_from) {
      const std::optional<std::string> name = reader_.name(item, "edge");
      if (!name) return unknown;
      if (const auto found = place_of.find(*name); found != place_of.end()) {
        return is_from ? found->second.first + found->second.count - 1 : found->second.first;
      }
      const std::string_view near = reader_.suggest(*name, names);
      reader_.reject(
          ProblemId::unknown_name, item,
          fmt::format("the edge names {}, but the graph has no such node", in_backticks(*name)),
          near.empty() ? "write the name of a node" : fmt::format("did you mean {}?", in_backticks(near)));
      return unknown;
    };
    for (const Value& item : value.items) {
      Edge edge{.from = unknown, .to = unknown};
      if (!reader_.is_list(item, "an edge", "[a, b]")) {
        // Told.
      } else if (item.items.size() != 2 && item.items.size() != 3) {
        reader_.reject(ProblemId::wrong_shape, item,
                       fmt::format("an edge with {} instead of two names", item.items.size()),
                       "write [from, to], for instance [a, b]; or [from, to, {delay: 1}], to the next job");
      } else {
        edge = {.from = find_node(item.items[0], true), .to = find_node(item.items[1], false)};
        if (item.items.size() == 3) edge.delay = read_delay(item.items[2]);
        if (edge.from == unknown || edge.to == unknown) reader_.silence(item);
      }
      work.edges.push_back(edge);
    }
  }

  const Gpu& gpu_;
  Reader& reader_;
  bool has_gaps_ = false;
  std::vector<WorkChoice> choices_;
};

}  // namespace

Work some_work() { return {.form = WorkForm::chain, .nodes = {{{}, CpuSegment{some_time}}}, .edges = {}}; }

bool read_work(const Value& value, const Fields& fields, const Gpu& gpu, Task& task, Reader& reader) {
  WorkReader work{gpu, reader};
  std::string_view first;
  for (const Value::Entry& entry : value.entries) {
    if (std::find(work_keys.begin(), work_keys.end(), entry.key) == work_keys.end()) continue;
    Work found;
    if (entry.key == "segments") {
      found = work.chain(entry.value);
    } else if (entry.key == "graph") {
      found = work.graph(entry.value);
    } else {
      found = work.single(entry.key, entry.value);
    }
    if (first.empty()) {
      first = entry.key;
      task.work = std::move(found);
      task.choices = work.take_choices();
    } else {
      reader.add(ProblemId::conflicting_keys, entry.key_offset,
                 fmt::format("the task has two kinds of work: `{}` and `{}`", first, entry.key),
                 "keep one; several steps go into `segments`");
    }
  }
  if (!first.empty()) return !work.has_gaps();
  const bool misspelt = std::any_of(work_keys.begin(), work_keys.end(),
                                    [&](std::string_view key) { return fields.mentions(key); });
  if (misspelt) task.work = some_work();
  return false;
}

}  // namespace tactus::io
