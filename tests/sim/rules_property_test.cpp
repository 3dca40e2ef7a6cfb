// What every schedule must keep, read off the simulator's trace alone: no SM and no copy engine is ever
// overbooked, queues are FIFO, streams run in order, nothing waits that could run.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "support/recording.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {
namespace {

/// A copy, kernel or piece of exclusive work that finished, as the trace shows it.
struct Ran {
  trace::OperationFinished event;
  std::int32_t priority = 0;  // smaller = more urgent
  bool copy = false;
  bool exclusive = false;
  bool stoppable = false;
  BlockDemand demand;
  std::int64_t blocks = 0;                      // kernel
  Time joined{};                                // its EE queue, or the copy queue
  std::vector<const trace::BlockRan*> parts{};  // in order of start

  [[nodiscard]] Time last_start() const { return parts.empty() ? event.start : parts.back()->start; }
};

struct Schedule {
  System system;
  Recording recording;
  std::vector<Ran> ran;
  /// Of what was called before this instant the order in the queues is known.
  Time order_known_until = never;
  /// All that was called before this instant has finished.
  Time ends_known_until = never;
};

Recording record(const Scenario& scenario) {
  Recorder recorder{Recorder::Blocks::wanted};
  const std::array<trace::Observer*, 1> observers{&recorder};
  sim::simulate(scenario.system, scenario.options, observers);
  return std::move(recorder.recording);
}

const Segment& segment_of(const System& system, trace::JobName job, std::uint32_t segment) {
  return system.tasks[job.task].work.nodes[segment].segment;
}

Ran describe_operation(const System& system, const trace::OperationFinished& event) {
  Ran ran;
  ran.event = event;
  const Task& task = system.tasks[event.job.task];
  ran.priority = task.stream_priority;
  const Segment& segment = segment_of(system, event.job, event.segment);
  ran.copy = std::holds_alternative<CopySegment>(segment);
  ran.exclusive = std::holds_alternative<ExclusiveSegment>(segment);
  ran.stoppable = ran.exclusive && task.longest_block == Duration{};
  if (const auto* kernel = std::get_if<KernelSegment>(&segment)) {
    ran.demand = block_demand(*kernel, system.platform.gpu);
    ran.blocks = kernel->blocks();
  }
  return ran;
}

/// A stream: a name, or a job.
auto stream_key(const trace::OperationFinished& event) {
  return std::tuple{event.stream, event.stream >= 0 ? trace::JobName{} : event.job};
}

Schedule make_schedule(const Scenario& scenario) {
  Schedule schedule;
  schedule.system = scenario.system;
  schedule.recording = record(scenario);
  sort_events(schedule.recording);
  const Recording& recording = schedule.recording;
  for (const trace::JobEnded& end : recording.ends) {
    if (end.completion == never) {
      schedule.ends_known_until = std::min(schedule.ends_known_until, end.release);
    }
  }

  std::vector<trace::OperationFinished> operations = recording.operations;
  const auto order = [&](const trace::OperationFinished& e) {
    const std::vector<std::size_t> nodes = topological_order(schedule.system.tasks[e.job.task].work);
    return std::tuple{stream_key(e), e.start,
                      e.end,         e.called,
                      e.job,         std::find(nodes.begin(), nodes.end(), e.segment) - nodes.begin()};
  };
  std::sort(operations.begin(), operations.end(),
            [&](const auto& a, const auto& b) { return order(a) < order(b); });
  std::map<std::tuple<trace::JobName, std::uint32_t>, std::size_t> place;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    Ran ran = describe_operation(schedule.system, operations[i]);
    ran.joined = ran.event.called;  // G2, C2: or when the one before it in its stream has finished
    if (i > 0 && stream_key(operations[i - 1]) == stream_key(operations[i])) {
      const trace::OperationFinished& before = operations[i - 1];
      ran.joined = std::max(ran.joined, before.end);
      // The trace does not tell which of two jobs came first in a stream if neither took any time.
      if (before.job != ran.event.job && before.start == ran.event.end && before.called == ran.event.called) {
        schedule.order_known_until = std::min(schedule.order_known_until, ran.event.called);
      }
    }
    place[{ran.event.job, ran.event.segment}] = schedule.ran.size();
    schedule.ran.push_back(std::move(ran));
  }
  for (const trace::BlockRan& block : recording.blocks) {
    const auto found = place.find({block.job, block.segment});
    if (found != place.end()) schedule.ran[found->second].parts.push_back(&block);
  }
  return schedule;
}

