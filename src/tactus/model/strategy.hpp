// The properties of a strategy that other modules depend on: how it shares the GPU.
//
// Each strategy provides one such value, in its own file under sched/. Code that depends on what a
// strategy does reads the value; only code about one strategy (such as its analyses) compares the name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

struct Violation;
struct System;

enum class Order : std::uint8_t { edf, fp, fair_lateness };

/// Which SMs the GPU work of a task has.
enum class SmSharing : std::uint8_t {
  all,    // all of them, beside the other tasks
  cores,  // a core of some SMs, or all, in windows (`sm`, `sm_group`, `reservations`)
  owned,  // its own, which nobody else uses (`virtual_sms`)
};

/// Whether the GPU serves one job at a time without preemption, and in which order.
enum class OneServer : std::uint8_t {
  no,
  by_urgency,  // the most urgent of those that wait, in the order that the policy names
  first_come,  // in the order of release, ties in file order
};

/// What a strategy is handed: whole jobs, GPU nodes alone (CPU work and copies then have policies of their
/// own), or one of the two, as the system needs it (is_by_node).
enum class Handed : std::uint8_t { jobs, nodes, jobs_or_nodes };

struct StrategyFacts {
  std::string_view name;
  std::span<const Order> orders;  // that it takes; the first where a file says none
  bool has_order = true;          // whether the order makes any difference
  SmSharing sms = SmSharing::all;
  bool has_levels = false;        // `levels` and `refill`: more urgent jobs take the GPU over
  bool slices_time = false;       // `time_slice`: tasks have the GPU in turns
  bool streams_of_tasks = false;  // `stream`: jobs wait on the device, in the streams that tasks choose
  bool one_by_one = false;        // a segment is submitted when the one before it is done
  Handed handed = Handed::jobs;
  bool one_copy_engine = false;  // by node: copies take one engine, however many there are
  /// By node: nodes have releases and priority points of their own, and jobs of a task may overlap
  /// (`clusters`, `early_release`, `parallel_jobs`).
  bool times_nodes = false;
  /// What people call the streams that outlive jobs; null: there are none, or they have no names. Those of
  /// tasks have names.
  std::vector<std::string> (*stream_names)(const System& system) = nullptr;
  /// Whether every job is one segment that has the whole GPU alone from its start to its end; null: never.
  OneServer (*one_server)(const System& system) = nullptr;
  /// The parameters that it needs, a valid file may lack and `plan` finds; null: none.
  std::vector<Violation> (*missing)(const System& system) = nullptr;
};

/// The strategy that a policy names.
class StrategyRef {
 public:
  StrategyRef();  // where a file names none
  explicit StrategyRef(const StrategyFacts& facts) : facts_{&facts} {}

  const StrategyFacts* operator->() const { return facts_; }
  const StrategyFacts& operator*() const { return *facts_; }
  friend bool operator==(StrategyRef a, StrategyRef b) { return a.facts_ == b.facts_; }

 private:
  const StrategyFacts* facts_;
};

/// All strategies that files may name; the first is the default.
std::vector<StrategyRef> known_strategies();

/// The one of a name; InputError when there is none.
StrategyRef strategy_named(std::string_view name);

}  // namespace tactus
