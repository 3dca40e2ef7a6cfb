#include "tactus/analysis/server_results.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

/// Which of two witnesses decides: the greater.
int weight(Verdict verdict) {
  constexpr std::array<int, 4> weights{0, 3, 2, 1};  // schedulable, unschedulable, unproven, gave up
  return weights.at(static_cast<std::size_t>(verdict));
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

void ServerResults::gives_up(const GpuServer& server, const std::string& limit) {
  fails(Verdict::gave_up, {server.name + ": " + limit, {{"server", server.name}, {"limit", limit}}});
}

bool ServerResults::fails_overloaded(const GpuServer& server) {
  if (!is_overloaded(server)) return false;
  fails(Verdict::unschedulable, overload_witness(server));
  return true;
}

Result ServerResults::finish(std::string_view holds) && {
  if (result_.verdict == Verdict::schedulable) result_.reason = holds;
  return std::move(result_);
}

Result judge_servers(const System& system, const GpuServers& found, std::string_view holds,
                     const std::function<void(const GpuServer&, ServerResults&)>& judge) {
  if (!found.why_not.empty()) return does_not_apply(found.why_not);
  ServerResults results{system};
  for (const GpuServer& server : found.servers) judge(server, results);
  return std::move(results).finish(holds);
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

std::optional<Witness> find_overload(const std::string& resource, const std::vector<Ratio>& shares) {
  if (compare_sum(shares, {1, 1}) <= 0) return std::nullopt;
  RatioSum sum;
  for (const Ratio& share : shares) sum.add(share);
  const std::string needed = to_decimal(sum, Rounding::up);
  return Witness{
      "the tasks need " + needed + " of the time of " + resource + ": the backlog grows without end",
      {{"server", resource}, {"utilisation", needed}, {"available", "1.0"}}};
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

std::string seen_late(const std::string& task, Duration jitter, Duration deadline) {
  return "a job of '" + task + "' may be seen " + to_text(jitter) + " after its release; its deadline is " +
         to_text(deadline);
}

void fails_late_release(const System& system, const GpuServer& server, const GpuTask& task,
                        ServerResults& results) {
  if (results.fails_overloaded(server)) return;
  const std::string& name = system.tasks[task.task].name;
  results.fails(Verdict::unproven, {seen_late(name, task.jitter, task.deadline),
                                    {{"server", server.name},
                                     {"task", name},
                                     {"jitter_ns", task.jitter},
                                     {"deadline_ns", task.deadline}}});
}

}  // namespace tactus::analysis
