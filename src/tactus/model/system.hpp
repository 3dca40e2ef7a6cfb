// The description of a system, which all modules share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/model/effect_chain.hpp"
#include "tactus/model/platform.hpp"
#include "tactus/model/policy.hpp"
#include "tactus/model/task.hpp"

namespace tactus {

struct System {
  std::string name;
  Platform platform;
  Policy policy;
  /// federated: virtual SMs of each task, by task index; empty when the file gives none.
  std::vector<std::optional<std::int64_t>> virtual_sms;
  std::vector<Task> tasks;
  std::vector<EffectChain> chains;  // end-to-end requirements

  friend bool operator==(const System&, const System&) = default;
};

/// The virtual SMs of a task, or of one of its nodes; 0 where none are known.
std::int64_t virtual_sms_of(const System& system, TaskIndex task);
std::int64_t virtual_sms_of(const System& system, TaskIndex task, const Node& node);

/// The segments of the job that has most; at least 1.
std::size_t max_segments(const System& system);

/// What one segment of a task takes (a block of a kernel): what is drawn for each job. GPU work of a task
/// that owns SMs counts on its virtual SMs, where they are known.
Interval execution_time(const System& system, TaskIndex task, std::size_t segment);

/// How many SMs GPU work of a task's node has: its core, its own, or all (SmSharing).
std::int64_t sm_count(const System& system, TaskIndex task, const Node& node);

/// Some task has `exclusive` work, whose time is known only for the SMs that it has.
bool has_exclusive_work(const System& system);

/// Whether handling events or making submissions takes time.
bool has_engine_time(const System& system);

/// What the engine needs to submit work of a task to a server.
Duration submission_time(const System& system, TaskIndex task, ServerKind server);
Duration submission_time(const Platform& platform, const Task& task, ServerKind server);

/// Whether each node of a job goes to its server alone, when its predecessors are done. A strategy that takes
/// jobs or nodes gets nodes where some job has CPU work, or copies for which the policy names an order; else
/// it takes jobs whole, copies included.
bool is_by_node(const System& system);

/// The cores that may serve a node, by the policy's scope.
Cores cores_of(const System& system, const Task& task, const Node& node);
Cores cores_of(const System& system, TaskIndex task, const Node& node);

/// How long the GPU serves a task before another's turn comes (StrategyFacts::slices_time).
Duration time_slice_of(const System& system, TaskIndex task);

/// How much earlier than the deadline fair lateness takes a job: (m - 1) / m of its CPU time on m cores,
/// rounded down.
Duration fair_lead(const System& system, TaskIndex task);

/// The windows that the strategy keeps; null where it has none, or they are not known yet.
const Reservations* windows_of(const System& system);

/// The time of one segment alone on the SMs of its task, with all blocks of a kernel.
/// Saturates at the largest duration.
Interval whole_time(const System& system, TaskIndex task, std::size_t segment);

/// Task indices from most to least urgent: the strict order every engine and analysis uses.
/// Larger priority first (a task without one comes after all that have one), then shorter deadline, shorter
/// period, file order; best-effort tasks last.
std::vector<TaskIndex> urgency_order(const System& system);

/// The same order for GPU work, in which `gpu_priority` takes the place of `priority`.
std::vector<TaskIndex> gpu_urgency_order(const System& system);

/// The system with one variant of every part that has several: by task, one number for each of its choices.
System with_variants(const System& system, std::span<const std::vector<std::size_t>> variants);

/// Least common multiple of the periods of all repeating tasks; nothing when there are none or it leaves
/// 64 bits.
std::optional<Duration> hyperperiod(const System& system);

}  // namespace tactus
