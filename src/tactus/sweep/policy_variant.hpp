// Another policy for generated systems, so that an experiment can compare policies on the same systems.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tactus/model/policy.hpp"
#include "tactus/model/system.hpp"

namespace tactus::sweep {

/// Absent values stay as generated.
struct PolicyVariant {
  std::string name;
  std::optional<StrategyRef> strategy{};
  std::optional<Order> order{};
  std::optional<std::int32_t> levels{};
  std::optional<Refill> refill{};
  std::optional<std::int32_t> sm_group{};
  std::optional<Reservations> reservations{};
  friend bool operator==(const PolicyVariant&, const PolicyVariant&) = default;
};

/// Its changes as text: "strategy multi-stream, order fp"; empty where it changes nothing.
std::string policy_text(const PolicyVariant& variant);

/// The system with only the policy changed; missing parameters stay missing.
System with_policy(System system, const PolicyVariant& variant);

/// A system as the analyses get it.
struct JudgedSystem {
  System system;
  std::string why_not{};    // the policy does not suit the system: no analysis applies
  std::string unplanned{};  // no parameters were found with which it holds; this is the reason
};

/// The system under a policy, with reservations and cores planned where `sm-cores` lacks them. Virtual SMs
/// stay missing: the analyses of `federated` search them.
JudgedSystem judged_under(const System& system, const PolicyVariant& variant);

}  // namespace tactus::sweep
