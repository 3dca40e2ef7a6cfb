// Which systems an analysis is about: what the adversary attacks it with.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tactus/model/policy.hpp"

namespace tactus::falsify {

/// In which systems of a family the engine needs time.
enum class EngineNeeds : std::uint8_t { no_time, time_in_some, time_in_all };

/// The kind of systems an analysis is about.
struct Family {
  std::string_view strategy = "single-stream";
  Order order = Order::edf;
  Refill refill = Refill::lazy;
  bool sporadic = true;     // else periodic, with the offsets of the file
  bool offsets = true;      // periodic: may start at other times than 0
  bool ideal = false;       // all work is preemptible anywhere
  bool harmonic = false;    // task periods divide the reservation period or are multiples of it
  bool overheads = true;    // the machine's delays and jitter occur
  bool dispatch = true;     // with overheads: some work waits on its SMs, or has a launcher
  bool kernels = true;      // some tasks are kernels
  bool best_effort = true;  // some tasks are best-effort
  bool mixed = true;        // some tasks are periodic among sporadic ones, some jobs are chains with copies
  bool distinct_deadlines = false;
  EngineNeeds engine = EngineNeeds::no_time;
  bool by_node = false;  // chains and graphs under every strategy; `order` fp: no server serves by deadlines
};

/// The family of an analysis that Tactus ships, by its id; nothing for one it does not know. An
/// `-as-published` form has the family of the model it was published for.
std::optional<Family> family_of(std::string_view id);

/// Those systems of a family for which an exact test is exact: no delays, distinct deadlines, sporadic.
Family exact_part(Family family);

/// Whether an analysis accepts the system (`accepted`), or says that it cannot hold (`rejected`).
enum class Wanted : std::uint8_t { accepted, rejected };

}  // namespace tactus::falsify
