// The `policy` of a system file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "tactus/base/utf8.hpp"
#include "tactus/io/read_parts.hpp"
#include "tactus/model/limits.hpp"

namespace tactus::io {

namespace {

constexpr std::array<std::string_view, 13> policy_keys{
    "strategy",    "order", "levels", "refill",   "sm_group",      "time_slice",   "reservations",
    "virtual_sms", "cpu",   "copies", "clusters", "early_release", "parallel_jobs"};
constexpr std::array<std::string_view, 3> cpu_keys{"order", "scope", "preemptive"};
constexpr std::array<std::string_view, 1> copies_keys{"order"};
constexpr std::array<std::string_view, 3> reservations_keys{"period", "local", "all"};
constexpr std::array<std::string_view, 2> window_keys{"offset", "budget"};

std::optional<Window> read_window(const Value& value, std::string_view name, Reader& reader) {
  if (!reader.is_map(value, name, "{offset: 0ms, budget: 8ms}")) return std::nullopt;
  Fields fields{reader, value, window_keys};
  const Value* offset = fields.find("offset");
  const Value* budget = fields.require("budget", fmt::format("window `{}`", name), "budget: 8ms");
  const std::optional<Duration> begin =
      offset == nullptr ? std::optional{Duration{}} : reader.duration(*offset, "offset");
  const std::optional<Duration> length =
      budget == nullptr ? std::nullopt : reader.duration(*budget, "budget");
  if (!begin || !length || (offset == nullptr && fields.mentions("offset"))) return std::nullopt;
  return Window{.offset = *begin, .budget = *length};
}

std::optional<Reservations> read_reservations(const Value& value, Reader& reader) {
  if (!reader.is_map(value, "reservations", "{period: 12ms, local: {offset: 0ms, budget: 8ms}}")) {
    return std::nullopt;
  }
  Fields fields{reader, value, reservations_keys};
  // Windows fit any period that could not be read.
  Reservations reservations{.period = Duration::max(), .local = std::nullopt, .all = std::nullopt};
  if (const Value* period = fields.require("period", "reservations", "period: 12ms")) {
    reservations.period = reader.duration(*period, "period").value_or(Duration::max());
  }
  if (const Value* local = fields.find("local")) reservations.local = read_window(*local, "local", reader);
  if (const Value* all = fields.find("all")) reservations.all = read_window(*all, "all", reader);
  return reservations;
}

CpuChoice read_cpu(const Value& value, Reader& reader) {
  CpuChoice cpu;
  if (!reader.is_map(value, "cpu", "{order: fp, scope: partitioned}")) return cpu;
  const Fields fields{reader, value, cpu_keys};
  if (const Value* given = fields.find("order"))
    cpu.order = reader.choice<Order>(*given, "order", words::orders);
  fields.take("scope", cpu.scope, words::cpu_scopes);
  fields.take("preemptive", cpu.preemptive, &Reader::boolean);
  return cpu;
}

CopyOrder read_copies(const Value& value, CopyOrder order, Reader& reader) {
  if (!reader.is_map(value, "copies", "{order: fp}")) return order;
  Fields fields{reader, value, copies_keys};
  if (const Value* given = fields.require("order", "copies", "order: fp")) {
    order = reader.choice<CopyOrder>(*given, "order", words::copy_orders).value_or(order);
  }
  return order;
}

}  // namespace

Policy default_policy(const Gpu& gpu) {
  Policy policy;
  policy.levels = std::max(gpu.priority_levels, 1);
  return policy;
}

Policy read_policy(const Value& value, const Gpu& gpu, Reader& reader) {
  Policy policy = default_policy(gpu);
  if (!reader.is_map(value, "policy", "{strategy: single-stream, order: edf}")) return policy;
  const Fields fields{reader, value, policy_keys};
  bool strategy_is_known = !fields.mentions("strategy");
  if (const Value* given = fields.find("strategy")) {
    const std::optional<StrategyRef> strategy =
        reader.choice<StrategyRef>(*given, "strategy", words::strategies());
    strategy_is_known = strategy.has_value();
    policy.strategy = strategy.value_or(policy.strategy);
  }
  policy.order = policy.strategy->orders.front();
  if (const Value* given = fields.find("order")) {
    const std::optional<Order> order = reader.choice<Order>(*given, "order", words::orders);
    if (strategy_is_known) policy.order = order.value_or(policy.order);
  }
  fields.take("levels", policy.levels, {1, gpu.priority_levels});
  fields.take("refill", policy.refill, words::refills);
  fields.take("sm_group", policy.sm_group, {1, gpu.sms});
  fields.take("time_slice", policy.time_slice, &Reader::duration);
  if (const Value* given = fields.find("reservations")) {
    policy.reservations = read_reservations(*given, reader);
  }
  if (const Value* given = fields.find("cpu")) policy.cpu = read_cpu(*given, reader);
  if (const Value* given = fields.find("copies")) {
    policy.copies = read_copies(*given, copy_order(policy), reader);
  }
  fields.take("clusters", policy.clusters, words::cluster_modes);
  fields.take("early_release", policy.early_release, &Reader::boolean);
  fields.take("parallel_jobs", policy.parallel_jobs, &Reader::boolean);
  if (policy.strategy->times_nodes) {
    policy.open = {.order = !fields.mentions("order"),
                   .clusters = !fields.mentions("clusters"),
                   .parallel_jobs = !fields.mentions("parallel_jobs")};
  }
  return policy;
}

std::vector<std::optional<std::int64_t>> read_virtual_sms(const Value& policy, const std::vector<Task>& tasks,
                                                          bool names_are_known, Reader& reader) {
  const Value* value = policy.find("virtual_sms");
  if (value == nullptr || !reader.is_map(*value, "virtual_sms", "{detector: 4}")) return {};
  std::vector<std::string_view> names;
  std::unordered_map<std::string_view, std::size_t> index_of;
  for (const Task& task : tasks) {
    index_of.emplace(task.name, names.size());
    names.push_back(task.name);
  }
  std::vector<std::optional<std::int64_t>> result(tasks.size());
  for (const Value::Entry& entry : value->entries) {
    const std::optional<std::int64_t> number = reader.integer(entry.value, "virtual_sms");
    if (const auto found = index_of.find(entry.key); found != index_of.end()) {
      result[found->second] = number;
    } else if (names_are_known) {
      const std::string_view near = reader.suggest(entry.key, names);
      reader.add(
          ProblemId::unknown_name, entry.key_offset,
          fmt::format("virtual_sms for {}, but no task has that name", in_backticks(entry.key)),
          near.empty() ? "write the name of a task" : fmt::format("did you mean {}?", in_backticks(near)));
      if (!near.empty()) reader.note_misspelt(*value, near, entry.value);
    }
  }
  return result;
}

}  // namespace tactus::io
