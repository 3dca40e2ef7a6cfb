#include "tactus/plan/node_choices.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "tactus/model/core_times.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/plan/node_policies.hpp"
#include "tactus/plan/priorities.hpp"

namespace tactus::plan {

namespace {

using Kind = Dimension::Kind;

bool is_cpu(const Segment& segment) { return server_of(segment) == ServerKind::cpu; }
bool is_copy(const Segment& segment) { return server_of(segment) == ServerKind::copy; }
bool is_gpu(const Segment& segment) { return server_of(segment) == ServerKind::gpu; }

bool some_task_may_have(const System& system, bool (*is_meant)(const Segment&)) {
  return std::any_of(system.tasks.begin(), system.tasks.end(),
                     [&](const Task& task) { return may_have(task, is_meant); });
}

bool serves_gpu_by_priority(const System& system) {
  const Policy& policy = system.policy;
  return policy.strategy->has_order && policy.strategy->sms != SmSharing::owned &&
         policy.order == Order::fp && some_task_may_have(system, is_gpu);
}

bool serves_others_by_priority(const System& system) {
  const Policy& policy = system.policy;
  return (cpu_policy(policy).order == Order::fp && some_task_may_have(system, is_cpu)) ||
         (copy_order(policy) == CopyOrder::fp && some_task_may_have(system, is_copy));
}

/// The variants that were chosen may leave jobs that are served whole. Their order on the GPU is then their
/// only one.
void keep_gpu_order(System& system) {
  const bool has_gpu_order = std::any_of(system.tasks.begin(), system.tasks.end(),
                                         [](const Task& task) { return task.gpu_priority.has_value(); });
  if (!has_gpu_order || is_by_node(system)) return;
  for (Task& task : system.tasks) {
    if (task.gpu_priority) task.priority = std::exchange(task.gpu_priority, std::nullopt);
  }
}

/// Each core; the clusters, where some policy lets these share their work; where all cores do, one place.
std::vector<Cores> cores_to_choose(const System& system, std::span<const Policy> policies) {
  std::vector<Cores> cores;
  std::int32_t first = 0;
  const auto has = [&](CpuScope scope) {
    return std::any_of(policies.begin(), policies.end(),
                       [&](const Policy& policy) { return cpu_policy(policy).scope == scope; });
  };
  const bool is_partitioned = has(CpuScope::partitioned);
  for (const std::int32_t count : system.platform.clusters) {
    if (!is_partitioned) cores.push_back({first, count});
    for (std::int32_t i = 0; is_partitioned && i < count; ++i) cores.push_back({first + i, 1});
    first += count;
  }
  if (!is_partitioned && !has(CpuScope::clustered)) cores.resize(1);
  return cores;
}

/// For each place the first that has as many cores, on which all work takes the same.
std::vector<std::size_t> kinds_of(const System& system, std::span<const Cores> places) {
  const auto takes_the_same = [](const Segment& segment, const Cores& a, const Cores& b) {
    const auto* cpu = std::get_if<CpuSegment>(&segment);
    return cpu == nullptr || cpu->by_core.empty() || time_on(*cpu, a) == time_on(*cpu, b);
  };
  const auto are_alike = [&](const Cores& a, const Cores& b) {
    const auto same = [&](const Segment& segment) { return takes_the_same(segment, a, b); };
    return a.count == b.count && std::all_of(system.tasks.begin(), system.tasks.end(), [&](const Task& task) {
             return std::all_of(task.work.nodes.begin(), task.work.nodes.end(),
                                [&](const Node& node) { return same(node.segment); }) &&
                    std::all_of(task.choices.begin(), task.choices.end(), [&](const WorkChoice& choice) {
                      return std::all_of(choice.variants.begin(), choice.variants.end(),
                                         [&](const auto& variant) {
                                           return std::all_of(variant.begin(), variant.end(), same);
                                         });
                    });
           });
  };
  std::vector<std::size_t> kinds;
  for (std::size_t place = 0; place < places.size(); ++place) {
    std::size_t first = 0;
    while (first < place && (kinds[first] != first || !are_alike(places[first], places[place]))) ++first;
    kinds.push_back(first);
  }
  return kinds;
}

}  // namespace

bool may_have(const Task& task, bool (*is_meant)(const Segment&)) {
  const auto in_variant = [&](const std::vector<Segment>& variant) {
    return std::any_of(variant.begin(), variant.end(), is_meant);
  };
  return std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                     [&](const Node& node) { return is_meant(node.segment); }) ||
         std::any_of(task.choices.begin(), task.choices.end(), [&](const WorkChoice& choice) {
           return std::any_of(choice.variants.begin(), choice.variants.end(), in_variant);
         });
}

