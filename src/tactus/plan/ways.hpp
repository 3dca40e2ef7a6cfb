// The same tasks under other strategies and orders, with open parameters planned and every answer checked.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/watch.hpp"
#include "tactus/model/system.hpp"
#include "tactus/plan/plan.hpp"

namespace tactus::plan {

/// A strategy and an order: one way to share the GPU.
struct Way {
  StrategyRef strategy;
  Order order = Order::edf;
  friend bool operator==(const Way&, const Way&) = default;
};

/// Every strategy with every order that it takes; once where the order makes no difference.
std::vector<Way> all_ways();

/// Whether an order makes a difference there.
bool has_order(const Way& way);

/// The words of system files; the order is a dash where it makes no difference.
std::string_view strategy_word(const Way& way);
std::string_view order_word(const Way& way);

/// Whether it is the way of the system's file.
bool is_own(const System& system, const Way& way);

/// A variant of a way. `any_core`: under `sm-cores` every task may be on any core, instead of
/// on all SMs as the file says or implies.
struct Candidate {
  System system;
  bool any_core = false;
};

/// The system under this way, or why it has no meaning there. Parameters that its file gives for the
/// way are kept. `exclusive` work was measured on its present SMs, so it is never put on fewer.
struct Candidates {
  std::vector<Candidate> all;
  std::string why_not;
};
Candidates candidates(const System& system, const Way& way);

/// The result of one way.
struct Trial {
  Way way;
  bool own = false;
  /// Schedulable only where a sound analysis accepts the complete system.
  analysis::Verdict verdict = analysis::Verdict::unproven;
  bool applies = false;   // whether any analysis applies
  bool complete = false;  // whether `plan.planned` is a complete system: one that can be simulated
  bool any_core = false;
  bool changed = false;                       // whether parameters had to be chosen
  bool stopped = false;                       // the search was stopped before it had an answer
  std::string why_not;                        // where it does not hold
  Plan plan;                                  // `planned` is set where `complete`
  std::vector<analysis::ProvenBound> bounds;  // of a complete system, by task

  [[nodiscard]] bool holds() const { return verdict == analysis::Verdict::schedulable; }
};

Trial try_way(const System& system, const Way& way, const Watch& watch);

/// The plan of the first way that holds: that of the file, then all others. Where none does, why each does
/// not. `time_limit`: for by how much deadlines can shrink.
Plan plan_any_way(const System& system, const Watch& watch,
                  const std::optional<std::chrono::nanoseconds>& time_limit = {});

}  // namespace tactus::plan
