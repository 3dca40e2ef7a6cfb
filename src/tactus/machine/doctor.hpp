// Judges the facts about a machine: can it keep real-time promises, and what is to be done where it cannot?
// Pure: the same facts give the same findings.
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
  std::string id;     // stable, for machines
  std::string title;  // for people
  Severity severity = Severity::info;
  std::string found;
  std::string meaning;  // what follows from it
  std::string to_do;    // empty where there is nothing to do

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// For which device the machine is judged. `any`: the host will do, a GPU would be good.
enum class Target : std::uint8_t { any, host, cuda };

/// Wake-ups whose p99 is at most this late are good.
inline constexpr Duration good_wake_up = std::chrono::microseconds{100};
/// Releases that are never later than this are good.
inline constexpr Duration good_release = std::chrono::microseconds{50};
/// Releases whose p99 is later than this are of no use.
inline constexpr Duration useless_release = std::chrono::milliseconds{1};

/// What there is to say about the processors and the operating system.
std::vector<Finding> check_machine(const MachineFacts& facts);
/// What there is to say about the GPU; nothing for the host.
std::vector<Finding> check_gpus(const GpuFacts& facts, Target target);

/// The worst level; `pass` when there is nothing to say.
Severity worst(std::span<const Finding> findings);

std::string_view to_string(Severity severity);

}  // namespace tactus::machine
