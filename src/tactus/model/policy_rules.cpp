// The rules of the policy.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/model/rules.hpp"

namespace tactus {

namespace {

class PolicyRules : Rules {
 public:
  using Rules::Rules;

  void check() {
    check_policy();
    check_virtual_sms();
  }

 private:
  void check_order() {
    const std::span<const Order> taken = system_.policy.strategy->orders;
    if (std::find(taken.begin(), taken.end(), system_.policy.order) != taken.end()) return;
    const std::string_view name = system_.policy.strategy->name;
    const bool only_fp = taken.size() == 1 && taken.front() == Order::fp;
    if (system_.policy.order == Order::fair_lateness) {
      add(ProblemId::conflicting_keys, "policy.order",
          "order `fl` (fair lateness) belongs to the strategy `graph`",
          only_fp ? fmt::format("{} takes `fp` only", name) : "write `edf` or `fp`");
    } else {
      add(ProblemId::conflicting_keys, "policy.order",
          fmt::format("the strategy {} does not take the order {}", in_backticks(name),
                      system_.policy.order == Order::edf ? "`edf`" : "`fp`"),
          only_fp ? "write `fp`, or leave the order out" : "write `edf`, or leave the order out");
    }
  }

  void check_policy() {
    const Policy& policy = system_.policy;
    check_order();
    if (policy.levels < 1) {
      add(ProblemId::out_of_range, "policy.levels", fmt::format("levels is {}", policy.levels),
          "it must be at least 1");
    } else if (levels_are_known() && policy.levels > gpu_.priority_levels) {
      add(ProblemId::out_of_range, "policy.levels",
          fmt::format("levels is {}, but the GPU has {}", policy.levels,
                      counted(gpu_.priority_levels, "stream priority", "stream priorities")),
          allowed({1, gpu_.priority_levels}));
    }
    if (policy.sm_group < 1) {
      add(ProblemId::out_of_range, "policy.sm_group", fmt::format("sm_group is {}", policy.sm_group),
          "it must be at least 1");
    } else if (sms_are_known() && policy.sm_group > gpu_.sms) {
      add(ProblemId::out_of_range, "policy.sm_group",
          fmt::format("sm_group is {}, but the GPU has {}", policy.sm_group, counted(gpu_.sms, "SM", "SMs")),
          allowed({1, gpu_.sms}));
    }
    check_positive("policy.time_slice", "the time slice", policy.time_slice);
    if (policy.reservations) check_reservations(*policy.reservations);
  }

  void check_reservations(const Reservations& reservations) {
    const std::string path = "policy.reservations";
    const bool period_is_valid = reservations.period > Duration{};
    check_positive(path + ".period", "the period of the reservations", reservations.period);
    const auto check_window = [&](const std::string& name, const std::optional<Window>& window) {
      if (!window) return false;
      const std::size_t before = violations_.size();
      const std::string where = child_path(path, name);
      check_not_negative(where + ".offset", "the offset of window " + in_backticks(name), window->offset);
      check_positive(where + ".budget", "the budget of window " + in_backticks(name), window->budget,
                     "; without this window leave it out");
      if (violations_.size() != before || !period_is_valid) return false;
      // The end of a window may lie behind the end of the time axis: compare without adding.
      if (window->budget > reservations.period) {
        add(ProblemId::bad_window, where + ".budget",
            fmt::format("the budget {} of window {} is longer than the period {}", to_text(window->budget),
                        in_backticks(name), to_text(reservations.period)),
            fmt::format("at most {} is allowed", to_text(reservations.period)));
      } else if (window->offset > reservations.period - window->budget) {
        add(ProblemId::bad_window, where,
            fmt::format("window {}, {} from {} on, passes the end of the period {}", in_backticks(name),
                        to_text(window->budget), to_text(window->offset), to_text(reservations.period)),
            fmt::format("offset + budget may be {} at most", to_text(reservations.period)));
      }
      return violations_.size() == before;
    };
    const bool local_is_valid = check_window("local", reservations.local);
    const bool all_is_valid = check_window("all", reservations.all);
    if (!local_is_valid || !all_is_valid) return;
    const Window& local = *reservations.local;
    const Window& all = *reservations.all;
    if (local.offset < all.offset + all.budget && all.offset < local.offset + local.budget) {
      add(ProblemId::bad_window, path + ".all",
          fmt::format("the windows `local` [{}, {}) and `all` [{}, {}) overlap", to_text(local.offset),
                      to_text(local.offset + local.budget), to_text(all.offset),
                      to_text(all.offset + all.budget)),
          "one must end before the other begins");
    }
  }

  void check_virtual_sms() {
    const std::string path = "policy.virtual_sms";
    if (!system_.virtual_sms.empty() && system_.virtual_sms.size() != system_.tasks.size()) {
      add(ProblemId::bad_virtual_sms, path,
          fmt::format("{} entries for {} tasks", system_.virtual_sms.size(), system_.tasks.size()),
          "one entry a task, in the order of the tasks");
      return;
    }
    if (!limits::virtual_sms_per_sm.contains(gpu_.virtual_sms_per_sm) || !sms_are_known()) return;
    const std::int64_t unit = gpu_.virtual_sms_per_sm;
    const std::int64_t available = unit * gpu_.sms;
    Int128 sum = 0;
    for (const Task& task : system_.tasks) {
      for (const Node& node : task.work.nodes) sum += std::max<std::int64_t>(node.virtual_sms.value_or(0), 0);
    }
    for (std::size_t i = 0; i < system_.virtual_sms.size(); ++i) {
      if (!system_.virtual_sms[i]) continue;
      const std::int64_t value = *system_.virtual_sms[i];
      sum += std::max<std::int64_t>(value, 0);
      const bool needs_none = !uses_gpu(system_.tasks[i].work) || !system_.tasks[i].choices.empty();
      if (value % unit == 0 && (value >= 1 || (value == 0 && needs_none))) continue;
      if (value == 0) {
        add(ProblemId::bad_virtual_sms, child_path(path, system_.tasks[i].name),
            fmt::format("{} has 0 virtual SMs, but uses the GPU", describe(system_.tasks[i])),
            fmt::format("give it {} or more", unit));
        continue;
      }
      add(ProblemId::bad_virtual_sms, child_path(path, system_.tasks[i].name),
          fmt::format("{} has {} virtual SMs, which is not a whole number of SMs", describe(system_.tasks[i]),
                      value),
          fmt::format("an SM is {0} virtual SMs here: write {0}, {1}, {2}, ...", unit, 2 * unit, 3 * unit));
    }
    if (sum > available) {
      constexpr Int128 max_shown = 1'000'000'000'000'000'000;
      add(ProblemId::bad_virtual_sms, path,
          fmt::format("the tasks have {}{} virtual SMs together, but the GPU has {}",
                      sum > max_shown ? "more than " : "",
                      static_cast<std::int64_t>(std::min(sum, max_shown)), available),
          fmt::format("{} SMs with {} virtual SMs each", gpu_.sms, unit));
    }
  }
};

}  // namespace

void check_policy(const System& system, std::vector<Violation>& violations) {
  PolicyRules{system, violations}.check();
}

}  // namespace tactus
