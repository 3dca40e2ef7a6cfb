#include "tactus/analysis/server_results.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tactus/base/ratio_sum.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

/// Which of two witnesses decides: the greater.
int weight(Verdict verdict) {
  switch (verdict) {
    case Verdict::unschedulable:
      return 3;
    case Verdict::unproven:
      return 2;
    case Verdict::gave_up:
      return 1;
    case Verdict::schedulable:
      return 0;
  }
  return 0;
}

}  // namespace

ServerResults::ServerResults(const System& system) : result_{unjudged(system)} {
  result_.verdict = Verdict::schedulable;
}

void ServerResults::keeps_deadline(const GpuTask& task, Duration bound) {
  result_.tasks[task.task].bound = bound;
  result_.tasks[task.task].ok = true;
}

void ServerResults::keep_deadlines(const GpuServer& server) {
  for (const GpuTask& task : server.tasks) {
    keeps_deadline(task, task.deadline);
    result_.tasks[task.task].deadline_only = true;
  }
}

void ServerResults::may_be_late(const GpuTask& task, Duration bound) {
  result_.tasks[task.task].bound = bound;
}

void set_answer(Result& result, Verdict verdict, Witness witness) {
  result.verdict = verdict;
  result.reason = std::move(witness.reason);
  result.detail = std::move(witness.detail);
  result.excess = witness.excess;
  result.late_alone = witness.late_alone;
}

void ServerResults::fails(Verdict verdict, Witness witness) {
  if (weight(verdict) <= weight(*result_.verdict)) return;
  set_answer(result_, verdict, std::move(witness));
}

Result ServerResults::finish(std::string_view holds) && {
  if (result_.verdict == Verdict::schedulable) result_.reason = holds;
  return std::move(result_);
}

std::int64_t at_most_64_bits(Int128 value) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  return value > largest ? largest : static_cast<std::int64_t>(value);
}

FactValue name_or_nothing(const System& system, const std::optional<TaskIndex>& task) {
  return task ? FactValue{system.tasks[*task].name} : FactValue{};
}

std::string find_other_order(const System& system, Order order) {
  if (system.policy.order == order) return {};
  return order == Order::edf ? "needs the order edf" : "needs the order fp";
}

bool all_are_sporadic(const System& system) {
  return std::all_of(system.tasks.begin(), system.tasks.end(),
                     [](const Task& task) { return task.arrival == Arrival::sporadic; });
}

Witness overload_witness(const GpuServer& server) {
  RatioSum needed;
  for (const GpuTask& task : server.tasks) needed.add({task.work.count(), task.period.count()});
  // Rounded apart, so that the numbers shown differ.
  const std::string needed_text = to_decimal(needed, Rounding::up);
  std::string available = "1.0";
  Witness witness;
  witness.reason = "the tasks of " + server.name + " need " + needed_text + " of its time";
  if (server.window) {
    RatioSum share;
    share.add({server.window->budget.count(), server.window->period.count()});
    available = to_decimal(share, Rounding::down);
    witness.reason += server.window->budget == Duration{} ? ", but it has no window"
                                                          : ", but its windows give " + available;
  }
  witness.detail = {{"server", server.name}, {"utilisation", needed_text}, {"available", available}};
  witness.reason += ": the backlog grows without end";
  return witness;
}

void fails_late_release(const System& system, const GpuServer& server, const GpuTask& task,
                        ServerResults& results) {
  if (is_overloaded(server)) {
    results.fails(Verdict::unschedulable, overload_witness(server));
    return;
  }
  const std::string& name = system.tasks[task.task].name;
  Witness witness;
  witness.reason = "a job of '" + name + "' may be seen " + to_text(task.jitter) +
                   " after its release; its deadline is " + to_text(task.deadline);
  witness.detail = {
      {"server", server.name}, {"task", name}, {"jitter_ns", task.jitter}, {"deadline_ns", task.deadline}};
  results.fails(Verdict::unproven, std::move(witness));
}

}  // namespace tactus::analysis
