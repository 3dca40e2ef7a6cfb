// chain-fp, chain-edf, plain-fp, plain-edf: response times of jobs whose nodes go from server to server.
//
// Claim: a job of task i ends within R_i of its nominal release. The chain forms count what others do once
// over the whole window of the job:
//   R = J + max over rows of q jobs of Q(q) - (q - 1) T,
//   Q(q) = least x with q (time on own SMs) + sum over shared servers s of stay_s(q, x) <= x,
//   stay_s(q, x) = min(q times the nodes' response bounds on s,
//                      q times their own time + blocking once a node + interference in any window of x).
// The plain forms add up the nodes' response bounds, each under jittered, independent streams of the others.
// All bounds follow from each other; the least fixed point is taken (composition.hpp, docs/proofs).
//
// Source: ours, for servers as RTGPU's sections 5 and 6 use them, and shared GPUs.
//
// Model: every node goes to a server of its own (is_by_node); chains and graphs of CPU work, copies and GPU
// work; any deadlines; suspended or busy waiting. chain-fp and plain-fp: all servers serve by fixed priority,
// as nodes come, or are the task's own; the -edf forms: some server serves by deadlines. The engine that
// submits may need time, where servers take nodes at once or one at a time (chain_system.hpp).
//
// Kind: sufficient. Soundness: sound; proof in docs/proofs/composition.md.
#include "tactus/analysis/analyses.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/analysis/chain_system.hpp"
#include "tactus/analysis/composition_state.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

/// What else is on a server with a task, and how long a job that has begun keeps it there.
struct InTheWay {
  std::size_t server = 0;
  std::size_t task = 0;
  Duration length{};
};

/// The longest that is not interrupted for the task: less urgent work where its server serves by urgency. Of
/// the first tasks, which have names.
InTheWay longest_in_the_way(const ChainSystem& chains, std::size_t named, std::size_t place) {
  InTheWay longest;
  for (const ChainNode& own : chains.tasks[place].nodes) {
    const ChainServer& server = chains.servers[own.server];
    const bool by_priority = server.order == Order::fp && server.service != ServiceKind::fifo;
    if (server.service == ServiceKind::preemptive || server.service == ServiceKind::own) continue;
    for (std::size_t other = 0; other < named; ++other) {
      if (other == place || (by_priority && rank_on(server, other) < rank_on(server, place))) continue;
      for (const ChainNode& node : chains.tasks[other].nodes) {
        if (node.server != own.server) continue;
        const bool in_blocks = server.service == ServiceKind::levels || server.service == ServiceKind::window;
        const Duration length = in_blocks ? node.longest_block : node.longest_turn.value_or(node.time.worst);
        if (length > longest.length) longest = {own.server, other, length};
      }
    }
  }
  return longest;
}

/// The task to speak of: the first that fails by itself, not because of another.
std::optional<std::size_t> first_failure(const SystemOfChains& made, const ChainBounds& bounds) {
  std::optional<std::size_t> first;
  for (std::size_t place = 0; place < bounds.tasks.size(); ++place) {
    if (made.chains.tasks[place].best_effort || bounds.tasks[place].response) continue;
    if (bounds.tasks[place].why == NoBound::deadline) return place;
    if (!first) first = place;
  }
  return first;
}

std::string why_no_bound(const System& system, const SystemOfChains& made, const ChainBounds& bounds,
                         std::size_t place) {
  const ChainBound& bound = bounds.tasks[place];
  const Task& task = system.tasks[made.tasks[place]];
  const std::string who = "'" + task.name + "'";
  switch (bound.why) {
    case NoBound::none:
    case NoBound::best_effort:
    case NoBound::deadline:
      break;
    case NoBound::other_task:
      return "the response of " + who + " depends on '" + system.tasks[made.tasks[bound.because_of]].name +
             "', which has no bound";
    case NoBound::gave_up:
      return "the search for the response of " + who + " has too many rounds";
  }
  std::string reason = "the response of " + who + " may pass its deadline of " + to_text(*task.deadline);
  for (std::size_t i = 0; i < bound.stays.size(); ++i) {
    const ServerStay& stay = bound.stays[i];
    reason += (i == 0 ? ": by then it may take " : " + ") + to_text(stay.longest) + " on " +
              made.servers[stay.server] +
              (i == 0 ? " (" + to_text(stay.own) + " of its own)" : " (" + to_text(stay.own) + ")");
  }
  const InTheWay longest = longest_in_the_way(made.chains, made.tasks.size(), place);
  if (longest.length > Duration{}) {
    reason += "; " + made.servers[longest.server] + " may be kept from it for " + to_text(longest.length) +
              " by '" + system.tasks[made.tasks[longest.task]].name + "' each time";
  }
  return reason;
}

