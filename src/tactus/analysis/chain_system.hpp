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
//   whole GPU from others (kernel_shares.hpp).
// - A best-effort node counts with one slice: what a server serves before it looks again.
//
// Where the engine needs time, it has nodes of its own (chain_engine_nodes.hpp).
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

/// The server of this name, added where there is none.
std::size_t server_named(SystemOfChains& made, const std::string& name, const ChainServer& server);

SystemOfChains make_chains(const System& system);

/// The result of a composed test for what was made of a system.
Result judge_chains(const System& system, const SystemOfChains& made, ChainForm form);

}  // namespace tactus::analysis
