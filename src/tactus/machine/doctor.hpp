// Judges the facts about a machine: can it meet real-time requirements, and what can be improved? Pure: the
// same facts give the same findings.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/machine/gpu_facts.hpp"
#include "tactus/machine/machine.hpp"

namespace tactus::machine {

/// From good to bad. `fail`: what was proven cannot be enforced here. `warn`: it works, with delays that are
/// longer or less certain than they could be.
enum class Severity : std::uint8_t { info, pass, warn, fail };

struct Finding {
  std::string id;     // stable, for programs
  std::string title;  // for users
  Severity severity = Severity::info;
  std::string found;
  std::string meaning{};  // its consequence
  std::string to_do{};    // empty if there is nothing to do

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// The device for which the machine is judged. `any`: a GPU is preferred but not required.
enum class Target : std::uint8_t { any, host, cuda };

/// A wake-up lateness with at most this p99 is good.
inline constexpr Duration good_wake_up = std::chrono::microseconds{100};
/// A largest release lateness of at most this is good.
inline constexpr Duration good_release = std::chrono::microseconds{50};
/// A release lateness with a p99 above this is unusable.
inline constexpr Duration useless_release = std::chrono::milliseconds{1};

/// Findings about the processors and the operating system.
std::vector<Finding> check_machine(const MachineFacts& facts);
/// Findings about the GPUs; none for the host.
std::vector<Finding> check_gpus(const GpuFacts& facts, Target target);

/// The worst severity; `pass` when there are no findings.
Severity worst(std::span<const Finding> findings);

std::string_view to_string(Severity severity);

}  // namespace tactus::machine
