// The analyses that Tactus ships. What one claims, and why it holds, is said where its source begins; what it
// is called and needs, in registry.cpp.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result block_rta(const System& system);
Result gpu_fifo(const System& system);
Result gpu_fifo_multi(const System& system);
Result graph_edf(const System& system);
Result graph_fl(const System& system);
Result np_edf(const System& system);
Result np_edf_as_published(const System& system);
Result np_fp(const System& system);
Result ms_edf(const System& system);
Result ms_edf_as_published(const System& system);
Result ms_fp(const System& system);
Result ms_edf_immediate(const System& system);
Result ms_fp_immediate(const System& system);
Result window_necessary(const System& system);
Result window_sbf(const System& system);
Result window_sbf_as_published(const System& system);
Result window_linear(const System& system);
Result window_chunks(const System& system);
Result window_chunks_as_published(const System& system);
Result window_harmonic(const System& system);
Result window_harmonic_as_published(const System& system);
Result window_blocks(const System& system);
Result window_fp(const System& system);
Result window_exact(const System& system);
Result federated_necessary(const System& system);
Result rtgpu(const System& system);
Result rtgpu_tight(const System& system);
Result server_necessary(const System& system);
Result chain_fp(const System& system);
Result chain_edf(const System& system);
Result plain_fp(const System& system);
Result plain_edf(const System& system);
Result rtgpu_paper(const System& system);
Result rtgpu_as_published(const System& system);
Result self_suspension(const System& system);
Result stgm(const System& system);
Result mpcp(const System& system);

// Other ways to share a GPU, each in a run-time model of its own.
Result gpu_lock(const System& system);
Result gpu_server(const System& system);
Result gpu_preemptive(const System& system);
Result gpu_round_robin(const System& system);
Result gpu_as_cpu(const System& system);

}  // namespace tactus::analysis
