#include "tactus/analysis/registry.hpp"

#include <algorithm>
#include <array>

#include "tactus/analysis/analyses.hpp"

namespace tactus::analysis {

namespace {

constexpr std::string_view other_sharing =
    "segments that go to servers of their own; periodic or sporadic chains, deadlines no longer than "
    "periods; "
    "one core a task, which serves its own tasks by preemptive fixed priority";

}  // namespace

std::span<const Analysis> registry() {
  static const std::array<Analysis, 38> all{{
      {.id = "block-rta",
       .title = "Response times of kernels with equal blocks",
       .source = "Paredes Zevallos (2019), Algorithm 2, corrected",
       .strategy = "as-submitted",
       .needs = "as-submitted; one kernel a task, equal blocks, a stream each, one priority; arrivals all "
                "`once`, or "
                "periodic with one common period and offset 0; no jitter",
       .kind = Kind::exact,
       .sound = true,
       .run = block_rta},
      {.id = "np-edf",
       .title = "Non-preemptive EDF in one stream",
       .source = "PRUDA, Theorem 1, corrected; Jeffay, Stanat and Martel (1991)",
       .strategy = "single-stream",
       .needs = "single-stream, order edf; periodic or sporadic tasks of copies, kernels and exclusive work, "
                "deadlines no longer than periods",
       .kind = Kind::exact,
       .sound = true,
       .run = np_edf},
      {.id = "np-edf-as-published",
       .title = "Non-preemptive EDF in one stream, as published",
       .source = "PRUDA, Theorem 1, as printed",
       .strategy = "single-stream",
       .needs = "single-stream, order edf; periodic or sporadic tasks, deadlines no longer than periods; no "
                "overheads, jitter or best-effort tasks",
       .sound = false,
       .run = np_edf_as_published},
      {.id = "np-fp",
       .title = "Fixed priorities without preemption in one stream",
       .source = "PRUDA, section 5.1; George, Rivierre and Spuri (1996); Davis et al. (2007)",
       .strategy = "single-stream",
       .needs = "single-stream, order fp; periodic or sporadic tasks of copies, kernels and exclusive work, "
                "deadlines no longer than periods",
       .sound = true,
       .run = np_fp},
      {.id = "ms-edf",
       .title = "EDF in several streams",
       .source = "PRUDA, Lemma 1, corrected",
       .strategy = "multi-stream",
       .needs = "multi-stream, order edf; periodic or sporadic tasks of one kernel or one exclusive segment, "
                "deadlines no longer than periods",
       .sound = true,
       .run = ms_edf},
      {.id = "ms-edf-as-published",
       .title = "EDF over several streams, as published",
       .source = "PRUDA, Lemma 1, as printed",
       .strategy = "multi-stream",
       .needs = "multi-stream, order edf; periodic or sporadic tasks of one kernel or one exclusive segment, "
                "deadlines no longer than periods; no overheads, jitter or best-effort tasks",
       .sound = false,
       .run = ms_edf_as_published},
      {.id = "ms-fp",
       .title = "Fixed priorities in several streams",
       .source = "PRUDA, section 5.2, corrected",
       .strategy = "multi-stream",
       .needs = "multi-stream, order fp; periodic or sporadic tasks of one kernel or one exclusive segment, "
                "deadlines no longer than periods",
       .sound = true,
       .run = ms_fp},
      {.id = "ms-edf-immediate",
       .title = "EDF in several streams that are refilled at once",
       .source = "PRUDA, Lemma 1, corrected",
       .strategy = "multi-stream",
       .needs = "multi-stream, refill immediate, order edf; periodic or sporadic tasks of one kernel or one "
                "exclusive segment, deadlines no longer than periods",
       .kind = Kind::exact,
       .sound = true,
       .run = ms_edf_immediate},
      {.id = "ms-fp-immediate",
       .title = "Fixed priorities in several streams that are refilled at once",
       .source = "PRUDA, section 5.2, corrected",
       .strategy = "multi-stream",
       .needs = "multi-stream, refill immediate, order fp; periodic or sporadic tasks of one kernel or one "
                "exclusive segment, deadlines no longer than periods",
       .sound = true,
       .run = ms_fp_immediate},
      {.id = "window-necessary",
       .title = "No core is needed for more than all of its time",
       .source = "PRUDA, Lemma 2, sharpened",
       .strategy = "sm-cores",
       .needs = "sm-cores; periodic or sporadic tasks of one kernel or one exclusive segment, deadlines no "
                "longer than periods",
       .kind = Kind::necessary,
       .sound = true,
       .run = window_necessary,
       .counts_engine = true},
      {.id = "window-sbf",
       .title = "EDF inside windows",
       .source = "PRUDA, Theorem 3 with eq. (8), corrected; Shin and Lee (2003)",
       .strategy = "sm-cores",
       .needs = "sm-cores, order edf; periodic or sporadic tasks of one exclusive segment with "
                "longest_block 0, deadlines no longer than periods",
       .kind = Kind::exact,
       .sound = true,
       .run = window_sbf},
      {.id = "window-sbf-as-published",
       .title = "EDF in windows by demand and supply, as published",
       .source = "PRUDA, Theorem 3 with equation (8), as printed",
       .strategy = "sm-cores",
       .needs = "sm-cores, order edf; periodic or sporadic tasks, deadlines no longer than periods; "
                "exclusive work "
                "with longest_block 0; no overheads, jitter or best-effort tasks",
       .sound = false,
       .run = window_sbf_as_published},
      {.id = "window-linear",
       .title = "EDF inside windows, by a line below their supply",
       .source = "PRUDA, Theorem 3 with eq. (10), corrected",
       .strategy = "sm-cores",
       .needs = "sm-cores, order edf; periodic or sporadic tasks of one exclusive segment with "
                "longest_block 0, deadlines no longer than periods",
       .sound = true,
       .run = window_linear},
      {.id = "window-chunks",
       .title = "EDF in windows, every job in its longest chunk",
       .source = "PRUDA, Theorem 4 with Algorithm 1, corrected",
       .strategy = "sm-cores",
       .needs =
           "sm-cores, order edf; periodic tasks with offset 0, deadlines no longer than periods, no jitter, "
           "no release overhead; exclusive work with longest_block 0",
       .sound = true,
       .run = window_chunks},
      {.id = "window-chunks-as-published",
       .title = "EDF in windows, every job in its longest chunk, as published",
       .source = "PRUDA, Theorem 4 with Algorithm 1, as printed",
       .strategy = "sm-cores",
       .needs = "sm-cores, order edf; periodic or sporadic tasks, deadlines no longer than periods; "
                "exclusive work "
                "with longest_block 0; no overheads, jitter or best-effort tasks",
       .sound = false,
       .run = window_chunks_as_published},
      {.id = "window-harmonic",
       .title = "EDF in windows, periods harmonic with the reservation",
       .source = "PRUDA, Theorem 6 with Definition 3, corrected",
       .strategy = "sm-cores",
       .needs =
           "sm-cores, order edf; periodic tasks with offset 0, deadlines no longer than periods, no jitter, "
           "no release overhead; exclusive work with longest_block 0; every period divides the reservation "
           "period or is a multiple of it",
       .sound = true,
       .run = window_harmonic},
      {.id = "window-harmonic-as-published",
       .title = "EDF in windows, periods harmonic with the reservation, as published",
       .source = "PRUDA, Theorem 6 with Definition 3, as printed",
       .strategy = "sm-cores",
       .needs =
           "sm-cores, order edf; periodic or sporadic tasks, deadlines no longer than periods; exclusive "
           "work "
           "with longest_block 0; every period divides the reservation period or is a multiple of it; no "
           "overheads, jitter or best-effort tasks",
       .sound = false,
       .run = window_harmonic_as_published},
      {.id = "window-blocks",
       .title = "EDF inside windows, with blocks that end inside them",
       .source = "Tactus",
       .strategy = "sm-cores",
       .needs = "sm-cores, order edf; periodic or sporadic tasks of one kernel or one exclusive segment, "
                "deadlines no longer than periods",
       .sound = true,
       .run = window_blocks},
      {.id = "window-fp",
       .title = "Fixed priorities inside windows",
       .source = "PRUDA, section 6.3",
       .strategy = "sm-cores",
       .needs = "sm-cores, order fp; periodic or sporadic tasks of one kernel or one exclusive segment, "
                "deadlines no longer than periods",
       .sound = true,
       .run = window_fp},
      {.id = "window-exact",
       .title = "EDF in windows, played to its end",
       .source = "Leung and Merrill 1980, with windows",
       .strategy = "sm-cores",
       .needs =
           "sm-cores, order edf; periodic tasks with known offsets, deadlines no longer than periods, no "
           "jitter, no overheads; exclusive work with longest_block 0, also of best-effort tasks",
       .kind = Kind::exact,
       .sound = true,
       .run = window_exact},
      {.id = "federated-necessary",
       .title = "No core, copy engine or SM is needed for more than there is of it",
       .source = "ours",
       .strategy = "federated",
       .needs = "federated; chains of periodic or sporadic tasks, deadlines no longer than periods",
       .kind = Kind::necessary,
       .sound = true,
       .run = federated_necessary},
      {.id = "rtgpu",
       .title = "Chains over CPU, copies and SMs of their own",
       .source = "ours, after RTGPU, sections 5 and 6",
       .strategy = "federated",
       .needs = "federated; chains of periodic or sporadic tasks, deadlines no longer than periods",
       .sound = true,
       .run = rtgpu},
      {.id = "rtgpu-tight",
       .title = "Chains over CPU, copies and SMs of their own, by groups of segments",
       .source = "ours, after RTGPU, section 5",
       .strategy = "federated",
       .needs = "federated; chains of periodic or sporadic tasks, deadlines no longer than periods",
       .sound = true,
       .run = rtgpu_tight},
      {.id = "rtgpu-paper",
       .title = "Chains over CPU, copies and SMs of their own, the paper's bound",
       .source = "RTGPU, sections 5 and 6, corrected",
       .strategy = "federated",
       .needs = "federated; chains of periodic or sporadic tasks, deadlines no longer than periods",
       .sound = true,
       .run = rtgpu_paper},
      {.id = "rtgpu-as-published",
       .title = "Chains over CPU, copies and SMs of their own, as published",
       .source = "RTGPU, Algorithm 2, as printed",
       .strategy = "federated",
       .needs =
           "federated; chains of periodic or sporadic tasks, deadlines no longer than periods; no overheads, "
           "jitter, best-effort tasks or copies in pieces",
       .sound = false,
       .run = rtgpu_as_published},
      {.id = "self-suspension",
       .title = "Copies and kernel as one request to a device that all tasks share",
       .source = "RTGPU's self-suspension baseline, in our own form",
       .strategy = "federated",
       .needs =
           "federated; periodic or sporadic chains, deadlines no longer than periods; finds virtual_sms if "
           "not given",
       .sound = true,
       .run = self_suspension,
       .run_time_model = "all tasks share one device, which serves one run of copies and kernels at a time",
       .searches_sms = true},
      {.id = "stgm",
       .title = "Busy waiting for the GPU, SMs of one's own",
       .source = "RTGPU's baseline STGM, in our own form",
       .strategy = "federated",
       .needs =
           "federated, one CPU core; periodic or sporadic chains, deadlines no longer than periods; finds "
           "virtual_sms if not given",
       .sound = true,
       .run = stgm,
       .run_time_model = "jobs wait for copies and GPU busily on the CPU",
       .searches_sms = true},
      {.id = "mpcp",
       .title = "The whole GPU as one lock, suspended waiting",
       .source = "MPCP for GPUs as RTGPU compares with it, in our own form",
       .strategy = "federated",
       .needs = "federated, one CPU core; periodic or sporadic chains, deadlines no longer than periods; "
                "virtual_sms does not matter",
       .sound = true,
       .run = mpcp,
       .run_time_model = "the whole GPU with its copies is one lock, taken in order of priority",
       .searches_sms = true},
      {.id = "server-necessary",
       .title = "No server is needed for more than there is of it",
       .source = "ours",
       .needs = "segments that go to servers of their own",
       .kind = Kind::necessary,
       .sound = true,
       .run = server_necessary,
       .by_node = true},
      {.id = "chain-fp",
       .title = "Chains and graphs over servers with fixed priorities",
       .source = "ours, after RTGPU, section 5",
       .needs = "segments that go to servers of their own, by fixed priority or as they come; streams of "
                "their own under `as-submitted`; deadlines of any length",
       .sound = true,
       .run = chain_fp,
       .by_node = true},
      {.id = "chain-edf",
       .title = "Chains and graphs over servers, some of them by deadlines",
       .source = "ours, after RTGPU, section 5",
       .needs = "segments that go to servers of their own, some by EDF or fair lateness; deadlines of any "
                "length",
       .sound = true,
       .run = chain_edf,
       .by_node = true},
      {.id = "plain-fp",
       .title = "Chains and graphs, segment by segment, with fixed priorities",
       .source = "ours",
       .needs = "as chain-fp",
       .sound = true,
       .run = plain_fp,
       .by_node = true,
       .dominated_by = "chain-fp"},
      {.id = "plain-edf",
       .title = "Chains and graphs, segment by segment, some by deadlines",
       .source = "ours",
       .needs = "as chain-edf",
       .sound = true,
       .run = plain_edf,
       .by_node = true,
       .dominated_by = "chain-edf"},
      {.id = "gpu-lock",
       .title = "A lock gives the GPU to one job after the other",
       .source = "MPCP for a GPU, in our own form",
       .needs = other_sharing,
       .sound = true,
       .run = gpu_lock,
       .run_time_model = "the GPU with its copies is one lock, taken in order of priority",
       .by_node = true},
      {.id = "gpu-server",
       .title = "A server thread gives the GPU to one job after the other",
       .source = "GPU server, in our own form",
       .needs = other_sharing,
       .sound = true,
       .run = gpu_server,
       .run_time_model = "a server thread on the last core serves the GPU, the most urgent request first",
       .by_node = true},
      {.id = "gpu-preemptive",
       .title = "The GPU works for the most urgent job",
       .source = "GCAPS, in our own form",
       .needs = other_sharing,
       .sound = true,
       .run = gpu_preemptive,
       .run_time_model = "the driver interrupts GPU work anywhere for a more urgent job",
       .by_node = true},
      {.id = "gpu-round-robin",
       .title = "The GPU serves all who wait in turns",
       .source = "GCAPS, its analysis of the round robin of the driver, in our own form",
       .needs = other_sharing,
       .sound = true,
       .run = gpu_round_robin,
       .run_time_model = "the driver serves tasks in turns, whatever their urgency",
       .by_node = true},
      {.id = "gpu-as-cpu",
       .title = "A job keeps its core while it uses the GPU",
       .source = "MSRP for a GPU, in our own form",
       .needs = other_sharing,
       .sound = true,
       .run = gpu_as_cpu,
       .run_time_model = "jobs spin for the GPU and use it without giving their cores away",
       .by_node = true},
  }};
  return all;
}

const Analysis* find(std::string_view id) {
  const std::span<const Analysis> all = registry();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Analysis& entry) { return entry.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tactus::analysis
