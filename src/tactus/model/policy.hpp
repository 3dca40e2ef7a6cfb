// How tasks share the GPU.
#pragma once

#include <cstdint>
#include <optional>

#include "tactus/base/time.hpp"
#include "tactus/model/strategy.hpp"

namespace tactus {

enum class Refill : std::uint8_t { lazy, immediate };

enum class ClusterMode : std::uint8_t { global, per_cluster };

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

/// Parameters of strategies other than the chosen one may be present; they are valid and have no effect.
struct Policy {
  StrategyRef strategy;
  Order order = Order::edf;
  std::int32_t levels = 2;
  Refill refill = Refill::lazy;
  std::int32_t sm_group = 1;
  std::optional<Reservations> reservations;
  ClusterMode clusters = ClusterMode::global;
  bool early_release = true;
  bool parallel_jobs = true;
  friend bool operator==(const Policy&, const Policy&) = default;
};

}  // namespace tactus
