#include "support/chain_engine_mutants.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "support/chain_engine_bounds.hpp"
#include "tactus/analysis/chain_engine.hpp"
#include "tactus/analysis/chain_system.hpp"
#include "tactus/analysis/registry.hpp"

namespace tactus::test {

namespace {

using analysis::Analysis;
using analysis::ChainEngine;
using analysis::ChainNode;
using analysis::ChainTask;
using analysis::ServiceKind;
using analysis::SystemOfChains;

class List {
 public:
  void add(const std::string& of, const std::string& name, Analysis analysis, std::string what,
           std::string survives_because = {}) {
    falsify::Family family = *falsify::family_of(of);
    family.engine = falsify::EngineNeeds::time_in_all;
    family.dispatch = false;  // the forms below know launches only
    list_.push_back(
        {of + "/engine-" + name, std::move(what), std::move(analysis), family, std::move(survives_because)});
  }
  std::vector<Mutant> take() { return std::move(list_); }

 private:
  std::vector<Mutant> list_;
};

void add_rtgpu(List& list) {
  const auto add = [&](const std::string& name, const EngineMistake& mistake, const std::string& what,
                       const std::string& survives_because = {}) {
    list.add("rtgpu", name, mistaken_engine(mistake), what, survives_because);
  };
  add("no-submission-below", {.no_submission_below = true}, "no less urgent submission is in the way");
  add("one-submission-below", {.one_submission_below = true}, "one of them a job, not one an event");
  // `none_behind_copies` takes five tasks in the right order, which random systems rarely are:
  // EngineOfChains.ASubmissionBehindTheCopyOfAnother breaks it.
  add("nothing-above", {.nothing_above = true}, "the engine does nothing for more urgent tasks");
  add("no-carry-in-above", {.no_carry_in_above = true}, "T instead of T - X in what the engine does");
  add("worst-in-gaps-above", {.worst_in_gaps_above = true}, "more urgent operations take their worst time");
  add("no-events-below", {.no_events_below = true}, "events of less urgent tasks take no time");
  add("open-end", {.open_end = true}, "what comes at the last instant is not drained");
  add("own-events-free", {.own_events_free = true}, "own events take no time");
  add("own-submissions-free", {.own_submissions_free = true}, "own submissions take no time");
  add("end-known-at-once", {.end_known_at_once = true}, "the end of a job is known at once");
  add("best-effort-forgotten", {.best_effort_forgotten = true},
      "the engine does nothing for best-effort tasks");
  add("no-submission-of-blocker", {.no_submission_of_blocker = true},
      "a less urgent copy in the way counts without its submission",
      "that submission is over, or is the one that each event of the job counts");
}

/// A composed test with a change of what was made of the system.
Analysis mistaken(const std::string& id,
                  const std::function<void(const ChainEngine&, SystemOfChains&)>& change) {
  const bool by_deadline = id == "chain-edf";
  Analysis mutant = *analysis::find(id);
  mutant.run = [change, by_deadline](const System& system) {
    SystemOfChains made = analysis::make_chains(system);
    if (!made.why_not.empty()) return analysis::does_not_apply(made.why_not);
    if (made.has_edf != by_deadline) return analysis::does_not_apply("the other order");
    change(*analysis::chain_engine(system), made);
    return analysis::judge_chains(system, made, analysis::ChainForm::chain);
  };
  return mutant;
}

void add_servers(List& list) {
  const auto of_nodes =
      [](const std::function<void(const ChainEngine&, const SystemOfChains&, ChainNode&)>& change) {
        return [change](const ChainEngine& engine, SystemOfChains& made) {
          for (ChainTask& task : made.chains.tasks) {
            for (ChainNode& node : task.nodes) change(engine, made, node);
          }
        };
      };
  const auto is_engine = [](const SystemOfChains& made, const ChainNode& node) {
    return made.servers[node.server].rfind("the engine", 0) == 0;
  };
  const auto is_one_at_a_time = [](const SystemOfChains& made, const ChainNode& node) {
    return made.chains.servers[node.server].service == ServiceKind::non_preemptive;
  };
  const auto shorten = [](ChainNode& node, Duration by) {
    node.time.worst -= std::min(by, node.time.worst);
    node.time.best = std::min(node.time.best, node.time.worst);
  };
  for (const char* id : {"chain-fp", "chain-edf"}) {
    list.add(id, "instant",
             mistaken(id, of_nodes([=](const ChainEngine&, const SystemOfChains& made, ChainNode& node) {
                        if (is_engine(made, node)) shorten(node, node.time.worst);
                      })),
             "nothing waits for the engine before cores and own SMs, or behind");
    list.add(
        id, "events-decided-at-once",
        mistaken(id, of_nodes([=](const ChainEngine& engine, const SystemOfChains& made, ChainNode& node) {
                   if (is_engine(made, node)) shorten(node, engine.decision);
                 })),
        "V left out where the engine is waited for");
    list.add(id, "release-decided-at-once",
             mistaken(id,
                      [](const ChainEngine& engine, SystemOfChains& made) {
                        for (ChainTask& task : made.chains.tasks) {
                          task.jitter -= std::min(task.jitter, engine.decision);
                        }
                      }),
             "V left out behind a release");
    list.add(
        id, "server-free-at-once",
        mistaken(id, of_nodes([=](const ChainEngine& engine, const SystemOfChains& made, ChainNode& node) {
                   if (is_one_at_a_time(made, node)) shorten(node, engine.decision);
                 })),
        "V left out at the end of copies and GPU work");
    list.add(
        id, "not-pushed-back",
        mistaken(id, of_nodes([=](const ChainEngine& engine, const SystemOfChains& made, ChainNode& node) {
                   if (is_engine(made, node)) shorten(node, engine.pause);
                 })),
        "q left out: nothing more urgent is submitted first");
  }
}

}  // namespace

std::vector<Mutant> chain_engine_mutants() {
  List list;
  add_rtgpu(list);
  add_servers(list);
  return list.take();
}

}  // namespace tactus::test