/// Where a job is when, at the latest.
Detail nodes_of(const SystemOfChains& made, const ChainBounds& bounds, std::size_t place) {
  std::vector<Detail> nodes;
  for (std::size_t i = 0; i < bounds.tasks[place].nodes.size(); ++i) {
    const NodeBound& bound = bounds.tasks[place].nodes[i];
    const auto or_nothing = [](const std::optional<Duration>& time, Duration earlier = {}) {
      return time ? FactValue{*time - earlier} : FactValue{};
    };
    nodes.push_back({{"server", made.servers[made.chains.tasks[place].nodes[i].server]},
                     {"ready_ns", or_nothing(bound.ready, made.earlier)},
                     {"end_ns", or_nothing(bound.end, made.earlier)},
                     {"response_ns", or_nothing(bound.response)}});
  }
  return {{"nodes", std::move(nodes)}};
}

Result judge(const System& system, ChainForm form, bool edf) {
  const SystemOfChains made = make_chains(system);
  if (!made.why_not.empty()) return does_not_apply(made.why_not);
  if (made.has_edf != edf) {
    return does_not_apply(edf ? "no server serves by deadlines: chain-fp and plain-fp take it"
                              : "a server serves by deadlines: chain-edf and plain-edf take it");
  }
  return judge_chains(system, made, form);
}

}  // namespace

namespace {

/// Where a bound takes for granted that all tasks are in time, there is none if one has none.
void drop_unless_all(const SystemOfChains& made, ChainBounds& bounds) {
  const std::optional<std::size_t> failing = first_failure(made, bounds);
  if (!made.all_or_none || !failing) return;
  for (ChainBound& bound : bounds.tasks) {
    if (!bound.response) continue;
    bound = {.response = std::nullopt, .nodes = {}, .why = NoBound::other_task, .because_of = *failing};
  }
}

}  // namespace

Result judge_chains(const System& system, const SystemOfChains& made, ChainForm form) {
  ChainBounds bounds = bound_chains(made.chains, form);
  drop_unless_all(made, bounds);
  Result result = unjudged(system);
  result.verdict = Verdict::schedulable;
  result.reason = "every response time stays within its deadline";
  std::vector<Detail> tasks;
  for (std::size_t place = 0; place < made.tasks.size(); ++place) {
    if (made.chains.tasks[place].best_effort) continue;
    TaskResult& task = result.tasks[made.tasks[place]];
    task.bound = bounds.tasks[place].response;
    if (task.bound) *task.bound -= made.earlier;
    task.ok = task.bound && *task.bound <= *task.deadline;
    Detail detail = nodes_of(made, bounds, place);
    detail.insert(detail.begin(), Fact{"task", task.name});
    tasks.push_back(std::move(detail));
  }
  result.detail = {{"rounds", static_cast<std::int64_t>(bounds.sweeps)}, {"tasks", std::move(tasks)}};
  if (const std::optional<std::size_t> place = first_failure(made, bounds)) {
    result.verdict = bounds.gave_up ? Verdict::gave_up : Verdict::unproven;
    result.reason = why_no_bound(system, made, bounds, *place);
    result.detail.push_back({"task", system.tasks[made.tasks[*place]].name});
  }
  return result;
}

Result chain_fp(const System& system) { return judge(system, ChainForm::chain, false); }
Result chain_edf(const System& system) { return judge(system, ChainForm::chain, true); }
Result plain_fp(const System& system) { return judge(system, ChainForm::plain, false); }
Result plain_edf(const System& system) { return judge(system, ChainForm::plain, true); }

}  // namespace tactus::analysis
