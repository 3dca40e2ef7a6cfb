// The software of a model: tasks and runnables, and what they do, whatever version spelt it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/import/distribution.hpp"
#include "tactus/import/finding.hpp"

namespace tactus::import {

enum class StepKind : std::uint8_t {
  ticks,
  access,
  call,
  trigger,
  wait,
  set_event,
  clear_event,
  choice,
  loop
};

/// Ticks by definition of a processing unit; the definition is null for the default.
struct Ticks {
  std::vector<std::pair<const Element*, Distribution>> by_definition;
  bool are_instructions = false;  // cycles are these divided by the unit's instructions per cycle
};

/// How often something happens in its place.
struct Often {
  std::int64_t least = 1;
  Rational average{1};
  std::int64_t most = 1;

  friend bool operator==(const Often&, const Often&) = default;
};

/// One thing that an activity does.
struct Step {
  StepKind kind = StepKind::ticks;
  const Element* element = nullptr;
  Ticks ticks{};
  const Element* target = nullptr;  // the label, runnable or stimulus
  bool reads = false;               // of an access
  bool writes = false;
  std::optional<Often> often{};        // an access, or the body of a loop; nothing: not known
  std::int64_t every = 1;              // of a call or trigger with a counter: only every n-th time
  std::vector<const Element*> events;  // of a wait, set_event or clear_event
  bool may_keep_core = false;          // of a wait: it is active, or the model does not say
  bool may_give_core = false;          // it is passive, or the model does not say
  bool needs_all = false;              // a wait for all of its events, or that does not say so
  bool needs_one = false;              // a wait for one of its events, or that does not say so
  bool is_conditional = false;         // it stood in a choice, loop or call with a counter
  std::size_t way_begin = 0;           // then the way around it, among the steps of a flattened activity
  std::size_t way_end = 0;
  std::vector<std::vector<Step>> ways;  // of a choice; of a loop its body
  std::vector<Rational> probabilities;  // of the ways, where they are known
};

using Activity = std::vector<Step>;
using Steps = std::span<const Step>;

/// All steps, with those of choices and loops.
template <typename Act>
void for_each_step(Steps steps, const Act& act) {
  for (const Step& step : steps) {
    act(step);
    for (const Activity& way : step.ways) for_each_step(way, act);
  }
}

/// Of a loop; where the model does not say, `loops` do.
std::optional<Often> runs_of(const Step& loop, const std::optional<std::int64_t>& loops);

/// Of a flattened activity: whether a job that does the step `given` also does this one.
bool is_sure(const Step& step, std::size_t given);

/// Whether the step is work, and not only something for other tasks.
bool takes_time(const Step& step);

/// What custom properties say of a kernel.
struct Grid {
  std::optional<std::int64_t> blocks;
  std::optional<std::int64_t> threads;
  std::optional<std::int64_t> shared_memory;
  std::optional<std::int64_t> registers;  // a thread
  std::optional<std::string> stream;
  std::optional<std::int64_t> stream_priority;
};

struct Runnable {
  std::string name;
  const Element* element = nullptr;
  Activity activity;
  Grid grid{};

  // Of its own steps, or those of a runnable that it calls:
  bool has_uninterruptible = false;  // a group of steps
  bool has_ticks = false;
  bool acts = false;    // it triggers something or waits, or calls a kernel with a grid
  bool is_cut = false;  // calls that do not end, or go too deep, are left out
};

struct Process {
  std::string name;
  const Element* element = nullptr;
  std::vector<const Element*> stimuli;
  Activity activity;
  Grid grid{};
  bool is_interrupt = false;
  bool has_uninterruptible = false;  // a group of steps, its own or of a runnable that it calls
};

struct Software {
  const Element* timed = nullptr;  // the first access by logical execution time
  std::vector<Process> tasks;      // and interrupts behind them
  std::vector<Runnable> runnables;

  /// By element, as an index.
  std::unordered_map<const Element*, std::size_t> runnable_of;
  /// Runnables as indexes, those that are called before those that call them.
  std::vector<std::size_t> callees_first;

  /// The runnable that a step calls; null where it calls none.
  [[nodiscard]] const Runnable* called_in(const Step& step) const;
  /// Whether a step has ticks, or calls a runnable that has some.
  [[nodiscard]] bool has_ticks(const Step& step) const;
  /// Whether a step triggers something or waits, or calls a kernel with a grid, or a runnable that does.
  [[nodiscard]] bool acts(const Step& step) const;
};

Software read_software(Notes& notes);

/// The size of a label in bytes.
Rational label_size(const Element& label);

}  // namespace tactus::import