std::string name(const Ran& ran) {
  return "task " + std::to_string(ran.event.job.task) + " job " + std::to_string(ran.event.job.number) +
         " segment " + std::to_string(ran.event.segment);
}

std::string instant(Time t) { return std::to_string(in_ns(t)); }

/// What is in use on one SM.
struct Use {
  std::int64_t threads = 0;
  std::int64_t slots = 0;
  std::int64_t shared_memory = 0;
  std::int64_t registers = 0;
  std::int64_t slices = 0;

  void add(const System& system, const trace::BlockRan& block, std::int64_t sign) {
    const Segment& segment = segment_of(system, block.job, block.segment);
    if (const auto* kernel = std::get_if<KernelSegment>(&segment)) {
      const BlockDemand demand = block_demand(*kernel, system.platform.gpu);
      threads += sign * demand.threads;
      slots += sign;
      shared_memory += sign * demand.shared_memory;
      registers += sign * demand.registers;
    } else {
      slices += sign;
    }
  }

  [[nodiscard]] bool within(const Gpu& gpu) const {
    if (slices > 0) return slices == 1 && slots == 0;
    return threads <= gpu.threads_per_sm && slots <= gpu.blocks_per_sm &&
           shared_memory <= gpu.shared_memory_per_sm && registers <= gpu.registers_per_sm;
  }

  [[nodiscard]] bool has_room(const Gpu& gpu, const BlockDemand& demand) const {
    return slices == 0 && threads + demand.threads <= gpu.threads_per_sm && slots + 1 <= gpu.blocks_per_sm &&
           shared_memory + demand.shared_memory <= gpu.shared_memory_per_sm &&
           registers + demand.registers <= gpu.registers_per_sm;
  }

  [[nodiscard]] bool idle() const { return slices == 0 && slots == 0; }
};

/// Walks through the instants of a schedule. What lasts no time takes nothing from the time around it.
class Walk {
 public:
  explicit Walk(const Schedule& schedule)
      : schedule_{schedule}, use_(static_cast<std::size_t>(schedule.system.platform.gpu.sms)) {
    for (const trace::BlockRan& block : schedule.recording.blocks) {
      if (block.start == block.end) continue;
      changes_.emplace_back(block.end, false, &block);  // ends come before starts
      changes_.emplace_back(block.start, true, &block);
    }
    std::sort(changes_.begin(), changes_.end());
  }

  /// All that ended or started at or before t is in `use` afterwards.
  void advance(Time t) {
    for (; next_ < changes_.size() && std::get<0>(changes_[next_]) <= t; ++next_) {
      const auto& [when, starts, block] = changes_[next_];
      use_[static_cast<std::size_t>(block->sm)].add(schedule_.system, *block, starts ? 1 : -1);
    }
  }

  [[nodiscard]] const std::vector<Use>& use() const { return use_; }

 private:
  const Schedule& schedule_;
  std::vector<std::tuple<Time, bool, const trace::BlockRan*>> changes_;
  std::size_t next_ = 0;
  std::vector<Use> use_;
};

std::set<Time> instants(const Schedule& schedule) {
  std::set<Time> result;
  for (const trace::BlockRan& block : schedule.recording.blocks) result.insert({block.start, block.end});
  for (const Ran& ran : schedule.ran) result.insert({ran.joined, ran.event.start, ran.event.end});
  return result;
}

// --- The rules
// ---------------------------------------------------------------------------------------------- Each answers
// what it found wrong, or nothing.

using Fault = std::optional<std::string>;

/// R1-R3: no SM ever holds more than it has; exclusive work is alone.
Fault overbooked_sm(const Schedule& schedule) {
  const Gpu& gpu = schedule.system.platform.gpu;
  Walk walk{schedule};
  for (const Time t : instants(schedule)) {
    walk.advance(t);
    for (std::size_t sm = 0; sm < walk.use().size(); ++sm) {
      if (!walk.use()[sm].within(gpu)) return "SM " + std::to_string(sm) + " is overbooked at " + instant(t);
    }
  }
  return std::nullopt;
}

