// What one job of a task consists of, with the work that it offloads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tactus/import/execution_time.hpp"
#include "tactus/import/offload.hpp"
#include "tactus/import/placement.hpp"

namespace tactus::import {

enum class PartKind : std::uint8_t { cpu, copy, gpu };

struct Part {
  PartKind kind = PartKind::cpu;
  Span time;
  const ProcessingUnit* unit = nullptr;
  Grid grid{};                    // of GPU work
  bool to_device = false;         // of a copy
  bool may_take_less = false;     // than its best time, down to nothing
  std::vector<std::string> from;  // runnables it consists of
  /// Of CPU work that may be done by several cores: its times there. Empty: `unit` alone.
  std::map<const ProcessingUnit*, Span> by_unit{};
};

/// A task with the tasks that it waits for.
struct Job {
  std::vector<Part> parts;
  bool is_busy = false;                      // it waits actively, or may do so
  bool may_give_core = false;                // it waits passively, or may do so
  bool leaves_work = false;                  // it may end before all is done
  std::vector<const Process*> offloaded;     // tasks whose work it contains
  const TaskAllocationFacts* gpu = nullptr;  // of the first of these on a GPU, or of the task itself
};

class JobMaker {
 public:
  JobMaker(const Model& model, const Options& options, const std::map<const Process*, Placement>& placements,
           TimeTable& times, Notes& notes);

  /// The job of a task on this unit (a core, or a GPU).
  Job make(const Process& task, const ProcessingUnit& unit);

  /// Whether all work of the task has ticks for this core, without what others do for it.
  bool can_run(const Process& task, const ProcessingUnit& unit);

  /// Of the units that may run the task those for which it has ticks, and cores alone where there are some.
  /// All where nothing is left: what is missing is a problem then.
  std::vector<const ProcessingUnit*> usable_units(const Process& task);

  /// Whether another task waits for this one, so that it is part of that one's jobs.
  [[nodiscard]] bool is_offloaded(const Process& task) const { return offloads_.is_offloaded(task); }

  /// The same job with the offloaded work on the task's own core: without copies and without waiting. Nothing
  /// where some of it has no ticks for the core, or nothing is offloaded. `alone`: of what prepares and ends
  /// the offloaded work only the accesses to labels are left.
  std::optional<Part> on_core(const Process& task, const ProcessingUnit& unit, bool alone);

 private:
  void add_cpu(const Step& step, const Process& task, const ProcessingUnit& unit, Job& job);
  void add_gpu(const Process& task, const ProcessingUnit& unit, Job& job);
  void add_offloaded(const Process& task, const Process& user, const ProcessingUnit& caller, Job& job);
  void add_work_for_others(const Process& task, const Process& user, const ProcessingUnit& unit, Job& job);
  const ProcessingUnit& unit_of(const Process& task, const ProcessingUnit& caller);
  void note_priorities(const Process& task, const Process& user);
  static void need_core(Job& job, const ProcessingUnit& unit);
  void note_outstanding(const Process& task, const Step& trigger);
  void note_wait(const Process& task, const Step& wait);

  const Software* software_;
  const Options* options_;
  const std::map<const Process*, Placement>* placements_;
  TimeTable* times_;
  Notes* notes_;
  Offloads offloads_;
  std::set<const Process*> inside_;
  std::size_t made_ = 0;
};

}  // namespace tactus::import
