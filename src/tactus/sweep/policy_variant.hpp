// Another policy for systems that were generated: what an experiment compares on the same systems.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tactus/model/policy.hpp"
#include "tactus/model/system.hpp"

namespace tactus::sweep {

/// What is absent stays as generated.
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

/// All that it changes: "strategy multi-stream, order fp"; empty where it changes nothing.
std::string policy_text(const PolicyVariant& variant);

/// The system with the policy changed and nothing else; what the change leaves open stays open.
System with_policy(System system, const PolicyVariant& variant);

/// A system as analyses judge it.
struct JudgedSystem {
  System system;
  std::string why_not{};    // the policy cannot take it: no analysis applies
  std::string unplanned{};  // no parameters were found with which it holds: all there is to say
};

/// The system under a policy, with reservations and cores planned where `sm-cores` lacks them. Virtual SMs
/// stay open: the analyses of `federated` find them.
JudgedSystem judged_under(const System& system, const PolicyVariant& variant);

}  // namespace tactus::sweep