NodeChoices::NodeChoices(const System& system)
    : system_{system}, has_orders_{serves_gpu_by_priority(system) || serves_others_by_priority(system)} {
  const auto with_deadline = std::count_if(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
    return task.arrival != Arrival::best_effort;
  });
  // Where SMs are owned the priorities of the file are kept.
  const bool are_kept = system.policy.strategy->sms == SmSharing::owned && gives_priorities(system);
  has_orders_ = has_orders_ && with_deadline > 1 && !are_kept;
  has_gpu_orders_ = has_orders_ && serves_gpu_by_priority(system) && serves_others_by_priority(system) &&
                    gpu_order(first()).size() > 1;
  open_clusters();
  add_policies();
  cores_ = cores_to_choose(system_, policies_);
  kinds_ = kinds_of(system_, cores_);
  for (TaskIndex i = 0; i < system_.tasks.size(); ++i) add_task(i);
}

void NodeChoices::add(Kind kind, TaskIndex task, std::size_t choice, std::size_t size) {
  if (size > 1) dimensions_.push_back({kind, task, choice, size});
}

/// Where all cores share their work `core` means nothing, so files rarely have it. Where that is open and no
/// task is on another core than the first, tasks may go to any cluster.
void NodeChoices::open_clusters() {
  const bool has_places = std::any_of(system_.tasks.begin(), system_.tasks.end(),
                                      [](const Task& task) { return task.core != 0; });
  if (!system_.policy.open.clusters || system_.platform.clusters.size() < 2 || has_places) return;
  for (Task& task : system_.tasks) task.any_core = true;
}

void NodeChoices::add_policies() {
  policies_ = policies_to_try(system_);
  add(Kind::policy, 0, 0, policies_.size());
}

void NodeChoices::add_task(TaskIndex index) {
  Task& task = system_.tasks[index];
  for (std::size_t i = 0; i < task.choices.size(); ++i) {
    add(Kind::variant, index, i, task.choices[i].variants.size());
  }
  if (task.any_core && may_have(task, is_cpu)) add(Kind::core, index, 0, cores_.size());
  const StrategyFacts& strategy = *system_.policy.strategy;
  const Gpu& gpu = system_.platform.gpu;
  if (!may_have(task, is_gpu)) return;
  if (strategy.sms == SmSharing::cores && task.sm.kind == SmAffinity::Kind::any) {
    add(Kind::sm_core, index, 0, static_cast<std::size_t>(gpu.sms / system_.policy.sm_group));
  }
  const bool has_sms = index < system_.virtual_sms.size() && system_.virtual_sms[index].has_value();
  if (strategy.sms == SmSharing::owned && !has_sms) {
    // A best-effort task has one SM; more would make its copies come more often.
    const bool is_open = task.arrival != Arrival::best_effort;
    add(Kind::sms, index, 0, is_open ? static_cast<std::size_t>(gpu.sms) : 1);
  }
}

bool NodeChoices::has(Kind kind) const {
  return std::any_of(dimensions_.begin(), dimensions_.end(),
                     [&](const Dimension& dimension) { return dimension.kind == kind; });
}

std::string NodeChoices::words() const {
  constexpr std::array<std::pair<Kind, std::string_view>, 4> names{{{Kind::core, "cores"},
                                                                    {Kind::sm_core, "cores of SMs"},
                                                                    {Kind::sms, "virtual SMs"},
                                                                    {Kind::variant, "variants"}}};
  std::vector<std::string> all;
  if (has_orders_) all.emplace_back("priorities");
  if (has_gpu_orders_) all.emplace_back("GPU priorities");
  for (const auto& [kind, name] : names) {
    if (has(kind)) all.emplace_back(name);
  }
  if (has(Kind::policy)) {
    for (std::string& word : policy_words(system_)) all.push_back(std::move(word));
  }
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) text += i + 1 == all.size() ? " and " : ", ";
    text += all[i];
  }
  return text;
}

