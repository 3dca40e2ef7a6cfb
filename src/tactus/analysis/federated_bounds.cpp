#include "tactus/analysis/federated_bounds.hpp"

#include "tactus/analysis/effort.hpp"

namespace tactus::analysis {

FederatedAnswer bound_responses(const FederatedTasks& tasks, FederatedTest test,
                                std::span<const std::int64_t> sms) {
  foresee_pairs(tasks.tasks.size());
  FederatedAnswer answer;
  answer.bounds.resize(tasks.tasks.size());
  answer.proven.reserve(tasks.tasks.size());
  std::vector<const MoreUrgent*> more_urgent;
  const std::vector<Blocking> blocking = copy_blocking(tasks);
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    const FederatedTask& task = tasks.tasks[i];
    answer.fails = i;
    if (task.jitter > task.deadline) return answer;
    const Stages& stages = task.stages[static_cast<std::size_t>(sms[i])];
    const FederatedResponse response{test, task, more_urgent, blocking[i].length};
    FederatedBounds bounds = response.bounds(OwnWork{stages}.gpu);
    if (bounds.least && *bounds.least <= task.period - task.jitter) {
      answer.bounds[i] = *bounds.least + task.jitter;
    }
    if (!bounds.least || *bounds.least > response.limit()) {
      answer.gave_up = bounds.gave_up;
      answer.failed = bounds;
      return answer;
    }
    answer.proven.emplace_back(test, task, stages, *bounds.least);
    more_urgent.push_back(&answer.proven.back());
  }
  answer.fails.reset();
  return answer;
}

std::vector<std::int64_t> given_sms(const FederatedTasks& tasks) {
  std::vector<std::int64_t> sms;
  sms.reserve(tasks.tasks.size());
  for (const FederatedTask& task : tasks.tasks) sms.push_back(*task.sms);
  return sms;
}

}  // namespace tactus::analysis
