#include "tactus/plan/node_policies.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "tactus/base/text.hpp"
#include "tactus/io/words.hpp"

namespace tactus::plan {

namespace {

constexpr Duration some_period = std::chrono::milliseconds{1};

/// With two digits, so that windows are easy to read; never longer than the value.
Duration rounded_down(Duration value) {
  constexpr std::int64_t two_digits = 100;
  std::int64_t unit = 1;
  while (value.count() / unit >= two_digits) unit *= 10;
  return Duration{value.count() / unit * unit};
}

struct WindowUse {
  bool local = false;
  bool gang = false;
  Duration shortest = Duration::max();  // deadline of a task with GPU work
};

WindowUse use_of_windows(const System& system) {
  WindowUse use;
  for (const Task& task : system.tasks) {
    const auto variants_use_gpu = [&] {
      return std::any_of(task.choices.begin(), task.choices.end(), [](const WorkChoice& choice) {
        return std::any_of(choice.variants.begin(), choice.variants.end(), [](const auto& variant) {
          return std::any_of(variant.begin(), variant.end(),
                             [](const Segment& segment) { return server_of(segment) == ServerKind::gpu; });
        });
      });
    };
    if (!uses_gpu(task.work) && !variants_use_gpu()) continue;
    (task.sm.kind == SmAffinity::Kind::all ? use.gang : use.local) = true;
    if (task.deadline) use.shortest = std::min(use.shortest, *task.deadline);
  }
  if (use.shortest == Duration::max()) use.shortest = some_period;
  return use;
}

Policy with_windows(const Policy& policy, Duration period, Duration gang) {
  Policy changed = policy;
  Reservations windows{.period = period, .local = {}, .all = {}};
  if (gang < period) windows.local = Window{Duration{}, period - gang};
  if (gang > Duration{}) windows.all = Window{period - gang, gang};
  changed.reservations = windows;
  return changed;
}

/// Periods are parts of the shortest deadline of GPU work; the gang window has parts of the period.
void add_windows(std::vector<Policy>& policies, const System& system) {
  constexpr std::array<std::int64_t, 10> parts_of_deadline{4, 6, 8, 3, 12, 2, 16, 24, 32, 1};
  constexpr std::array<std::int64_t, 11> gang_twelfths{6, 4, 8, 3, 9, 2, 10, 5, 7, 1, 11};
  const WindowUse use = use_of_windows(system);
  if (!use.local || !use.gang) {
    policies.push_back(
        with_windows(system.policy, use.shortest, use.gang || !use.local ? use.shortest : Duration{}));
    return;
  }
  for (const std::int64_t part : parts_of_deadline) {
    const Duration period = std::max(rounded_down(use.shortest / part), Duration{12});
    for (const std::int64_t twelfths : gang_twelfths) {
      policies.push_back(with_windows(system.policy, period, period / 12 * twelfths));
    }
  }
}

bool tries_clusters(const System& system) {
  return system.policy.open.clusters && system.platform.clusters.size() > 1;
}

/// Order before clusters, and jobs one after the other last: that is the rarest to help.
void add_open_keys(std::vector<Policy>& policies, const System& system) {
  const auto also_with = [&](bool is_open, auto change) {
    if (!is_open) return;
    const std::vector<Policy> so_far = policies;
    for (Policy other : so_far) {
      change(other);
      other.open = {};
      policies.push_back(other);
    }
  };
  const Policy& policy = system.policy;
  also_with(policy.open.order, [](Policy& other) { other.order = other.strategy->orders.back(); });
  also_with(tries_clusters(system), [](Policy& other) { other.clusters = ClusterMode::per_cluster; });
  also_with(policy.open.parallel_jobs, [](Policy& other) { other.parallel_jobs = false; });
}

}  // namespace

std::vector<Policy> policies_to_try(const System& system) {
  const Policy& policy = system.policy;
  std::vector<Policy> policies;
  if (policy.strategy->sms == SmSharing::cores) {
    if (policy.reservations) policies.push_back(policy);
    add_windows(policies, system);
    return policies;
  }
  policies.push_back(policy);
  if (policy.strategy->has_levels) {
    for (std::int32_t levels = system.platform.gpu.priority_levels; levels > 0; --levels) {
      if (levels == policy.levels) continue;
      policies.push_back(policy);
      policies.back().levels = levels;
    }
  }
  if (policy.strategy->slices_time) {
    constexpr int halvings = 5;
    for (int i = 0; i < halvings && policies.back().time_slice > Duration{1}; ++i) {
      Policy shorter = policies.back();
      shorter.time_slice = shorter.time_slice / 2;
      policies.push_back(shorter);
    }
  }
  if (policy.strategy->times_nodes) add_open_keys(policies, system);
  return policies;
}

std::vector<std::string> policy_words(const System& system) {
  const StrategyFacts& strategy = *system.policy.strategy;
  if (strategy.sms == SmSharing::cores) return {"reservations"};
  if (strategy.has_levels) return {"levels"};
  if (strategy.slices_time) return {"the time slice"};
  std::vector<std::string> words;
  if (system.policy.open.order) words.emplace_back("the order");
  if (tries_clusters(system)) words.emplace_back("clusters");
  if (system.policy.open.parallel_jobs) words.emplace_back("parallel jobs");
  return words;
}

std::string chosen_policy_text(const Policy& policy) {
  if (policy.strategy->has_levels) return fmt::format("levels: {}", policy.levels);
  if (policy.strategy->slices_time) return fmt::format("time slice: {}", to_text(policy.time_slice));
  return fmt::format("order: {}, clusters: {}, parallel_jobs: {}",
                     io::word_of(io::words::orders, policy.order),
                     io::word_of(io::words::cluster_modes, policy.clusters), policy.parallel_jobs);
}

}  // namespace tactus::plan