const Policy& NodeChoices::policy_of(const NodeCandidate& candidate) const {
  // Where there are several, they are the first dimension.
  return policies_[has(Kind::policy) ? candidate.values.front() : 0];
}

CpuScope NodeChoices::scope(const NodeCandidate& candidate) const {
  return cpu_policy(policy_of(candidate)).scope;
}

std::vector<std::size_t> NodeChoices::places_for(const NodeCandidate& candidate,
                                                 std::size_t dimension) const {
  const System system = with_variants(system_, variants(candidate));
  const Work& work = system.tasks[dimensions_[dimension].task].work;
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < cores_.size(); ++place) {
    const bool has_times = std::all_of(work.nodes.begin(), work.nodes.end(), [&](const Node& node) {
      const auto* cpu = std::get_if<CpuSegment>(&node.segment);
      return cpu == nullptr || node.core || time_on(*cpu, cores_[place]);
    });
    if (has_times) places.push_back(place);
  }
  return places;
}

NodeCandidate NodeChoices::first() const {
  return {.values = std::vector<std::size_t>(dimensions_.size()), .order = {}};
}

std::vector<std::vector<std::size_t>> NodeChoices::variants(const NodeCandidate& candidate) const {
  std::vector<std::vector<std::size_t>> all;
  for (const Task& task : system_.tasks) all.emplace_back(task.choices.size());
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const Dimension& dimension = dimensions_[i];
    if (dimension.kind == Kind::variant) all[dimension.task][dimension.choice] = candidate.values[i];
  }
  return all;
}

std::int64_t NodeChoices::given_sms() const {
  const auto is_open = [&](TaskIndex task) {
    return std::any_of(dimensions_.begin(), dimensions_.end(), [&](const Dimension& dimension) {
      return dimension.kind == Kind::sms && dimension.task == task;
    });
  };
  std::int64_t sum = 0;
  for (TaskIndex i = 0; i < system_.tasks.size(); ++i) {
    const bool given = i < system_.virtual_sms.size() && system_.virtual_sms[i].has_value();
    if (given) {
      sum += *system_.virtual_sms[i] / system_.platform.gpu.virtual_sms_per_sm;
    } else if (may_have(system_.tasks[i], is_gpu) && !is_open(i)) {
      ++sum;
    }
  }
  return sum;
}

System NodeChoices::chosen(const NodeCandidate& candidate) const {
  System system = with_variants(system_, variants(candidate));
  system.policy = policy_of(candidate);
  for (Task& task : system.tasks) {
    task.any_core = false;
    if (task.sm.kind == SmAffinity::Kind::any) task.sm = {SmAffinity::Kind::one, 0};
  }
  if (system.policy.strategy->sms == SmSharing::owned) {
    system.virtual_sms.resize(system.tasks.size());
    for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
      const bool needs = uses_gpu(system.tasks[i].work);
      if (needs && !system.virtual_sms[i]) system.virtual_sms[i] = system.platform.gpu.virtual_sms_per_sm;
    }
  }
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const Dimension& dimension = dimensions_[i];
    Task& task = system.tasks[dimension.task];
    const std::size_t value = candidate.values[i];
    switch (dimension.kind) {
      case Kind::policy:
      case Kind::variant:
        break;
      case Kind::core:
        task.core = cores_[value].first;
        break;
      case Kind::sm_core:
        task.sm = {SmAffinity::Kind::one, static_cast<std::int32_t>(value)};
        break;
      case Kind::sms:
        if (uses_gpu(task.work)) {
          system.virtual_sms[dimension.task] =
              (static_cast<std::int64_t>(value) + 1) * system.platform.gpu.virtual_sms_per_sm;
        }
        break;
    }
  }
  if (!candidate.order.empty()) {
    set_priorities(system, candidate.order);
    for (Task& task : system.tasks) task.gpu_priority.reset();
  }
  auto priority = static_cast<std::int64_t>(candidate.gpu_order.size());
  for (const TaskIndex task : candidate.gpu_order) {
    if (uses_gpu(system.tasks[task].work)) system.tasks[task].gpu_priority = priority;
    --priority;
  }
  keep_gpu_order(system);
  set_core_times(system);
  return system;
}

