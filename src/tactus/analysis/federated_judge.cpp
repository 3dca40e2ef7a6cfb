#include "tactus/analysis/federated_judge.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "tactus/analysis/rtgpu_allocation.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

std::string name_of(const System& system, const Blocking& blocking) {
  return blocking.by ? "'" + system.tasks[*blocking.by].name + "'" : "a best-effort task";
}

/// The failing task with all terms of its bounds.
class FailingTask {
 public:
  FailingTask(const System& system, const FederatedTasks& tasks, FederatedTest test,
              const FederatedAnswer& answer, std::int64_t sms)
      : system_{system},
        test_{test},
        answer_{answer},
        tasks_{tasks},
        task_{tasks.tasks[*answer.fails]},
        own_{task_.stages[static_cast<std::size_t>(sms)]},
        blocking_{copy_blocking(tasks)[*answer.fails]} {
    witness_.detail = {{"task", name()}, {"deadline_ns", task_.deadline}, {"jitter_ns", task_.jitter}};
  }

  Witness explain() && {
    if (task_.jitter > task_.deadline) {
      witness_.reason = seen_late(name(), task_.jitter, task_.deadline);
      return std::move(witness_);
    }
    if (answer_.gave_up) {
      const std::string limit = "its fixed point was not found in a million rounds";
      witness_.reason = "'" + name() + "': " + limit;
      witness_.detail.push_back({"limit", limit});
      return std::move(witness_);
    }
    explain_sums();
    return std::move(witness_);
  }

 private:
  [[nodiscard]] const std::string& name() const { return system_.tasks[task_.task].name; }

  /// The work in an interval as long as the deadline does not fit: all forms fail there.
  void explain_sums() {
    const Duration limit = task_.deadline - task_.jitter;
    Detail& detail = witness_.detail;
    detail.insert(detail.end(), {{"gpu_ns", own_.gpu},
                                 {"cpu_ns", own_.cpu},
                                 {"copies_ns", own_.copies},
                                 {"copies", own_.requests},
                                 {"blocking_ns", blocking_.length},
                                 {"blocker", name_or_nothing(system_, blocking_.by)}});
    const std::size_t forms = test_ == FederatedTest::rtgpu ? 4 : 2;
    for (std::size_t i = 0; i < forms; ++i) {
      const std::optional<Duration>& form = answer_.failed.forms[i];
      detail.push_back({"r" + std::to_string(i + 1) + "_ns", form ? FactValue{*form} : FactValue{}});
    }
    detail.push_back({"interval_ns", limit});
    std::vector<Detail> interference;
    Int128 cpu = 0;
    Int128 copies = 0;
    for (std::size_t i = 0; i < answer_.proven.size(); ++i) {
      const MoreUrgent& other = answer_.proven[i];
      const Duration on_core = other.core == task_.core ? other.cpu.at(limit).work : Duration{};
      const Duration on_engine = own_.requests > 0 ? other.copies.at(limit).work : Duration{};
      cpu += on_core.count();
      copies += on_engine.count();
      interference.push_back({{"task", system_.tasks[tasks_.tasks[i].task].name},
                              {"cpu_ns", on_core},
                              {"copies_ns", on_engine}});
    }
    detail.push_back({"interference", std::move(interference)});
    tell(limit, Duration{at_most_64_bits(cpu)}, Duration{at_most_64_bits(copies)});
  }

  void tell(Duration limit, Duration cpu, Duration copies) {
    std::string& reason = witness_.reason;
    reason = "the response of '" + name() + "' may pass its deadline of " + to_text(task_.deadline);
    reason += ": " + own_terms(own_.cpu, own_.copies, own_.gpu);
    if (own_.requests > 0 && blocking_.length > Duration{}) {
      reason += " + " + std::to_string(own_.requests) + " x " + to_text(blocking_.length) + " blocking by " +
                name_of(system_, blocking_);
    }
    std::string work;
    if (!answer_.proven.empty()) {
      if (cpu > Duration{}) work = to_text(cpu) + " of work on the CPU";
      if (copies > Duration{}) work += (work.empty() ? "" : " and ") + to_text(copies) + " of copies";
    }
    if (!work.empty()) {
      reason += " + more urgent tasks, which in " + to_text(limit) + " have up to " + work;
    }
    if (task_.event) {
      reason += " + what the engine does: " + std::to_string(own_.operations + 1) + " events, " +
                to_text(own_.submissions) + " of own submissions, and all that comes first";
    }
    if (task_.jitter > Duration{}) reason += " + " + to_text(task_.jitter) + " until it is seen";
    const std::optional<Duration>& bound = answer_.bounds[*answer_.fails];
    if (bound) reason += "; its bound is " + to_text(*bound);
  }

  const System& system_;
  FederatedTest test_;
  const FederatedAnswer& answer_;
  const FederatedTasks& tasks_;
  const FederatedTask& task_;
  OwnWork own_;
  Blocking blocking_;
  Witness witness_;
};

