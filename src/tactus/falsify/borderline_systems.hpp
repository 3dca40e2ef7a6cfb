// Systems to attack an analysis with: small numbers, near the edge of what the analysis accepts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "tactus/analysis/analysis.hpp"
#include "tactus/falsify/dice.hpp"
#include "tactus/model/system.hpp"

namespace tactus::falsify {

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
  bool kernels = true;      // some tasks are kernels
  bool best_effort = true;  // some tasks are best-effort
  bool mixed = true;        // some tasks are periodic among sporadic ones, some jobs are chains with copies
  bool distinct_deadlines = false;
};

/// The family of an analysis that Tactus ships, by its id; nothing for one it does not know. An
/// `-as-published` form has the family of the model it was published for.
std::optional<Family> family_of(std::string_view id);

/// Those systems of a family for which an exact test is exact: no delays, distinct deadlines, sporadic.
Family exact_part(Family family);

/// A random system of a family; valid and complete.
System random_system(const Family& family, Dice& dice);

/// Changes one number by one step, up or down; false when nothing was changed. `harder` is a guess.
bool change_a_number(System& system, const Family& family, Dice& dice, bool harder);

/// Whether an analysis accepts the system (`accepted`), or says that it cannot hold (`rejected`).
enum class Wanted : std::uint8_t { accepted, rejected };

/// A system near the edge: a random one, made harder step by step while it is still accepted (or easier
/// while still rejected). Nothing when the random one was of the other kind and a few steps did not change
/// that.
std::optional<System> borderline_system(const analysis::Analysis& analysis, const Family& family,
                                        Wanted wanted, Dice& dice);

}  // namespace tactus::falsify
