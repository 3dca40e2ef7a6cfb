#include "support/mutants.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "support/chain_bounds.hpp"
#include "support/chain_engine_mutants.hpp"
#include "support/engine_mutants.hpp"
#include "support/plain_fifo.hpp"
#include "support/plain_graph.hpp"
#include "tactus/analysis/chain_system.hpp"
#include "tactus/analysis/demand.hpp"
#include "tactus/analysis/gpu_tasks.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/analysis/stream_levels.hpp"
#include "tactus/analysis/supply.hpp"

namespace tactus::test {

namespace {

using analysis::Analysis;
using analysis::Blocker;
using analysis::DemandTask;
using analysis::GpuServer;
using analysis::GpuServers;
using analysis::GpuTask;
using analysis::Result;
using analysis::StreamLevels;
using analysis::SupplyBound;
using analysis::Verdict;
using falsify::Family;

constexpr Duration a_unit{1000};

Result answer(const System& system, bool accepted, const std::vector<std::optional<Duration>>& bounds) {
  Result result;
  result.verdict = accepted ? Verdict::schedulable : Verdict::unproven;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    result.tasks.push_back(
        {system.tasks[i].name, system.tasks[i].deadline, accepted ? bounds[i] : std::nullopt, accepted});
  }
  return result;
}

std::vector<std::optional<Duration>> deadlines(const System& system) {
  std::vector<std::optional<Duration>> bounds;
  for (const Task& task : system.tasks) bounds.push_back(task.deadline);
  return bounds;
}

// --- A sound test on a system that is not quite the one given -------------------------------------------

using Change = std::function<void(System&)>;

Analysis on_changed_system(std::string_view sound, Change change) {
  const Analysis& original = *analysis::find(sound);
  Analysis mutant = original;
  mutant.run = [run = original.run, change = std::move(change)](const System& system) {
    System changed = system;
    change(changed);
    Result result = run(changed);
    if (!result.applies() || result.verdict != Verdict::schedulable) {
      return answer(system, false, deadlines(system));
    }
    // Tasks that the change removed keep no bound; the others are in their old order.
    std::vector<std::optional<Duration>> bounds(system.tasks.size());
    for (const analysis::TaskResult& task : result.tasks) {
      const auto same = std::find_if(system.tasks.begin(), system.tasks.end(),
                                     [&](const Task& one) { return one.name == task.name; });
      bounds[static_cast<std::size_t>(same - system.tasks.begin())] = task.bound;
    }
    return answer(system, true, bounds);
  };
  return mutant;
}

void without_jitter(System& system) {
  for (Task& task : system.tasks) task.jitter = {};
}
void without_release_overhead(System& system) { system.platform.overheads.release = {}; }
void without_launch_overhead(System& system) { system.platform.overheads.launch = {}; }
void without_completion_overhead(System& system) { system.platform.overheads.completion = {}; }
void without_launchers_time(System& system) {
  for (Task& task : system.tasks) {
    if (task.launcher) task.enqueue.reset();
  }
}
void without_resident_overheads(System& system) { system.platform.overheads.resident = ResidentTime{}; }
void without_doorbell_overheads(System& system) { system.platform.overheads.doorbell = DoorbellTime{}; }
void without_best_effort(System& system) {
  std::erase_if(system.tasks, [](const Task& task) { return task.arrival == Arrival::best_effort; });
}
void without_blocks(System& system) {
  for (Task& task : system.tasks) {
    if (auto* kernel = std::get_if<KernelSegment>(&task.work.nodes.front().segment)) {
      const std::int64_t together =
          blocks_per_sm(block_demand(*kernel, system.platform.gpu), system.platform.gpu) *
          (task.sm.kind == SmAffinity::Kind::one && system.policy.strategy == strategy_named("sm-cores")
               ? 1
               : system.platform.gpu.sms);
      const Duration whole = kernel->block_time.worst * ceil_div(kernel->blocks(), together);
      task.work.nodes.front().segment = ExclusiveSegment{Interval::exactly(whole)};
    }
    task.longest_block = Duration{};
  }
}
void one_more_level(System& system) {
  ++system.policy.levels;
  system.platform.gpu.priority_levels = std::max(system.platform.gpu.priority_levels, system.policy.levels);
}
void refilled_immediately(System& system) { system.policy.refill = Refill::immediate; }
/// Kernels as exclusive work of the same length, whose blocks move in lock step.
void in_lock_step(System& system) {
  for (Task& task : system.tasks) {
    auto* kernel = std::get_if<KernelSegment>(&task.work.nodes.front().segment);
    if (kernel == nullptr) continue;
    const std::int64_t together =
        blocks_per_sm(block_demand(*kernel, system.platform.gpu), system.platform.gpu) *
        system.platform.gpu.sms;
    const Duration block = kernel->block_time.worst;
    task.work.nodes.front().segment =
        ExclusiveSegment{Interval::exactly(block * ceil_div(kernel->blocks(), together))};
    task.longest_block = block;
  }
}
void periodic_in_phase(System& system) {
  for (Task& task : system.tasks) task.arrival = Arrival::periodic;
}

// --- Demand tests with other terms ------------------------------------------------------------------------

struct DemandTerms {
  bool jitter = true;                                               // d = D - J
  std::function<Duration(const GpuServer&, std::size_t)> extra{};   // on top of C
  std::function<Duration(const GpuServer&, std::size_t)> blocks{};  // what task l blocks with
  std::function<Duration(Duration)> best_effort = [](Duration length) { return length; };
  std::function<std::optional<SupplyBound>(const GpuServer&)> supply{};
};

bool holds(const GpuServer& server, const DemandTerms& terms) {
  std::vector<DemandTask> tasks;
  std::vector<Blocker> blockers;
  for (std::size_t i = 0; i < server.tasks.size(); ++i) {
    const GpuTask& task = server.tasks[i];
    const Duration deadline = terms.jitter ? task.deadline - task.jitter : task.deadline;
    if (deadline <= Duration{}) return false;
    const Duration extra = terms.extra ? terms.extra(server, i) : Duration{};
    tasks.push_back({in_ns(task.cost + extra), deadline, task.period});
    const Duration blocking = terms.blocks ? terms.blocks(server, i) : Duration{};
    if (blocking > Duration{}) blockers.push_back({in_ns(blocking), task.deadline, i});
  }
  for (const analysis::BestEffortBlock& block : server.best_effort_blocks) {
    const Duration blocking = terms.best_effort(block.length);
    if (blocking > Duration{}) blockers.push_back({in_ns(blocking), Blocker::no_deadline, block.task});
  }
  std::optional<SupplyBound> supply = SupplyBound::always();
  if (terms.supply) supply = terms.supply(server);
  if (!supply || supply->is_empty()) return server.tasks.empty();
  return test_demand(tasks, blockers, *supply).holds();
}

using Servers = GpuServers (*)(const System&);

Analysis with_demand_terms(Servers servers_of, std::function<DemandTerms(const System&)> terms_of) {
  Analysis mutant;
  mutant.title = "a mutant";
  mutant.kind = analysis::Kind::sufficient;
  mutant.sound = true;
  mutant.run = [servers_of, terms_of = std::move(terms_of)](const System& system) {
    const GpuServers servers = servers_of(system);
    const DemandTerms terms = terms_of(system);
    const bool accepted =
        servers.why_not.empty() && std::all_of(servers.servers.begin(), servers.servers.end(),
                                               [&](const GpuServer& server) { return holds(server, terms); });
    return answer(system, accepted, deadlines(system));
  };
  return mutant;
}

Duration whole_cost(const GpuServer& server, std::size_t i) { return server.tasks[i].cost; }
Duration longest_block(const GpuServer& server, std::size_t i) { return server.tasks[i].longest_block; }

/// What a job may cost more under the immediate forms: nothing, unless something is late or blocks are apart.
Duration immediate_extra(const System& system, const StreamLevels& levels, std::size_t i) {
  const Overheads& overheads = system.platform.overheads;
  return overheads.launch + overheads.completion > Duration{} ? levels.block_below[i]
                                                              : levels.block_apart_below[i];
}

DemandTerms multi_stream_terms(const System& system, bool lazy) {
  DemandTerms terms;
  const std::int32_t level_count = system.policy.levels;
  terms.extra = [&system, level_count, lazy](const GpuServer& server, std::size_t i) {
    const StreamLevels levels = stream_levels(server, level_count, Order::edf);
    return lazy ? levels.block_below[i] : immediate_extra(system, levels, i);
  };
  terms.blocks = [level_count, lazy](const GpuServer& server, std::size_t i) {
    const StreamLevels levels = stream_levels(server, level_count, Order::edf);
    const Duration top =
        levels.reaches_last_level[i] ? server.tasks[i].cost + levels.block_below[i] : Duration{};
    return lazy ? top : std::max(top, server.tasks[i].longest_block);
  };
  return terms;
}

std::optional<SupplyBound> windows_of(const GpuServer& server, Duration less) {
  if (!server.supply) return SupplyBound::always();
  if (server.supply->budget <= less) return std::nullopt;
  return SupplyBound::windows(server.supply->budget - less, server.supply->period);
}

Duration largest_block(const GpuServer& server) {
  Duration largest{};
  for (const GpuTask& task : server.tasks) largest = std::max(largest, task.longest_block);
  return largest;
}

// --- Fixed priorities with other terms --------------------------------------------------------------------

struct ResponseTerms {
  bool blocking = true;
  bool own_jitter = true;
  bool jitter_of_others = true;
  bool all_jobs = true;           // of the busy period, not just the first
  bool arrivals_at_start = true;  // floor + 1, not ceil
};

std::int64_t up(Duration a, Duration b) { return ceil_div(in_ns(a), in_ns(b)); }

/// np-fp, plainly. Nothing when a fixed point passes any sensible length.
std::optional<Duration> non_preemptive_response(const GpuServer& server, std::size_t i,
                                                const ResponseTerms& terms) {
  const GpuTask& task = server.tasks[i];
  Duration blocking{};
  for (std::size_t l = i + 1; l < server.tasks.size(); ++l)
    blocking = std::max(blocking, server.tasks[l].cost);
  for (const analysis::BestEffortBlock& block : server.best_effort_blocks) {
    blocking = std::max(blocking, block.length);
  }
  if (!terms.blocking) blocking = {};
  const Duration own_jitter = terms.own_jitter ? task.jitter : Duration{};
  const auto jitter = [&](std::size_t j) {
    return terms.jitter_of_others ? server.tasks[j].jitter : Duration{};
  };
  const Duration limit = task.period * 64;
  Duration busy = blocking + task.cost;
  while (true) {
    Duration next = blocking + task.cost * up(busy + own_jitter, task.period);
    for (std::size_t j = 0; j < i; ++j)
      next += server.tasks[j].cost * up(busy + jitter(j), server.tasks[j].period);
    if (next == busy) break;
    if (next > limit) return std::nullopt;
    busy = next;
  }
  const std::int64_t jobs = terms.all_jobs ? up(busy + own_jitter, task.period) : 1;
  Duration worst{};
  for (std::int64_t k = 0; k < jobs; ++k) {
    Duration start{};
    while (true) {
      Duration next = blocking + task.cost * k;
      for (std::size_t j = 0; j < i; ++j) {
        const Duration seen = start + jitter(j);
        const std::int64_t arrivals = terms.arrivals_at_start
                                          ? in_ns(seen) / in_ns(server.tasks[j].period) + 1
                                          : std::max<std::int64_t>(1, up(seen, server.tasks[j].period));
        next += server.tasks[j].cost * arrivals;
      }
      if (next == start) break;
      if (next > limit * 4) return std::nullopt;
      start = next;
    }
    worst = std::max(worst, start + task.cost - task.period * k + own_jitter);
  }
  return worst;
}

Analysis non_preemptive_fixed(ResponseTerms terms) {
  Analysis mutant;
  mutant.title = "a mutant";
  mutant.kind = analysis::Kind::sufficient;
  mutant.sound = true;
  mutant.run = [terms](const System& system) {
    const GpuServers servers = analysis::single_stream_servers(system);
    std::vector<std::optional<Duration>> bounds(system.tasks.size());
    bool accepted = servers.why_not.empty();
    for (const GpuServer& server : servers.servers) {
      for (std::size_t i = 0; accepted && i < server.tasks.size(); ++i) {
        const std::optional<Duration> response = non_preemptive_response(server, i, terms);
        accepted = response && *response <= server.tasks[i].deadline;
        if (accepted) bounds[server.tasks[i].task] = response;
      }
    }
    return answer(system, accepted, bounds);
  };
  return mutant;
}

/// FP with C' = C + extra, blocking B and a supply: least t with B + C' + sum ceil((t + J)/T) C' <=
/// supply(t).
struct LevelTerms {
  std::function<Duration(const GpuServer&, std::size_t)> extra;
  std::function<Duration(const GpuServer&, std::size_t)> blocking;
  std::function<std::optional<SupplyBound>(const GpuServer&)> supply;
  bool jitter = true;
};

Analysis with_response_terms(Servers servers_of, std::function<LevelTerms(const System&)> terms_of) {
  Analysis mutant;
  mutant.title = "a mutant";
  mutant.kind = analysis::Kind::sufficient;
  mutant.sound = true;
  mutant.run = [servers_of, terms_of = std::move(terms_of)](const System& system) {
    const GpuServers servers = servers_of(system);
    const LevelTerms terms = terms_of(system);
    std::vector<std::optional<Duration>> bounds(system.tasks.size());
    bool accepted = servers.why_not.empty();
    for (const GpuServer& server : servers.servers) {
      const std::optional<SupplyBound> supply = terms.supply(server);
      if (!supply || supply->is_empty()) accepted = accepted && server.tasks.empty();
      for (std::size_t i = 0; accepted && i < server.tasks.size(); ++i) {
        const GpuTask& task = server.tasks[i];
        const Duration own_jitter = terms.jitter ? task.jitter : Duration{};
        Duration t = Duration{1};
        while (true) {
          Duration work = terms.blocking(server, i) + task.cost + terms.extra(server, i);
          for (std::size_t j = 0; j < i; ++j) {
            const Duration jitter = terms.jitter ? server.tasks[j].jitter : Duration{};
            work += (server.tasks[j].cost + terms.extra(server, j)) * up(t + jitter, server.tasks[j].period);
          }
          const Duration next{supply->time_for(in_ns(work))};
          if (next == t) break;
          t = next;
          if (t + own_jitter > task.deadline) break;
        }
        accepted = t + own_jitter <= task.deadline;
        if (accepted) bounds[task.task] = t + own_jitter;
      }
    }
    return answer(system, accepted, bounds);
  };
  return mutant;
}

Duration no_time(const GpuServer& /*server*/, std::size_t /*i*/) { return {}; }
std::optional<SupplyBound> all_the_time(const GpuServer& /*server*/) { return SupplyBound::always(); }

LevelTerms fixed_level_terms(const System& system, bool lazy) {
  const std::int32_t level_count = system.policy.levels;
  LevelTerms terms;
  terms.supply = all_the_time;
  terms.extra = [&system, level_count, lazy](const GpuServer& server, std::size_t i) {
    const StreamLevels levels = stream_levels(server, level_count, Order::fp);
    return lazy ? levels.block_below[i] : immediate_extra(system, levels, i);
  };
  terms.blocking = [level_count, lazy](const GpuServer& server, std::size_t i) {
    const StreamLevels levels = stream_levels(server, level_count, Order::fp);
    Duration blocking{};
    for (std::size_t l = i + 1; l < server.tasks.size(); ++l) {
      if (levels.reaches_last_level[l]) {
        blocking = std::max(blocking, server.tasks[l].cost + levels.block_below[l]);
      }
      if (!lazy) blocking = std::max(blocking, server.tasks[l].longest_block);
    }
    for (const analysis::BestEffortBlock& block : server.best_effort_blocks) {
      if (!lazy || level_count == 1) blocking = std::max(blocking, block.length);
    }
    return blocking;
  };
  return terms;
}

LevelTerms fixed_window_terms() {
  LevelTerms terms;
  terms.extra = no_time;
  terms.blocking = [](const GpuServer& server, std::size_t i) {
    Duration blocking{};
    for (std::size_t l = i + 1; l < server.tasks.size(); ++l) {
      blocking = std::max(blocking, server.tasks[l].longest_block);
    }
    for (const analysis::BestEffortBlock& block : server.best_effort_blocks) {
      blocking = std::max(blocking, block.length);
    }
    return blocking;
  };
  terms.supply = [](const GpuServer& server) { return windows_of(server, largest_block(server)); };
  return terms;
}

// --- Kernels served as they come --------------------------------------------------------------------------

/// The answer of a formula in the place of a sound test, where that applies.
Analysis with_bounds(std::string_view of, std::function<std::vector<double>(const System&)> formula) {
  Analysis mutant = *analysis::find(of);
  mutant.run = [run = mutant.run, formula = std::move(formula)](const System& system) {
    if (!run(system).applies()) return analysis::does_not_apply("neither does the sound one");
    std::vector<std::optional<Duration>> bounds;
    bool accepted = true;
    for (const double bound : formula(system)) {
      bounds.emplace_back(nanoseconds(static_cast<std::int64_t>(bound) + 1));
      const std::optional<Duration> deadline = system.tasks[bounds.size() - 1].deadline;
      accepted = accepted && (!deadline || *bounds.back() <= *deadline);
    }
    return answer(system, accepted && !bounds.empty(), bounds);
  };
  return mutant;
}

Analysis fifo_without(const FifoTerms& terms) {
  return with_bounds("gpu-fifo-multi",
                     [terms](const System& system) { return plain_fifo_bounds(system, terms); });
}

Analysis graph_without(const GraphTerms& terms) {
  return with_bounds("graph-edf",
                     [terms](const System& system) { return plain_graph_bounds(system, terms); });
}

// --- The list
// -----------------------------------------------------------------------------------------------

/// Mutants that concern the engine's time have lists of their own. Most forms of the tests here know no other
/// way to the GPU than a launch.
Family family(std::string_view id) {
  Family result = *falsify::family_of(id);
  result.engine = falsify::EngineNeeds::no_time;
  result.dispatch = false;
  return result;
}

class List {
 public:
  void add(std::string id, Analysis analysis, std::string_view of, std::string what,
           std::string survives_because = {}) {
    list_.push_back(
        {std::move(id), std::move(what), std::move(analysis), family(of), std::move(survives_because)});
  }
  /// A sound test that does not see part of the system.
  void blind(std::string_view of, const std::string& name, const Change& change, std::string what) {
    add(std::string{of} + "/" + name, on_changed_system(of, change), of, std::move(what));
  }
  /// The same, of how work gets to the GPU.
  void blind_to_dispatch(std::string_view of, const std::string& name, const Change& change,
                         std::string what) {
    blind(of, name, change, std::move(what));
    list_.back().family.dispatch = true;
  }

