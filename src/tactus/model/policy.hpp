// How tasks share the machine: the GPU, the CPU cores and the copy engines.
#pragma once

#include <cstdint>
#include <optional>

#include "tactus/base/time.hpp"
#include "tactus/model/strategy.hpp"

namespace tactus {

enum class Refill : std::uint8_t { lazy, immediate };

enum class ClusterMode : std::uint8_t { global, per_cluster };

/// Which cores may serve CPU work: that of the task alone, all of them, or those of its core's cluster.
enum class CpuScope : std::uint8_t { partitioned, global, clustered };

/// How CPU cores serve.
struct CpuPolicy {
  Order order = Order::fp;
  CpuScope scope = CpuScope::partitioned;
  bool preemptive = true;
  friend bool operator==(const CpuPolicy&, const CpuPolicy&) = default;
};

/// What a file says of it. Without an order it is that of the policy, whatever that becomes.
struct CpuChoice {
  std::optional<Order> order{};
  CpuScope scope = CpuScope::partitioned;
  bool preemptive = true;
  friend bool operator==(const CpuChoice&, const CpuChoice&) = default;
};

/// The order in which copies get a copy engine.
enum class CopyOrder : std::uint8_t { fp, edf, fifo };

/// A window of every reservation period.
struct Window {
  Duration offset{};
  Duration budget{};
  friend bool operator==(const Window&, const Window&) = default;
};

/// `sm-cores`: when partitioned tasks run, and when gang tasks do.
struct Reservations {
  Duration period{};
  std::optional<Window> local;
  std::optional<Window> all;
  friend bool operator==(const Reservations&, const Reservations&) = default;
};

/// Keys that a file leaves out and `plan` may choose. Only where nodes are timed
/// (StrategyFacts::times_nodes); the policy has their defaults meanwhile.
struct OpenKeys {
  bool order = false;
  bool clusters = false;
  bool parallel_jobs = false;
  friend bool operator==(const OpenKeys&, const OpenKeys&) = default;
};

/// Parameters of strategies other than the chosen one may be present; they are valid and have no effect.
struct Policy {
  StrategyRef strategy;
  Order order = Order::edf;
  std::int32_t levels = 2;
  Refill refill = Refill::lazy;
  std::int32_t sm_group = 1;
  Duration time_slice = std::chrono::milliseconds{2};  // of tasks that have none of their own
  std::optional<Reservations> reservations;
  std::optional<CpuChoice> cpu{};     // as the file says; see `cpu_policy`
  std::optional<CopyOrder> copies{};  // likewise; see `copy_order`
  ClusterMode clusters = ClusterMode::global;
  bool early_release = true;
  bool parallel_jobs = true;
  OpenKeys open{};
  friend bool operator==(const Policy&, const Policy&) = default;
};

/// How the cores serve, also where the file does not say: preemptively, each its own tasks, in the order of
/// the policy, or by fixed priority under a strategy that has none.
CpuPolicy cpu_policy(const Policy& policy);

/// The same for copies; under a strategy without an order they are served as they come.
CopyOrder copy_order(const Policy& policy);

}  // namespace tactus
