// The tasks that run on cores: the window that they need, and the core of each task of `sm: any`.
//
// The core with the largest need decides. One more task on a core never reduces its need, so a partial
// placement that does not fit is abandoned at once.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/plan/server_catalog.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

/// Task sets with at most this many placements are searched exhaustively, for every period.
/// For larger ones so many placements of a task are tried for each period, beginning with first-fit by
/// falling utilisation.
inline constexpr std::int64_t max_placements = 2'000;

struct CoreFit {
  bool fits = false;
  /// Where it fits: enough for the core with the largest need. Else: no placement needs less, neither with
  /// this period nor with a longer one. Duration::max(): no placement ever holds.
  Duration need{};
};

/// The core of each task of `sm: any`.
struct Placement {
  TaskIndex task = 0;
  std::int32_t core = 0;
};

class CoreAssignment {
 public:
  CoreAssignment(ServerCatalog& catalog, const Watch& watch);

  [[nodiscard]] bool has_deadlines() const { return shortest_deadline_ < Duration::max(); }
  [[nodiscard]] bool has_tasks() const { return has_tasks_; }
  [[nodiscard]] Duration shortest_deadline() const { return shortest_deadline_; }
  /// Whether the search over placements is complete.
  [[nodiscard]] bool is_exact() const { return is_exact_; }
  [[nodiscard]] bool has_choice() const { return !movable_.empty(); }

  /// Whether every core holds in a window of `room` every `period`.
  CoreFit fit(Duration period, Duration room);

  /// Whether every core holds with all of the time.
  bool fits_whole();

  /// The core with the largest need when every movable task is put where it increases the need least; null
  /// where nothing has a deadline. For messages.
  ServerBudget* neediest(Duration period);

  /// Of the last call that succeeded.
  [[nodiscard]] const std::vector<Placement>& placement() const { return placement_; }

 private:
  struct Slot {
    std::int32_t core = 0;
    Group tasks;
    bool was_empty = false;  // the file puts no task there: such cores are equivalent
  };

  template <typename Accepts>
  bool place_from(std::size_t next, const Accepts& accepts);
  template <typename Accepts>
  bool place_all(const Accepts& accepts);
  void min_from(std::size_t next, Duration period, Duration sofar, Duration& least);
  template <typename Visit>
  void for_each_slot(TaskIndex task, const Visit& visit);
  [[nodiscard]] Duration min_anyway(Duration period);
  void count_placements();
  void keep_placement();
  [[nodiscard]] bool is_best_effort(TaskIndex task) const;

  ServerCatalog& catalog_;
  const Watch& watch_;
  std::vector<Slot> slots_;
  std::vector<TaskIndex> movable_;  // falling utilisation, best-effort tasks last
  std::vector<Placement> placement_;
  Duration shortest_deadline_ = Duration::max();
  bool has_tasks_ = false;
  bool is_exact_ = true;
  std::int64_t tried_ = 0;
};

}  // namespace tactus::plan