  /// The same, of what the engine needs.
  void blind_to_engine(std::string_view of, const std::string& name, const Change& change, std::string what) {
    blind(of, name, change, std::move(what));
    list_.back().family.engine = falsify::EngineNeeds::time_in_all;
  }

  std::vector<Mutant> take() { return std::move(list_); }

 private:
  std::vector<Mutant> list_;
};

DemandTerms non_preemptive_terms(const System& /*system*/) {
  DemandTerms terms;
  terms.blocks = whole_cost;
  return terms;
}

DemandTerms window_terms(Duration (*blocks)(const GpuServer&, std::size_t), bool lost) {
  DemandTerms terms;
  terms.blocks = blocks;
  terms.supply = [lost](const GpuServer& server) {
    return windows_of(server, lost ? largest_block(server) : Duration{});
  };
  return terms;
}

/// The supply of windows whose gap is only half as long as it is: R(Q + g/2, P) seen from the end of a window
/// would give too much in the long run, so only the first gap shrinks.
bool holds_with_half_the_gap(const GpuServer& server) {
  if (!server.supply) return true;
  const Duration gap = server.supply->period - server.supply->budget;
  GpuServer shifted = server;
  for (GpuTask& task : shifted.tasks) {
    // A demand that is due half a gap later meets the same supply half a gap earlier.
    task.jitter -= gap / 2;
    task.period = std::max(task.period, task.deadline - task.jitter);
  }
  return holds(shifted, window_terms(nullptr, false));
}

void add_as_submitted(List& list) {
  const std::string_view of = "gpu-fifo-multi";
  list.blind(of, "no-jitter", without_jitter, "kernels come on time");
  list.blind(of, "no-release", without_release_overhead, "jobs are seen at once");
  list.blind(of, "no-launch", without_launch_overhead, "kernels are launched at once");
  list.blind(of, "no-completion", without_completion_overhead, "ends are known at once");
  list.blind(
      of, "no-shared-memory",
      [](System& system) {
        for (Task& task : system.tasks) {
          std::get<KernelSegment>(task.work.nodes.front().segment).shared_memory = 0;
        }
      },
      "shared memory never runs short");
  const auto without = [&](const std::string& name, bool FifoTerms::*term, std::string what) {
    FifoTerms terms;
    terms.*term = false;
    list.add(std::string{of} + "/" + name, fifo_without(terms), of, std::move(what));
  };
  without("nothing-begun", &FifoTerms::begun, "no block had begun before");
  without("begun-on-one-sm", &FifoTerms::other_sms, "blocks that had begun are on one SM");
  without("no-room-left-free", &FifoTerms::left_free, "a waiting block leaves nothing free");
  without("none-beyond-the-rate", &FifoTerms::first_of_each, "kernels come at their rate, and no more");
  without("own-kernel-spared", &FifoTerms::other_blocks_too, "no block waits for its own kernel");
  without("none-late", &FifoTerms::late, "late kernels are not more");
  without("threads-alone", &FifoTerms::all_resources, "slots, registers and shared memory are never short");
}

void add_graphs(List& list) {
  constexpr std::string_view of = "graph-edf";
  const auto without = [&](const std::string& name, bool GraphTerms::*term, std::string what) {
    GraphTerms terms;
    terms.*term = false;
    list.add(std::string{of} + "/" + name, graph_without(terms), of, std::move(what));
  };
  without("nothing-pending", &GraphTerms::pending, "no core has anything to do before");
  without("none-beyond-the-rate", &GraphTerms::first_of_each, "nodes come at their rate, and no more");
  without("points-alike", &GraphTerms::points, "nothing that comes later goes first");
  without("unpreempted-as-preempted", &GraphTerms::unpreempted, "what runs can be preempted");
  without("nothing-carried", &GraphTerms::carried, "jobs in turn carry nothing over");
  without("earlier-jobs-in-time", &GraphTerms::late_jobs, "no earlier job of a node is late");
  without("turns-as-parallel", &GraphTerms::turns, "no job waits for an earlier one of its node");
  without("history-in-time", &GraphTerms::history, "no node waits for another one of an earlier job");
  without("one-engine-at-work", &GraphTerms::other_engines, "the other copy engines have begun nothing");
  without("copies-do-not-wait", &GraphTerms::other_copies, "no copy waits for another");
  without("sources-in-time", &GraphTerms::late, "no job is seen late");
  without("timers-in-time", &GraphTerms::timers, "no timer is late");
  without("a-period-apart", &GraphTerms::spread, "kernels and copies are never closer than a period");
  without("ends-known-at-once", &GraphTerms::completion, "the end of a kernel is known at once");
  without("one-node-counts", &GraphTerms::longest_path, "the longest node is all of a job");
  list.blind_to_engine(
      of, "events-free", [](System& system) { system.platform.overheads.engine.event = {}; },
      "the engine needs no time for events");
  list.blind_to_engine(
      of, "submissions-free",
      [](System& system) {
        system.platform.overheads.engine.submit = {};
        for (Task& task : system.tasks) task.enqueue.reset();
      },
      "the engine needs no time for submissions");
  const auto without_kernels = [&](const std::string& name, bool FifoTerms::*term, std::string what) {
    GraphTerms terms;
    terms.kernels.*term = false;
    list.add(std::string{of} + "/kernels-" + name, graph_without(terms), of, std::move(what));
  };
  without_kernels("nothing-begun", &FifoTerms::begun, "no block had begun before");
  without_kernels("none-beyond-the-rate", &FifoTerms::first_of_each,
                  "kernels come at their rate, and no more");
}

void add_single_stream(List& list) {
  const Servers servers = analysis::single_stream_servers;
  list.add("np-edf/no-blocking", with_demand_terms(servers, [](const System&) { return DemandTerms{}; }),
           "np-edf", "less urgent jobs block nobody");
  list.add("np-edf/blocking-less-a-unit",
           with_demand_terms(servers,
                             [](const System& system) {
                               DemandTerms terms = non_preemptive_terms(system);
                               terms.blocks = [](const GpuServer& server, std::size_t i) {
                                 return server.tasks[i].cost - a_unit;
                               };
                               return terms;
                             }),
           "np-edf", "a blocker is one unit shorter, as if time were discrete");
  list.add(
      "np-edf/blocking-less-a-nanosecond",
      with_demand_terms(servers,
                        [](const System& system) {
                          DemandTerms terms = non_preemptive_terms(system);
                          terms.blocks = [](const GpuServer& server, std::size_t i) {
                            return server.tasks[i].cost - Duration{1};
                          };
                          return terms;
                        }),
      "np-edf", "a blocker is one nanosecond shorter",
      "the simulator's time is whole nanoseconds: a blocker that starts before an interval has run for at "
      "least one of them when the interval begins, so C - 1 ns is what it can still block");
  list.add("np-edf/jitter-ignored",
           with_demand_terms(servers,
                             [](const System& system) {
                               DemandTerms terms = non_preemptive_terms(system);
                               terms.jitter = false;
                               return terms;
                             }),
           "np-edf", "releases are seen in time");
  list.blind("np-edf", "launch-ignored", without_launch_overhead, "launches take no time");
  list.blind_to_dispatch("np-edf", "launcher-ignored", without_launchers_time, "launchers enqueue at once");
  list.blind("np-edf", "completion-ignored", without_completion_overhead, "completions are known at once");
  list.blind("np-edf", "best-effort-ignored", without_best_effort, "best-effort slices block nobody");

  list.add("np-fp/first-job-only", non_preemptive_fixed({.all_jobs = false}), "np-fp",
           "only the first job of the busy period is looked at");
  list.add("np-fp/no-blocking", non_preemptive_fixed({.blocking = false}), "np-fp",
           "less urgent jobs block nobody");
  list.add("np-fp/jitter-of-others-ignored", non_preemptive_fixed({.jitter_of_others = false}), "np-fp",
           "more urgent releases are seen in time");
  list.add("np-fp/own-jitter-ignored", non_preemptive_fixed({.own_jitter = false}), "np-fp",
           "its own release is seen in time");
  list.add("np-fp/ceiling", non_preemptive_fixed({.arrivals_at_start = false}), "np-fp",
           "ceil(w/T) where floor(w/T) + 1 is right: a more urgent job that arrives at the start goes first");
}

void add_multi_stream(List& list) {
  const Servers servers = analysis::multi_stream_servers;
  list.blind("ms-edf", "blocks-ignored", without_blocks, "PC = 0: everything is preemptible anywhere");
  list.blind("ms-edf", "top-off-by-one", one_more_level, "one task fewer can reach the last level");
  list.add("ms-edf/no-block-for-each-job",
           with_demand_terms(servers,
                             [](const System& system) {
                               DemandTerms terms = multi_stream_terms(system, true);
                               terms.extra = no_time;
                               return terms;
                             }),
           "ms-edf", "a job is not delayed by a lower block that starts before the refill");
  list.add("ms-edf/nobody-holds-the-last-level",
           with_demand_terms(servers,
                             [](const System& system) {
                               DemandTerms terms = multi_stream_terms(system, true);
                               terms.blocks = no_time;
                               return terms;
                             }),
           "ms-edf", "no blocking by a job that cannot be preempted for want of a level");
  list.add("ms-edf/immediate-form", on_changed_system("ms-edf-immediate", refilled_immediately), "ms-edf",
           "the immediate form under lazy refill");
  list.blind("ms-fp", "blocks-ignored", without_blocks, "PC = 0: everything is preemptible anywhere");
  list.blind("ms-fp", "top-off-by-one", one_more_level, "one task fewer can reach the last level");
  list.add("ms-fp/immediate-form", on_changed_system("ms-fp-immediate", refilled_immediately), "ms-fp",
           "the immediate form under lazy refill");
  list.add("ms-fp/no-blocking",
           with_response_terms(servers,
                               [](const System& system) {
                                 LevelTerms terms = fixed_level_terms(system, true);
                                 terms.blocking = no_time;
                                 return terms;
                               }),
           "ms-fp", "no blocking by a job that cannot be preempted for want of a level");
  list.add("ms-edf-immediate/no-block-of-the-running-job",
           with_demand_terms(
               servers,
               [](const System& system) {
                 DemandTerms terms = multi_stream_terms(system, false);
                 terms.blocks = [level_count = system.policy.levels](const GpuServer& server, std::size_t i) {
                   const StreamLevels levels = stream_levels(server, level_count, Order::edf);
                   return levels.reaches_last_level[i] ? server.tasks[i].cost + levels.block_below[i]
                                                       : Duration{};
                 };
                 return terms;
               }),
           "ms-edf-immediate", "the block that runs when a better job arrives takes no time");
  list.add("ms-edf-immediate/top-without-block-below",
           with_demand_terms(
               servers,
               [](const System& system) {
                 DemandTerms terms = multi_stream_terms(system, false);
                 terms.blocks = [level_count = system.policy.levels](const GpuServer& server, std::size_t i) {
                   const StreamLevels levels = stream_levels(server, level_count, Order::edf);
                   return std::max(levels.reaches_last_level[i] ? server.tasks[i].cost : Duration{},
                                   server.tasks[i].longest_block);
                 };
                 return terms;
               }),
           "ms-edf-immediate", "the job in the last level does not itself wait for a lower block");
  list.blind("ms-edf-immediate", "kernels-in-lock-step", in_lock_step,
             "a preempted kernel loses no block time");
  list.blind("ms-edf-immediate", "launch-ignored", without_launch_overhead, "launches take no time");
  list.blind("ms-edf-immediate", "completion-ignored", without_completion_overhead,
             "completions are known at once");
  list.blind("ms-fp-immediate", "blocks-ignored", without_blocks,
             "PC = 0: everything is preemptible anywhere");
  list.blind("ms-fp-immediate", "kernels-in-lock-step", in_lock_step,
             "a preempted kernel loses no block time");
}

void add_windows(List& list) {
  const Servers servers = analysis::sm_core_servers;
  Analysis half = with_demand_terms(servers, [](const System&) { return window_terms(nullptr, false); });
  half.run = [](const System& system) {
    const GpuServers found = analysis::sm_core_servers(system);
    const bool accepted = found.why_not.empty() &&
                          std::all_of(found.servers.begin(), found.servers.end(), holds_with_half_the_gap);
    return answer(system, accepted, deadlines(system));
  };
  list.add("window-sbf/half-the-gap", half, "window-sbf",
           "every deadline is half a gap later (and a period shorter than that as long)");
  list.blind("window-sbf", "jitter-ignored", without_jitter, "releases are seen in time");
  list.blind("window-sbf", "late-edges-ignored", without_release_overhead, "windows open in time");
  list.blind_to_dispatch("window-sbf", "launcher-ignored", without_launchers_time,
                         "launchers enqueue at once");
  list.blind("window-sbf", "launch-ignored", without_launch_overhead, "work resumes at once");
  list.add("window-linear/no-gap",
           with_demand_terms(servers,
                             [](const System&) {
                               DemandTerms terms;
                               terms.supply = [](const GpuServer& server) -> std::optional<SupplyBound> {
                                 if (!server.supply) return SupplyBound::always();
                                 if (server.supply->budget == Duration{}) return std::nullopt;
                                 // Windows of the same share, a thousand times as often.
                                 return SupplyBound::windows(
                                     std::max(Duration{1}, server.supply->budget / 1000),
                                     std::max(Duration{1}, server.supply->period / 1000));
                               };
                               return terms;
                             }),
           "window-linear", "the share of time is there from the start");
  list.add("window-blocks/lost-ends-ignored",
           with_demand_terms(servers, [](const System&) { return window_terms(longest_block, false); }),
           "window-blocks", "no time is lost before the end of a window");
  list.add("window-blocks/no-blocking",
           with_demand_terms(servers,
                             [](const System&) {
                               DemandTerms terms = window_terms(nullptr, true);
                               terms.best_effort = [](Duration) { return Duration{}; };
                               return terms;
                             }),
           "window-blocks", "a running block delays nobody");
  list.blind("window-blocks", "best-effort-ignored", without_best_effort, "best-effort slices delay nobody");
  list.blind("window-blocks", "completion-ignored", without_completion_overhead,
             "completions are known at once");
  list.add("window-fp/lost-ends-ignored",
           with_response_terms(servers,
                               [](const System&) {
                                 LevelTerms terms = fixed_window_terms();
                                 terms.supply = [](const GpuServer& server) {
                                   return windows_of(server, Duration{});
                                 };
                                 return terms;
                               }),
           "window-fp", "no time is lost before the end of a window");
  list.add("window-fp/no-blocking",
           with_response_terms(servers,
                               [](const System&) {
                                 LevelTerms terms = fixed_window_terms();
                                 terms.blocking = no_time;
                                 return terms;
                               }),
           "window-fp", "a running block delays nobody");
  list.add("window-fp/jitter-ignored",
           with_response_terms(servers,
                               [](const System&) {
                                 LevelTerms terms = fixed_window_terms();
                                 terms.jitter = false;
                                 return terms;
                               }),
           "window-fp", "releases are seen in time");
  list.add("window-chunks/phase-ignored", on_changed_system("window-chunks", periodic_in_phase),
           "window-chunks-as-published", "releases need not be in phase with the windows");
  list.add("window-exact/phase-ignored", on_changed_system("window-exact", periodic_in_phase),
           "window-chunks-as-published", "sporadic releases are as good as periodic ones");
}

void add_chains(List& list) {
  const auto add = [&](const std::string& name, const Simplification& simplification,
                       const std::string& what) {
    list.add("rtgpu/" + name, simplified_rtgpu(simplification), "rtgpu", what);
  };
  add("no-carry-in", {.no_carry_in = true}, "the first wrap of a chain is like the later ones");
  add("first-stage-only", {.first_stage_only = true}, "an interval begins with a job's first stage");
  add("worst-in-gaps", {.worst_in_gaps = true}, "gaps between stages are worst cases");
  add("full-period-first", {.full_period_first = true}, "T instead of T - X");
  add("blocked-once", {.blocked_once = true}, "one less urgent copy for a job, not for each copy");
  add("never-blocked", {.never_blocked = true}, "copies can be preempted");
  add("count-of-periods", {.count_of_periods = true}, "ceil(t/T) jobs without carry-in");
  add("jitter-above-ignored", {.no_jitter_above = true}, "X without jitter");
  add("jitter-ignored", {.no_jitter = true}, "R instead of R + J");
  add("copies-of-own-core", {.copies_of_own_core_only = true}, "copies meet tasks of their core only");
  add("best-effort-ignored", {.best_effort_forgotten = true}, "copies of best-effort tasks delay nobody");
  add("unmerged-copies", {.unmerged_copies = true}, "neighbouring copies can be parted");
  add("undisturbed-pieces", {.undisturbed_pieces = true}, "nothing comes between the pieces of a copy");
  add("one-overhead-a-copy", {.one_overhead_a_copy = true}, "pieces but the first have no overhead");
  add("half-the-gpu-time", {.half_the_gpu_time = true}, "2v virtual SMs");
  add("gpu-rounded-down", {.gpu_rounded_down = true}, "floor in the time on the GPU");
  add("started-too-soon", {.started_too_soon = true}, "copies that come at the instant a copy could start");
  add("no-preemption", {.first_form_without_preemption = true}, "CPU stages never wait");
  list.blind("rtgpu", "launch-ignored", without_launch_overhead, "launches take no time");
  for (const char* id : {"rtgpu", "rtgpu-tight", "rtgpu-paper", "chain-fp"}) {
    list.blind_to_dispatch(id, "resident-ignored", without_resident_overheads,
                           "the GPU's clock and notes take no time");
    list.blind_to_dispatch(id, "doorbell-ignored", without_doorbell_overheads, "doorbells take no time");
    list.blind_to_dispatch(id, "launcher-ignored", without_launchers_time, "launchers enqueue at once");
  }
  list.blind("rtgpu", "completion-ignored", without_completion_overhead, "completions are known at once");
  list.blind(
      "rtgpu", "copy-overhead-ignored", [](System& system) { system.platform.overheads.copy = {}; },
      "copies take no longer");
  list.blind(
      "rtgpu", "cpu-overhead-ignored", [](System& system) { system.platform.overheads.cpu = {}; },
      "threads run at once");
  list.add("rtgpu-tight/each-copy-once", simplified_tight({.each_copy_once = true}), "rtgpu",
           "a less urgent copy blocks once, however many jobs it has");
  list.add("rtgpu-tight/never-blocked", simplified_tight({.never_blocked = true}), "rtgpu",
           "copies can be preempted");
  list.add("rtgpu-tight/no-carry-in", simplified_tight({.no_carry_in = true}), "rtgpu", "T instead of T - X");
  const auto mistaken = [&](const std::string& name, const TightMistake& mistake, const std::string& what) {
    list.add("rtgpu-tight/" + name, mistaken_tight(mistake), "rtgpu", what);
  };
  mistaken("last-copy-too-soon", {.last_copy_too_soon = true},
           "copies that come at the instant the last one of a group could start");
  mistaken("undisturbed-pieces", {.undisturbed_pieces = true}, "nothing comes between the pieces of a copy");
  mistaken("cpu-tasks-seen-in-time", {.no_jitter_of_cpu_tasks = true}, "CPU-only tasks have no jitter");
  mistaken("copies-of-own-core", {.copies_of_own_core_only = true}, "copies meet tasks of their core only");
}

/// The same for every kernel of a chain or graph that shares the GPU.
void nodes_in_lock_step(System& system) {
  if (system.policy.strategy->sms == SmSharing::owned) return;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    Task& task = system.tasks[index];
    for (std::size_t i = 0; i < task.work.nodes.size(); ++i) {
      const auto* kernel = std::get_if<KernelSegment>(&task.work.nodes[i].segment);
      if (kernel == nullptr) continue;
      const Duration block = kernel->block_time.worst;
      task.longest_block = std::max(block, task.longest_block.value_or(block));
      task.work.nodes[i].segment = ExclusiveSegment{whole_time(system, index, i)};
    }
  }
}

