#include "tactus/sweep/policy_variant.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "tactus/base/text.hpp"
#include "tactus/io/words.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/plan/plan.hpp"

namespace tactus::sweep {

namespace {

std::string window_text(std::string_view name, const std::optional<Window>& window) {
  if (!window) return "";
  return fmt::format(" {} {}+{}", name, to_text(window->offset), to_text(window->budget));
}

}  // namespace

std::string policy_text(const PolicyVariant& variant) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view key, const auto& value) {
    parts.push_back(fmt::format("{} {}", key, value));
  };
  if (variant.strategy) add("strategy", (*variant.strategy)->name);
  if (variant.order) add("order", io::word_of(io::words::orders, *variant.order));
  if (variant.levels) add("levels", *variant.levels);
  if (variant.refill) add("refill", io::word_of(io::words::refills, *variant.refill));
  if (variant.sm_group) add("sm_group", *variant.sm_group);
  if (variant.reservations) {
    add("reservations", to_text(variant.reservations->period) +
                            window_text("local", variant.reservations->local) +
                            window_text("all", variant.reservations->all));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

System with_policy(System system, const PolicyVariant& variant) {
  Policy& policy = system.policy;
  const StrategyRef before = policy.strategy;
  policy.strategy = variant.strategy.value_or(policy.strategy);
  policy.order = variant.order.value_or(policy.order);
  policy.levels = variant.levels.value_or(policy.levels);
  policy.refill = variant.refill.value_or(policy.refill);
  policy.sm_group = variant.sm_group.value_or(policy.sm_group);
  if (variant.reservations) policy.reservations = variant.reservations;
  if (policy.strategy != before) system.virtual_sms.clear();
  return system;
}

JudgedSystem judged_under(const System& system, const PolicyVariant& variant) {
  JudgedSystem judged{.system = with_policy(system, variant)};
  const std::vector<Violation> violations = validate(judged.system);
  if (!violations.empty()) {
    judged.why_not = violations.front().message;
    return judged;
  }
  const bool open = judged.system.policy.strategy->sms == SmSharing::cores &&
                    !find_missing_parameters(judged.system).empty();
  if (!open) return judged;
  plan::Plan found = plan::plan(judged.system, {}, {.measures_shrink = false});
  if (found.found) {
    judged.system = std::move(found.planned);
  } else {
    judged.unplanned = "no plan was found: " + found.why_not;
  }
  return judged;
}

}  // namespace tactus::sweep