Result judge_given(const System& system, const FederatedTasks& tasks, FederatedTest test) {
  const std::vector<std::int64_t> sms = given_sms(tasks);
  const FederatedAnswer answer = bound_responses(tasks, test, sms);
  Result result = unjudged(system);
  tell_bounds(tasks, answer.bounds, answer.fails, result);
  if (answer.holds()) {
    set_answer(result, Verdict::schedulable, {.reason = "every response time stays within its deadline"});
  } else if (std::optional<Witness> overload = federated_overload(system)) {
    set_answer(result, Verdict::unschedulable, std::move(*overload));
  } else {
    set_answer(result, answer.gave_up ? Verdict::gave_up : Verdict::unproven,
               FailingTask{system, tasks, test, answer, sms[*answer.fails]}.explain());
  }
  return result;
}

Witness no_allocation(const System& system, const FederatedTasks& tasks, const AllocationResult& search) {
  Witness witness;
  const std::string& furthest = system.tasks[tasks.tasks[search.furthest].task].name;
  const std::string sms = std::to_string(std::max<std::int64_t>(tasks.sms, 0)) + " SMs";
  witness.detail = {{"virtual_sms", {}}, {"sms", tasks.sms}, {"task", furthest}};
  if (search.gave_up) {
    const std::string limit = "the search for a division of the " + sms + " computed " +
                              with_thousands(static_cast<std::uint64_t>(search.effort)) + " bounds";
    witness.reason = limit;
    witness.detail.push_back({"limit", limit});
  } else {
    witness.reason = "with no division of the " + sms + " every response time stays within its deadline; '" +
                     furthest + "' is the least urgent task that any came to";
  }
  return witness;
}

Result judge_any_division(const System& system, const FederatedTasks& tasks, FederatedTest test) {
  Result result = unjudged(system);
  const AllocationResult search = search_allocation(tasks, test, tasks.sms);
  if (!search.allocation) {
    if (std::optional<Witness> overload = federated_overload(system)) {
      set_answer(result, Verdict::unschedulable, std::move(*overload));
    } else {
      set_answer(result, search.gave_up ? Verdict::gave_up : Verdict::unproven,
                 no_allocation(system, tasks, search));
    }
    return result;
  }
  const std::vector<Duration>& bounds = search.allocation->bounds;
  tell_bounds(tasks, std::vector<std::optional<Duration>>{bounds.begin(), bounds.end()}, {}, result);
  set_answer(result, Verdict::schedulable,
             {.reason = "every response time stays within its deadline on these SMs"});
  tell_division(system, tasks, search.allocation->sms, result);
  return result;
}

}  // namespace

std::optional<Witness> federated_overload(const System& system) {
  std::map<std::int32_t, std::vector<Ratio>> cores;
  std::vector<Ratio> engine;
  for (const Task& task : system.tasks) {
    if (!repeats(task)) continue;
    for (const Node& node : task.work.nodes) {
      if (const auto* cpu = std::get_if<CpuSegment>(&node.segment)) {
        cores[task.core].push_back({cpu->time.worst.count(), task.period->count()});
      } else if (const auto* copy = std::get_if<CopySegment>(&node.segment)) {
        engine.push_back({copy->time.worst.count(), task.period->count()});
      }
    }
  }
  for (const auto& [core, terms] : cores) {
    if (auto witness = find_overload("core " + std::to_string(core), terms)) return witness;
  }
  return find_overload("the copy engine", engine);
}

void tell_bounds(const FederatedTasks& tasks, std::span<const std::optional<Duration>> bounds,
                 const std::optional<std::size_t>& fails, Result& result) {
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    TaskResult& entry = result.tasks[tasks.tasks[i].task];
    entry.bound = bounds[i];
    entry.ok = !fails || i < *fails;
  }
}

std::string own_terms(Duration cpu, Duration copies, Duration gpu) {
  std::string text;
  const auto add = [&](Duration time, const char* where) {
    if (time > Duration{}) text += (text.empty() ? "" : " + ") + to_text(time) + where;
  };
  add(cpu, " on the CPU");
  add(copies, " of copies");
  add(gpu, " on the GPU");
  return text.empty() ? "no work of its own" : text;
}

void tell_division(const System& system, const FederatedTasks& tasks, std::span<const std::int64_t> sms,
                   Result& result) {
  result.virtual_sms.assign(system.tasks.size(), std::nullopt);
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    if (!tasks.tasks[i].uses_gpu) continue;
    result.virtual_sms[tasks.tasks[i].task] = checked_mul(sms[i], system.platform.gpu.virtual_sms_per_sm);
  }
  Detail division;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (result.virtual_sms[task]) division.push_back({system.tasks[task].name, *result.virtual_sms[task]});
  }
  result.detail.push_back({"virtual_sms", std::move(division)});
}

Result judge_federated(const System& system, FederatedTest test, const System& timed) {
  const FederatedTasks tasks = federated_tasks(timed, StageTable::as_given);
  if (!tasks.why_not.empty()) return does_not_apply(tasks.why_not);
  if (tasks.complete) return judge_given(system, tasks, test);
  return judge_any_division(system, federated_tasks(timed, StageTable::every_number), test);
}

}  // namespace tactus::analysis