/// Every block of a finished kernel ran exactly once, all for the same time; slices follow each other and
/// occupy all SMs.
Fault wrong_parts(const Schedule& schedule) {
  const auto sms = static_cast<std::size_t>(schedule.system.platform.gpu.sms);
  for (const Ran& ran : schedule.ran) {
    if (ran.copy) {
      if (!ran.parts.empty()) return name(ran) + " is a copy but has blocks";
      continue;
    }
    if (ran.parts.empty()) return name(ran) + " finished without a block";
    if (ran.event.start != ran.parts.front()->start) return name(ran) + " starts without a block";
    Time end{};
    std::vector<std::int64_t> indices;
    for (const trace::BlockRan* part : ran.parts) {
      end = std::max(end, part->end);
      indices.push_back(part->block);
      const trace::BlockRan& first = *ran.parts.front();
      if (!ran.exclusive && part->end - part->start != first.end - first.start) {
        return name(ran) + " has blocks of different lengths";
      }
    }
    if (ran.event.end != end) return name(ran) + " ends without a block";
    std::sort(indices.begin(), indices.end());
    const std::size_t each = ran.exclusive ? sms : 1;  // events a block or slice
    if (indices.size() % each != 0) return name(ran) + " has slices that do not take all SMs";
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] != static_cast<std::int64_t>(i / each)) return name(ran) + " misses a block";
    }
    if (!ran.exclusive && static_cast<std::int64_t>(indices.size()) != ran.blocks) {
      return name(ran) + " has a wrong number of blocks";
    }
  }
  return std::nullopt;
}

/// A job starts with its first block, slice or copy.
Fault wrong_start(const Schedule& schedule) {
  std::map<trace::JobName, Time> first;
  const auto note = [&](const auto& event) {
    Time& earliest = first.try_emplace(event.job, never).first->second;
    earliest = std::min(earliest, event.start);
  };
  for (const trace::BlockRan& block : schedule.recording.blocks) note(block);
  for (const trace::CopyRan& copy : schedule.recording.copies) note(copy);
  for (const trace::JobEnded& end : schedule.recording.ends) {
    // The slice that the horizon cut off leaves no event if it could have been stopped at any time.
    const bool stoppable = schedule.system.tasks[end.job.task].longest_block == Duration{};
    if (end.completion == never && stoppable) continue;
    if (end.start != first.try_emplace(end.job, never).first->second) {
      return "task " + std::to_string(end.job.task) + " job " + std::to_string(end.job.number) +
             " starts without a block or copy";
    }
  }
  return std::nullopt;
}

/// C3: one copy at a time on each engine.
Fault overbooked_copy_engine(const Schedule& schedule) {
  std::vector<trace::CopyRan> copies = schedule.recording.copies;
  std::sort(copies.begin(), copies.end(), [](const auto& a, const auto& b) {
    return std::tuple{a.start, a.end} < std::tuple{b.start, b.end};
  });
  std::map<std::int32_t, Time> busy_until;
  for (const trace::CopyRan& copy : copies) {
    if (copy.engine < 0 || copy.engine >= schedule.system.platform.gpu.copy_engines) {
      return "there is no copy engine " + std::to_string(copy.engine);
    }
    Time& until = busy_until[copy.engine];
    if (copy.start < until) {
      return "copy engine " + std::to_string(copy.engine) + " is overbooked at " + instant(copy.start);
    }
    until = std::max(until, copy.end);
  }
  return std::nullopt;
}

/// G1-G4, C1-C4: a stream runs what was called in the order of its calls, one after the other.
Fault stream_out_of_order(const Schedule& schedule) {
  std::map<trace::JobName, std::vector<std::size_t>> order;
  for (std::size_t i = 0; i < schedule.ran.size(); ++i) {
    const Ran& ran = schedule.ran[i];
    if (ran.event.start < ran.joined) return name(ran) + " starts before it is at the head of its stream";
    if (ran.event.end < ran.event.start) return name(ran) + " ends before it starts";
    order[ran.event.job].push_back(i);
    if (i == 0 || stream_key(schedule.ran[i - 1].event) != stream_key(ran.event)) continue;
    if (ran.event.called < schedule.ran[i - 1].event.called &&
        ran.event.start > schedule.ran[i - 1].event.end) {
      return name(ran) + " overtakes in its stream";
    }
  }
  // The segments of one job come in topological order.
  for (const auto& [job, places] : order) {
    const Work& work = schedule.system.tasks[job.task].work;
    std::vector<std::size_t> position(work.nodes.size());
    const std::vector<std::size_t> nodes = topological_order(work);
    for (std::size_t i = 0; i < nodes.size(); ++i) position[nodes[i]] = i;
    std::vector<std::size_t> sorted = places;
    std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
      return position[schedule.ran[a].event.segment] < position[schedule.ran[b].event.segment];
    });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (schedule.ran[sorted[i]].event.start < schedule.ran[sorted[i - 1]].event.end) {
        return name(schedule.ran[sorted[i]]) + " does not wait for the segment before it";
      }
    }
  }
  return std::nullopt;
}

