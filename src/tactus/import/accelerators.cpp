#include "tactus/import/accelerators.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/quantity.hpp"

namespace tactus::import {

namespace {

/// Who has work there, and the longest piece of it.
struct Users {
  std::size_t count = 0;
  std::string longest_of;
  Rational longest;
};

Users users_of(const ProcessingUnit& unit, const std::vector<Job>& jobs, const std::vector<Task>& tasks) {
  Users users;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    bool is_user = false;
    for (const Part& part : jobs[i].parts) {
      if (part.unit != &unit) continue;
      is_user = true;
      if (part.time.worst <= users.longest) continue;
      users.longest = part.time.worst;
      users.longest_of = tasks[i].name;
    }
    if (is_user) ++users.count;
  }
  return users;
}

}  // namespace

void note_accelerators(const CoreUnits& cores, const std::vector<Job>& jobs, const std::vector<Task>& tasks,
                       Notes& notes) {
  for (const ProcessingUnit* unit : cores.units) {
    if (unit->kind != UnitKind::accelerator) continue;
    const Users users = users_of(*unit, jobs, tasks);
    if (users.count == 0) continue;
    notes.assume("accelerator", unit->element,
                 fmt::format("accelerator {} is core {} of the system, for its own work alone",
                             in_backticks(unit->name), cores.number_of(unit)),
                 "keep `core` of other tasks away from it");
    if (users.count < 2) continue;
    notes.warn(
        "accelerator", unit->element,
        fmt::format("{} tasks use accelerator {}: its work is taken as preemptible, by the priorities "
                    "of the tasks that wait for it; if it is not, urgent work waits up to {} more, the "
                    "longest work there (of {})",
                    users.count, in_backticks(unit->name), to_text(rounded_up(users.longest)),
                    in_backticks(users.longest_of)),
        "add that time to the work of the more urgent tasks there");
  }
}

}  // namespace tactus::import
