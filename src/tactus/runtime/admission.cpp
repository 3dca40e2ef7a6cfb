#include "tactus/runtime/admission.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/model/strategy_text.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/runtime/opaque_work.hpp"

namespace tactus::runtime {

namespace {

void refuse_findings(const std::vector<Violation>& violations) {
  if (violations.empty()) return;
  std::vector<Problem> problems;
  problems.reserve(violations.size());
  for (const Violation& violation : violations) {
    problems.push_back({.file = {},
                        .line = 0,
                        .column = 0,
                        .message = violation.path + ": " + violation.message,
                        .hint = violation.hint,
                        .id = violation.id});
  }
  throw InputError{std::move(problems)};
}

/// Why no analysis proves the deadlines: the reasons of those that apply.
std::string reason_of(const analysis::CheckResult& checked) {
  std::string reasons;
  for (const analysis::CheckedAnalysis& one : checked.analyses) {
    if (one.result.verdict) reasons += "; " + std::string{one.analysis.id} + ": " + one.result.reason;
  }
  for (const analysis::EffectResult& chain : checked.chains) {
    if (!chain.ok()) reasons += "; chain '" + chain.name + "': " + chain.reason;
  }
  if (reasons.empty()) return "no sound analysis applies to the system with it";
  const bool impossible = checked.verdict == analysis::Verdict::unschedulable;
  return (impossible ? "deadlines would be missed" : "the deadlines would not be proven to hold") + reasons;
}

}  // namespace

std::string reason_against(const System& system, const device::Bindings& bindings) {
  const BoundSystem bound = as_bound(system, bindings);
  if (!bound.keeps_windows) return bound.opaque.front();
  const analysis::CheckResult checked = analysis::check(bound.system);
  return checked.verdict == analysis::Verdict::schedulable ? std::string{} : reason_of(checked);
}

namespace {

std::int64_t free_sms(const System& system) {
  std::int64_t free = system.platform.gpu.sms;
  for (const std::optional<std::int64_t>& owned : system.virtual_sms) {
    free -= owned.value_or(0) / system.platform.gpu.virtual_sms_per_sm;
  }
  return free;
}

/// Gives the last task SMs that no task owns: the smallest number with which the system is proven, otherwise
/// all of them. Returns why the system is not proven; empty when it is.
std::string give_free_sms(System& system, const device::Bindings& bindings) {
  const std::int64_t free = free_sms(system);
  std::string reason;
  for (std::int64_t sms = 1; sms <= free; ++sms) {
    system.virtual_sms.back() = sms * system.platform.gpu.virtual_sms_per_sm;
    if (sms == 1) require_valid(system);
    reason = reason_against(system, bindings);
    if (reason.empty()) break;
  }
  return reason;
}

}  // namespace

std::string known_tasks(const System& system, std::string_view name) {
  constexpr std::size_t max_shown = 20;
  if (system.tasks.empty()) return "the system has no tasks yet; add() adds one";
  std::vector<std::string_view> names;
  names.reserve(system.tasks.size());
  for (const Task& task : system.tasks) names.push_back(task.name);
  std::string text;
  const std::string_view near = nearest_name(name, names);
  if (!near.empty() && near != name) text = "did you mean '" + std::string{near} + "'? ";
  text += "the system has: ";
  for (std::size_t i = 0; i < std::min(names.size(), max_shown); ++i) {
    text += (i == 0 ? "" : ", ") + std::string{names[i]};
  }
  if (names.size() > max_shown) text += " and " + with_thousands(names.size() - max_shown) + " more";
  return text;
}

void require_valid(const System& system) {
  refuse_findings(validate(system));
  refuse_findings(find_missing_parameters(system));
}

Admitted admit(System system, const device::Bindings& bindings, Task task, const AddOptions& options) {
  const auto has_its_name = [&](const Task& other) { return other.name == task.name; };
  if (std::any_of(system.tasks.begin(), system.tasks.end(), has_its_name)) {
    throw InputError{"there is already a task '" + task.name + "'",
                     "names are unique; " + known_tasks(system, task.name)};
  }
  const bool owns_sms = has_own_sms(*system.policy.strategy);
  if (options.virtual_sms && !owns_sms) {
    throw InputError{"virtual SMs are for the strategy " + strategies_text(has_own_sms)};
  }
  const bool chooses_sms = owns_sms && !options.virtual_sms && uses_gpu(task.work);
  const std::string refused = "task '" + task.name + "' is refused: ";
  system.tasks.push_back(std::move(task));
  if (owns_sms || !system.virtual_sms.empty()) system.virtual_sms.resize(system.tasks.size());
  if (chooses_sms && free_sms(system) <= 0) {
    return {.system = {}, .refusal = refused + "no SM is free: each belongs to one of the other tasks"};
  }
  if (owns_sms) system.virtual_sms.back() = options.virtual_sms;
  std::string reason;
  if (chooses_sms) {
    reason = give_free_sms(system, bindings);
  } else {
    require_valid(system);
    if (options.admission == Admission::proven) reason = reason_against(system, bindings);
  }
  if (!reason.empty() && options.admission == Admission::proven) {
    return {.system = {}, .refusal = refused + reason};
  }
  return {.system = std::move(system), .refusal = {}};
}

}  // namespace tactus::runtime
