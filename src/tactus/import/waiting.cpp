#include "tactus/import/waiting.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "tactus/base/utf8.hpp"
#include "tactus/import/competitors.hpp"
#include "tactus/import/preemption.hpp"

namespace tactus::import {

namespace {

bool is_worst_to_keep_the_core(std::size_t task, const std::vector<Ranked>& tasks,
                               const std::vector<Job>& jobs, const System& system) {
  const Task& own = *tasks[task].task;
  if (system.policy.cpu->order != Order::fp || !own.deadline || !own.period || *own.deadline > *own.period)
    return false;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!meet(cores_of(tasks[i]), cores_of(tasks[task]))) continue;
    const bool waits = i != task && tasks[i].task->work.nodes.size() > 1;
    if (waits || keeps_a_core(*tasks[i].process, jobs[i])) return false;
  }
  return true;
}

}  // namespace

void note_waiting(const std::vector<Ranked>& tasks, const std::vector<Job>& jobs, const System& system,
                  Notes& notes) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].task->wait != Waiting::busy || !jobs[i].may_give_core) continue;
    const std::string what = fmt::format(
        "{} waits, and not everywhere does the model say that it keeps its core meanwhile "
        "(`waitingBehaviour`): here it does",
        in_backticks(tasks[i].task->name));
    if (is_worst_to_keep_the_core(i, tasks, jobs, system)) {
      notes.assume("waiting", tasks[i].process->element, what + ", which takes all tasks longest",
                   "say `active` or `passive`");
    } else {
      notes.warn("waiting", tasks[i].process->element,
                 what + "; where it gives it away, others of its core may be in its way when it goes on",
                 "say `active` or `passive`");
    }
  }
}

}  // namespace tactus::import
