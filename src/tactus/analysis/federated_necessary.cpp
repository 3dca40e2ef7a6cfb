// federated-necessary: conditions that hold for any division of the SMs and any order of the tasks.
//
// Claim: the system cannot hold if
//   - the tasks of a core, or the copies of all tasks, need more than all of the time (the sum of worst
//     cases over T is above 1);
//   - the longest job of a task takes longer than its deadline even alone: the worst cases of
//     its segments add up to more than D, on its SMs or on the most that others can leave it;
//   - the SMs do not suffice: for each task there is a least number of SMs on which such a job fits its
//     deadline, and these add up to more than there are (where the system does not give them).
//
// Source: ours; a ceiling for the acceptance of every other test.
//
// Model: federated; chains of periodic or sporadic tasks, D <= T. Overheads and jitter are
// left out, since they need not occur. A best-effort task with GPU work takes its SMs, at least one.
//
// Kind: necessary.
//
// Soundness: sound: jobs may come as often as their periods and take their worst cases.
#include "tactus/analysis/analyses.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/federated_judge.hpp"
#include "tactus/base/text.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::analysis {

namespace {

/// Overheads and jitter are upper bounds and need not occur.
System without_delays(System system) {
  system = without_overheads(std::move(system));
  for (Task& task : system.tasks) task.jitter = {};
  return system;
}

Duration longest_job_on(const FederatedTask& task, std::int64_t sms) {
  return longest_job(task.stages[static_cast<std::size_t>(sms)]);
}

Witness too_long(const System& system, const FederatedTask& task, std::int64_t sms) {
  const std::string& name = system.tasks[task.task].name;
  const Duration length = longest_job_on(task, sms);
  const std::int64_t virtual_sms = sms * system.platform.gpu.virtual_sms_per_sm;
  Witness witness;
  witness.reason = "the longest job of '" + name + "' takes " + to_text(length);
  if (task.uses_gpu) witness.reason += " on " + std::to_string(virtual_sms) + " virtual SMs";
  witness.reason += " with nobody in its way; its deadline is " + to_text(task.deadline);
  witness.detail = {{"task", name},
                    {"longest_job_ns", length},
                    {"deadline_ns", task.deadline},
                    {"virtual_sms", virtual_sms}};
  witness.late_alone = Lateness{task.task, length - task.deadline};
  return witness;
}

Witness too_few(const FederatedTasks& tasks, std::int64_t needed) {
  const std::int64_t sms = std::max<std::int64_t>(tasks.sms, 0);
  return {"the tasks need at least " + std::to_string(needed) +
              " SMs to keep their deadlines, each with nobody in its way; there are " + std::to_string(sms),
          {{"sms_needed", needed}, {"sms", sms}}};
}

std::optional<Witness> find_too_long_on_given(const System& system, const FederatedTasks& tasks) {
  for (const FederatedTask& task : tasks.tasks) {
    if (longest_job_on(task, *task.sms) > task.deadline) return too_long(system, task, *task.sms);
  }
  return std::nullopt;
}

/// The least SMs on which the longest job fits; `most` if it does on none.
std::int64_t min_sms(const FederatedTask& task, std::int64_t most) {
  if (task.sms) return *task.sms;
  std::int64_t least = 1;
  while (least < most && longest_job_on(task, least) > task.deadline) ++least;
  return least;
}

std::optional<Witness> find_too_few(const System& system, const FederatedTasks& tasks) {
  std::int64_t fewest = 0;
  for (const FederatedTask& task : tasks.tasks) fewest += task.sms.value_or(1);
  if (fewest > tasks.sms) return too_few(tasks, fewest);
  std::int64_t needed = 0;
  for (const FederatedTask& task : tasks.tasks) {
    const std::int64_t most = tasks.sms - (fewest - task.sms.value_or(1));
    const std::int64_t least = min_sms(task, most);
    if (longest_job_on(task, least) > task.deadline) return too_long(system, task, least);
    needed += least;
  }
  if (needed > tasks.sms) return too_few(tasks, needed);
  return std::nullopt;
}

}  // namespace

Result federated_necessary(const System& system) {
  const System ideal = without_delays(system);
  FederatedTasks tasks = federated_tasks(ideal, StageTable::as_given);
  if (!tasks.why_not.empty()) return does_not_apply(std::move(tasks.why_not));
  std::optional<Witness> witness = federated_overload(ideal);
  if (!witness && tasks.complete) {
    witness = find_too_long_on_given(system, tasks);
  } else if (!witness) {
    witness = find_too_few(system, federated_tasks(ideal, StageTable::every_number));
  }
  Result result = unjudged(system);
  if (witness) {
    set_answer(result, Verdict::unschedulable, *std::move(witness));
  } else {
    set_answer(result, Verdict::unproven,
               {.reason = "no resource is needed for more than there is of it, which proves nothing yet"});
  }
  return result;
}

}  // namespace tactus::analysis