/// The composed tests with a model that lacks something.
void add_servers(List& list) {
  using analysis::ChainNode;
  using analysis::ChainServer;
  using analysis::ChainTask;
  using analysis::ServiceKind;
  using analysis::SystemOfChains;
  const auto mistaken = [&](const std::string& id, const std::string& name,
                            const std::function<void(SystemOfChains&)>& change, const std::string& what) {
    const bool by_deadline = id == "chain-edf";
    const auto judge = [change, by_deadline](const System& system) {
      SystemOfChains made = analysis::make_chains(system);
      if (!made.why_not.empty()) return analysis::does_not_apply(made.why_not);
      if (made.has_edf != by_deadline) return analysis::does_not_apply("the other order");
      change(made);
      return analysis::judge_chains(system, made, analysis::ChainForm::chain);
    };
    Analysis mutant = *analysis::find(id);
    mutant.run = judge;
    list.add(id + "/" + name, std::move(mutant), id, what);
  };
  const auto of_nodes = [](const std::function<void(ChainNode&)>& change) {
    return [change](SystemOfChains& made) {
      for (ChainTask& task : made.chains.tasks) std::for_each(task.nodes.begin(), task.nodes.end(), change);
    };
  };
  const auto of_tasks = [](const std::function<void(ChainTask&)>& change) {
    return [change](SystemOfChains& made) {
      std::for_each(made.chains.tasks.begin(), made.chains.tasks.end(), change);
    };
  };
  const auto of_servers = [](const std::function<void(ChainServer&)>& change) {
    return [change](SystemOfChains& made) {
      std::for_each(made.chains.servers.begin(), made.chains.servers.end(), change);
    };
  };
  for (const char* id : {"chain-fp", "chain-edf"}) {
    mistaken(id, "worst-in-gaps", of_nodes([](ChainNode& node) { node.time.best = node.time.worst; }),
             "other nodes always take their worst time");
    mistaken(id, "busy-as-suspended", of_tasks([](ChainTask& task) { task.held_core.reset(); }),
             "waiting never holds a core");
    mistaken(id, "jitter-ignored", of_tasks([](ChainTask& task) { task.jitter = {}; }),
             "releases are seen at once");
    mistaken(id, "never-blocked", of_servers([](ChainServer& server) {
               if (server.service == ServiceKind::non_preemptive) server.service = ServiceKind::preemptive;
             }),
             "copies and GPU work can be preempted");
    mistaken(id, "queue-by-urgency", of_servers([](ChainServer& server) {
               if (server.service == ServiceKind::fifo) server.service = ServiceKind::non_preemptive;
             }),
             "queues serve the most urgent first");
    mistaken(id, "one-turn", of_nodes([](ChainNode& node) { node.turns = 1; }),
             "time slices are waited for once");
    mistaken(id, "whole-levels", of_servers([](ChainServer& server) {
               if (server.service == ServiceKind::levels) server.levels += 8;
             }),
             "more levels than there are");
    mistaken(id, "blocks-ignored", of_nodes([](ChainNode& node) { node.longest_block = {}; }),
             "work on levels and in windows can be preempted anywhere");
    mistaken(
        id, "best-effort-ignored",
        [](SystemOfChains& made) {
          for (ChainTask& task : made.chains.tasks) {
            if (task.best_effort) task.nodes.clear();
          }
        },
        "best-effort work is never in the way");
    mistaken(id, "windows-ignored", of_servers([](ChainServer& server) { server.budget = server.period; }),
             "windows are always open");
    mistaken(id, "one-more-core", of_servers([](ChainServer& server) {
               if (server.engines > 1) ++server.engines;
             }),
             "a core or copy engine more than there is");
    list.blind(id, "kernels-in-lock-step", nodes_in_lock_step, "kernels run wave by wave, alone");
    mistaken(id, "branches-in-a-row", of_tasks([](ChainTask& task) { task.predecessors.clear(); }),
             "branches of a graph follow each other");
  }
  mistaken("chain-fp", "one-order", of_servers([](ChainServer& server) { server.ranks.clear(); }),
           "the GPU has no order of its own");
}

}  // namespace

const std::vector<Mutant>& mutants() {
  static const std::vector<Mutant> all = [] {
    List list;
    add_as_submitted(list);
    add_graphs(list);
    add_single_stream(list);
    add_multi_stream(list);
    add_windows(list);
    add_chains(list);
    add_servers(list);
    std::vector<Mutant> made = list.take();
    for (Mutant& mutant : chain_engine_mutants()) made.push_back(std::move(mutant));
    for (Mutant& mutant : engine_mutants()) made.push_back(std::move(mutant));
    return made;
  }();
  return all;
}

}  // namespace tactus::test
