// The engine's time in the tests of whole GPU jobs and of slices: two forms, each an upper bound by itself.
//
// With V, V0, q, S, sigma and s of engine_delays.hpp:
//
// Simple form: constants. A release is seen V later (J + V for J), and a unit keeps its server from its
// decision until its end is known: S more before its launch, V more after its completion. A block in the way
// is longer by V; a best-effort block by the submissions made for it and V.
// Under `sm-cores` all cores share the engine. Whichever unit a core takes next, its submission waits for
// others that are as urgent as the least urgent task of the core, so each costs the largest q of the core and
// the largest e_s. What interrupts work that can be stopped anywhere asks it to stop (q and a stop request),
// waits until that is known (V), and lets it be submitted again (S). Windows are seen V later. They lose a
// stop request and V more where the other kind of window has tasks, and S + V where work that was stopped at
// the end of the last window is submitted again.
//
// Counted form (not for `sm-cores`): each action once in an interval.
//   C''_j = C_j + sigma_j + s_j e_h, a best-effort block likewise
//   E(t)  = e_h sum over all sources of (floor((t + J_j + V)/T_j) + 1)
//   Lo_i  = the sum of the PL - 1 largest sigma_l + s_l e_h of less urgent tasks (EDF: of all)
// The interval begins when a job becomes visible. Releases that were visible before and wait to be handled
// became visible at most V before; that is why E has V, and J has not.
#pragma once

#include "tactus/analysis/analysis.hpp"
#include "tactus/analysis/gpu_tasks.hpp"

namespace tactus::analysis {

/// The servers with the constants of the simple form. Nothing where the engine cannot keep up.
std::optional<GpuServers> charge_engine(GpuServers servers, const EngineLoad& load);

/// The servers of the counted form, for the GPU with so many levels.
std::optional<GpuServers> count_engine(GpuServers servers, const EngineLoad& load, std::int32_t levels);

/// Judges the servers; where the engine needs time, in each form that there is. The smaller bound counts.
Result judge_with_engine(const System& system, const GpuServers& servers,
                         Result (*judge)(const System&, const GpuServers&));

// The tests on servers that have the engine's time already.
Result judge_np_fp(const System& system, const GpuServers& gpu);
Result judge_np_edf(const System& system, const GpuServers& gpu);
Result judge_ms_fp(const System& system, const GpuServers& gpu);
Result judge_ms_edf(const System& system, const GpuServers& gpu);
Result judge_window_fp(const System& system, const GpuServers& cores);
Result judge_window_sbf(const System& system, const GpuServers& cores);
Result judge_window_linear(const System& system, const GpuServers& cores);
Result judge_window_blocks(const System& system, const GpuServers& cores);

}  // namespace tactus::analysis
