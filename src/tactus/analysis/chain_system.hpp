// A system whose nodes go to servers of their own, as the composed tests see it: servers, and tasks with the
// machine's overheads in their times.
//
// With l the launch, c the completion, o the copy, r the release and p the CPU overhead:
// - J is the task's jitter plus r.
// - A CPU node takes up to its time + p, a copy its time + o for each of its chunks. Of a chain, copies that
//   follow each other are one node (unless copies are cut), and so are CPU segments on a core that preempts.
// - A GPU node takes up to its time + l + c. With several levels, and where jobs queue on the device, others
//   are served while it is launched. In a window every slice or wave has l + c, and each node l + c more,
//   because what it interrupts must start again; the window is shorter by r + l + c.
// - Where blocks of several kernels run side by side, a kernel counts with the time for which it keeps the
// whole
//   GPU from others (kernel_shares.hpp).
// - A best-effort node counts with one slice: what a server serves before it looks again.
//
// Where the engine needs time (chain_engine.hpp), with e_s what it needs to submit a node:
// - J has V more.
// - Before a node on cores that preempt, or on SMs of its own, there is a node of up to q + e_s on a server
// of
//   its own, "the engine"; behind it one of up to V.
// - A node on another server takes up to Q + e_s + its time + V there, and a best-effort node of up to Q may
// be
//   in the way of each. Since the Q may lie before the node is ready, best cases are less by Q, and releases
//   count from Q earlier (`earlier`).
#pragma once

#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/analysis/composition.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

struct SystemOfChains {
  std::string why_not;                 // empty where there is something to judge
  ChainSystem chains{};                // tasks most urgent first
  std::vector<TaskIndex> tasks{};      // by task of `chains`
  std::vector<std::string> servers{};  // by server: its name in words
  bool has_edf = false;                // some server orders by deadlines
  Duration earlier{};                  // all times of `chains` count from so long before the release
  bool all_or_none = false;            // bounds hold only if all tasks have one
};

SystemOfChains make_chains(const System& system);

/// The result of a composed test for what was made of a system.
Result judge_chains(const System& system, const SystemOfChains& made, ChainForm form);

}  // namespace tactus::analysis