/// X1, G3, C3: within a queue nothing starts before the last part of everything that joined earlier has.
Fault queue_out_of_order(const Schedule& schedule) {
  std::map<std::int32_t, std::vector<const Ran*>> queues;  // 1: the copy queue
  for (const Ran& ran : schedule.ran) {
    if (ran.event.called < schedule.order_known_until) queues[ran.copy ? 1 : ran.priority].push_back(&ran);
  }
  for (auto& [level, queue] : queues) {
    std::sort(queue.begin(), queue.end(), [](const Ran* a, const Ran* b) { return a->joined < b->joined; });
    Time assigned{};  // last start of those that joined strictly earlier
    for (std::size_t i = 0; i < queue.size();) {
      std::size_t same = i;
      Time latest = assigned;
      for (; same < queue.size() && queue[same]->joined == queue[i]->joined; ++same) {
        if (queue[same]->event.start < assigned) return name(*queue[same]) + " overtakes in its queue";
        latest = std::max(latest, queue[same]->last_start());
      }
      assigned = latest;
      i = same;
    }
  }
  return std::nullopt;
}

/// A2: no block starts while something more urgent has been waiting.
Fault less_urgent_first(const Schedule& schedule) {
  for (const Ran& urgent : schedule.ran) {
    if (urgent.copy || urgent.event.called >= schedule.order_known_until) continue;
    for (const Ran& other : schedule.ran) {
      if (other.copy || other.priority <= urgent.priority) continue;
      for (const trace::BlockRan* part : other.parts) {
        // At the very instant at which the urgent one joins, the other may have been first.
        if (part->start > urgent.joined && part->start < urgent.last_start()) {
          return name(other) + " starts at " + instant(part->start) + " although " + name(urgent) + " waits";
        }
      }
    }
  }
  return std::nullopt;
}

/// Whether the next block or slice could start now.
bool fits_now(const Ran& ran, const std::vector<Use>& use, const Gpu& gpu) {
  if (ran.exclusive) return std::all_of(use.begin(), use.end(), [](const Use& sm) { return sm.idle(); });
  return std::any_of(use.begin(), use.end(), [&](const Use& sm) { return sm.has_room(gpu, ran.demand); });
}

/// Work conservation: after every instant the head of the most urgent queue fits nowhere, and the copy queue
/// is empty or all engines are busy. Exclusive work that can stop anywhere does not keep the head waiting.
Fault idle_while_work_waits(const Schedule& schedule) {
  const Gpu& gpu = schedule.system.platform.gpu;
  // Queues are FIFO (checked above). Of those that joined at one instant the first to start is first.
  const auto place = [](const Ran* ran) {
    return std::tuple{ran->priority, ran->joined, ran->event.start, ran->last_start()};
  };
  std::vector<const Ran*> queued;
  std::vector<const Ran*> copies;
  for (const Ran& ran : schedule.ran) (ran.copy ? copies : queued).push_back(&ran);
  std::sort(queued.begin(), queued.end(), [&](const Ran* a, const Ran* b) { return place(a) < place(b); });
  Walk walk{schedule};
  for (const Time t : instants(schedule)) {
    if (t >= schedule.ends_known_until || t >= schedule.order_known_until) break;
    walk.advance(t);
    const auto waits = [&](const Ran* ran) { return ran->joined <= t && ran->last_start() > t; };
    const auto head = std::find_if(queued.begin(), queued.end(), waits);
    if (head != queued.end()) {
      // Where the trace does not tell which of several is the head, one that does not fit is enough.
      const bool one_does_not_fit = std::any_of(head, queued.end(), [&](const Ran* ran) {
        return place(ran) == place(*head) && !fits_now(*ran, walk.use(), gpu);
      });
      if (!one_does_not_fit) return name(**head) + " waits at " + instant(t) + " although it fits";
      for (const Ran& ran : schedule.ran) {
        if (!ran.stoppable || ran.priority <= (*head)->priority) continue;
        for (const trace::BlockRan* part : ran.parts) {
          if (part->start <= t && t < part->end) return name(ran) + " does not stop at " + instant(t);
        }
      }
    }
    const auto copying =
        std::count_if(schedule.recording.copies.begin(), schedule.recording.copies.end(),
                      [&](const trace::CopyRan& copy) { return copy.start <= t && t < copy.end; });
    if (copying < gpu.copy_engines) {
      const auto copy = std::find_if(copies.begin(), copies.end(), waits);
      if (copy != copies.end()) return name(**copy) + " waits at " + instant(t) + " for an idle copy engine";
    }
  }
  return std::nullopt;
}

