#include "tactus/sweep/sm_division.hpp"

#include <algorithm>

#include "tactus/analysis/check.hpp"

namespace tactus::sweep {

using analysis::Analysis;
using analysis::Result;
using analysis::Verdict;

namespace {

Result run_with(const Analysis& analysis, System system, const VirtualSms& division) {
  system.virtual_sms = division;
  Result result = analysis::run(analysis, system);
  result.virtual_sms = division;
  return result;
}

/// Nothing where all tasks with GPU work have bounds.
std::optional<TaskIndex> first_without_bound(const System& system, const Result& result) {
  for (const TaskIndex task : urgency_order(system)) {
    const bool has_bound = task < result.tasks.size() && result.tasks[task].ok;
    if (uses_gpu(system.tasks[task].work) && !has_bound) return task;
  }
  return std::nullopt;
}

}  // namespace

bool lacks_sms(const System& system) {
  return system.policy.strategy->sms == SmSharing::owned && system.virtual_sms.empty();
}

Result run_on_divisions(const Analysis& analysis, const System& system,
                        std::span<const VirtualSms> divisions) {
  for (const VirtualSms& division : divisions) {
    Result result = run_with(analysis, system, division);
    if (result.verdict == Verdict::schedulable) return result;
  }
  const std::int64_t each = system.platform.gpu.virtual_sms_per_sm;
  VirtualSms division(system.tasks.size());
  std::int64_t left = system.platform.gpu.sms;
  for (TaskIndex task = 0; task < division.size(); ++task) {
    if (!uses_gpu(system.tasks[task].work)) continue;
    division[task] = each;
    --left;
  }
  if (left < 0) {
    Result result = analysis::unjudged(system);
    result.verdict = Verdict::unproven;
    result.reason = "there are fewer SMs than tasks with GPU work";
    return result;
  }
  while (true) {
    Result result = run_with(analysis, system, division);
    const std::optional<TaskIndex> task = first_without_bound(system, result);
    if (result.verdict == Verdict::schedulable || !result.applies() || !task || left == 0) return result;
    *division[*task] += each;
    --left;
  }
}

}  // namespace tactus::sweep