std::optional<System> NodeChoices::complete(const NodeCandidate& candidate) const {
  System system = chosen(candidate);
  if (!validate(system).empty()) return std::nullopt;
  return system;
}

std::optional<System> NodeChoices::with_cores_apart(const NodeCandidate& candidate,
                                                    const std::vector<bool>& apart) const {
  System system = chosen(candidate);
  if (scope(candidate) == CpuScope::global) return complete(candidate);
  auto next = static_cast<std::int32_t>(system.platform.cpus());
  const auto largest = std::max_element(cores_.begin(), cores_.end(),
                                        [](const Cores& a, const Cores& b) { return a.count < b.count; });
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    if (!apart[i]) continue;
    system.platform.clusters.push_back(largest->count);
    Task& task = system.tasks[dimensions_[i].task];
    task.core = next;
    next += largest->count;
    for (Node& node : task.work.nodes) {
      if (auto* cpu = std::get_if<CpuSegment>(&node.segment); cpu != nullptr && !node.core) {
        *cpu = {least_time(*cpu)};
      }
    }
  }
  if (!validate(system).empty()) return std::nullopt;
  return system;
}

std::optional<System> NodeChoices::with_tasks(const NodeCandidate& candidate,
                                              const std::vector<bool>& kept) const {
  System system = chosen(candidate);
  const std::vector<Task> tasks = std::exchange(system.tasks, {});
  const auto virtual_sms = std::exchange(system.virtual_sms, {});
  system.chains.clear();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!kept[i]) continue;
    system.tasks.push_back(tasks[i]);
    if (!virtual_sms.empty()) system.virtual_sms.push_back(virtual_sms[i]);
  }
  keep_gpu_order(system);
  if (!validate(system).empty()) return std::nullopt;
  return system;
}

bool NodeChoices::is_canonical(const NodeCandidate& candidate) const {
  const bool has_places = scope(candidate) != CpuScope::global;
  std::vector<bool> used(cores_.size());
  const auto use = [&](std::int32_t core) {
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      if (core >= cores_[i].first && core < cores_[i].first + cores_[i].count) used[i] = true;
    }
  };
  for (const Task& task : system_.tasks) {
    if (!task.any_core) use(task.core);
    for (const Node& node : task.work.nodes) {
      if (node.core) use(*node.core);
    }
  }
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    if (dimensions_[i].kind != Kind::core) continue;
    const std::size_t place = candidate.values[i];
    if (!has_places && place > 0) return false;
    for (std::size_t other = 0; other < place && !used[place]; ++other) {
      if (!used[other] && are_alike(other, place)) return false;
    }
    used[place] = true;
  }
  return true;
}

std::vector<TaskIndex> NodeChoices::gpu_order(const NodeCandidate& candidate) const {
  if (!candidate.gpu_order.empty()) return candidate.gpu_order;
  std::vector<TaskIndex> order = candidate.order;
  if (order.empty()) {
    order = gpu_urgency_order(system_);
    std::erase_if(order, [&](TaskIndex task) { return system_.tasks[task].arrival == Arrival::best_effort; });
  }
  std::erase_if(order, [&](TaskIndex task) { return !may_have(system_.tasks[task], is_gpu); });
  return order;
}

std::int64_t NodeChoices::count(std::int64_t most, bool with_gpu_orders) const {
  std::int64_t count = 1;
  const auto times = [&](std::size_t factor) {
    const auto by = static_cast<std::int64_t>(factor);
    count = count > most / std::max<std::int64_t>(by, 1) ? most : count * by;
  };
  for (const Dimension& dimension : dimensions_) times(dimension.size);
  if (!has_orders_) return count;
  for (std::size_t i = order_of_file(system_).size(); i > 1; --i) times(i);
  if (!with_gpu_orders || !has_gpu_orders_) return count;
  for (std::size_t i = gpu_order(first()).size(); i > 1; --i) times(i);
  return count;
}

}  // namespace tactus::plan