Fault any_fault(const Schedule& schedule) {
  for (const auto rule :
       {overbooked_sm, wrong_parts, wrong_start, overbooked_copy_engine, stream_out_of_order,
        queue_out_of_order, less_urgent_first, idle_while_work_waits}) {
    if (Fault fault = rule(schedule)) return fault;
  }
  return std::nullopt;
}

/// The same tasks, each with one job, simulated until all is done: nothing is cut off.
Scenario each_once(Scenario scenario) {
  for (Task& task : scenario.system.tasks) {
    task.arrival = Arrival::once;
    task.period.reset();
  }
  scenario.options.horizon.reset();
  return scenario;
}

class Rules : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Rules, HoldOnMixedSystems) {
  const std::uint64_t first = first_seed() + GetParam() * 400;
  for (std::uint64_t seed = first; seed < first + tries<std::uint64_t>(400); ++seed) {
    const Scenario mixed = mixed_scenario(seed);
    for (const Scenario& scenario : {mixed, each_once(mixed)}) {
      const Fault fault = any_fault(make_schedule(scenario));
      ASSERT_FALSE(fault) << "seed " << seed << ": " << *fault << "\n" << describe(scenario);
    }
  }
}

TEST_P(Rules, HoldOnGridsOfManyWaves) {
  const std::uint64_t first = first_seed() + GetParam() * 40;
  for (std::uint64_t seed = first; seed < first + tries<std::uint64_t>(40); ++seed) {
    const Scenario scenario = bulk_scenario(seed);
    const Fault fault = any_fault(make_schedule(scenario));
    ASSERT_FALSE(fault) << "seed " << seed << ": " << *fault << "\n" << describe(scenario);
  }
}

INSTANTIATE_TEST_SUITE_P(Shard, Rules, testing::Range<std::uint64_t>(0, 5));

TEST(Seeds, TheSameSeedGivesTheSameTrace) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 200; ++seed) {
    const Scenario scenario = mixed_scenario(seed);
    // Text keeps the order in which events of one instant were told.
    ASSERT_EQ(to_text(record(scenario)), to_text(record(scenario))) << describe(scenario);
  }
}

/// Whether a seed can change anything.
bool has_random_parts(const System& system) {
  const Overheads& overheads = system.platform.overheads;
  if (overheads != Overheads{}) return true;
  for (const Task& task : system.tasks) {
    if (task.arrival == Arrival::sporadic || task.jitter > Duration{}) return true;
    for (const Node& node : task.work.nodes) {
      const bool varies = std::visit(
          [](const auto& segment) {
            if constexpr (requires { segment.block_time; }) {
              return segment.block_time.best < segment.block_time.worst;
            } else if constexpr (requires { segment.time; }) {
              return segment.time.best < segment.time.worst;
            } else {
              return false;
            }
          },
          node.segment);
      if (varies) return true;
    }
  }
  return false;
}

TEST(Seeds, AnotherSeedChangesWhatIsRandomAndNothingElse) {
  int random = 0;
  int changed = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 400; ++seed) {
    Scenario scenario = mixed_scenario(seed);
    scenario.options.execution = Execution::random;
    const std::string one = to_text(record(scenario));
    scenario.options.seed += 1;
    const bool differs = to_text(record(scenario)) != one;
    if (!has_random_parts(scenario.system)) {
      ASSERT_FALSE(differs) << describe(scenario);
      continue;
    }
    ++random;
    if (differs) ++changed;
  }
  // Small numbers and short horizons leave some systems as they were.
  EXPECT_GT(random, 100);
  EXPECT_GT(changed, random / 2);
}

TEST(Seeds, WorstAndBestCasesHaveNoRandomExecution) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 200; ++seed) {
    Scenario scenario = mixed_scenario(seed);
    std::erase_if(scenario.system.tasks, [](const Task& task) { return task.arrival == Arrival::sporadic; });
    if (scenario.system.tasks.empty()) continue;
    for (const Execution execution : {Execution::worst, Execution::best}) {
      scenario.options.execution = execution;
      const std::string one = to_text(record(scenario));
      scenario.options.seed += 1;
      ASSERT_EQ(to_text(record(scenario)), one) << describe(scenario);
    }
  }
}

}  // namespace
}  // namespace tactus::test
