// window-chunks: EDF inside the windows of `sm-cores`, every job in its longest chunk.
//
// Claim: let D' be the length of the shortest of all longest chunks of a task's jobs, and T' the least
// distance of the arrivals of two in succession (chunks.hpp). If every job has a chunk, and the tasks
// (C, D', T') pass the EDF demand test on a processor that is always there,
//   for every t:  sum over tasks with D' <= t of (floor((t - D')/T') + 1) C  +  B  <=  t,
// then every deadline holds under EDF inside the windows. B is the longest slice of a best-effort task.
//
// Source: the PRUDA paper, Theorem 4 with Algorithm 1, corrected: a job without a chunk rejects (as printed
// it vanishes), and releases must be in phase with the reservation.
//
// Why it holds: take any interval [a, d). A job with its release and deadline in it has its longest chunk in
// it, and that lies in one piece of the interval inside one window. By the demand test the jobs with chunks
// in one piece need, together with B, no more than the length of that piece. So all of them need no more than
// the windows give in [a, d), and EDF meets every deadline.
//
// Model: sm-cores, order edf; periodic tasks, offset 0, D <= T, no jitter, no release overhead; work that can
// be preempted anywhere. Launch and completion overheads are part of C, of the windows and of B.
//
// Kind: sufficient. Not comparable with window-sbf.
//
// Soundness: sound.
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/chunks.hpp"
#include "tactus/analysis/converted_tasks.hpp"
#include "tactus/analysis/window_demand.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

Witness lost_job(const System& system, const GpuServer& server, const GpuTask& task, Duration release) {
  const std::string& name = system.tasks[task.task].name;
  return {"a job of '" + name + "' released " + to_text(release) +
              " after the start of a reservation period meets no window of " + server.name +
              " before its deadline",
          {{"server", server.name}, {"task", name}, {"release_in_period_ns", release}}};
}

}  // namespace

Result window_chunks(const System& system) {
  return judge_servers(
      system, cores_unless(in_phase_from_zero_obstacle(system), system),
      "every job has time enough in its longest chunk", [&](const GpuServer& server, ServerResults& results) {
        if (results.fails_overloaded(server)) return;
        const auto convert = [&](const GpuTask& task, const Supply& supply, auto& converted) {
          const LeastChunk least = min_chunk(task, supply);
          if (least.lost) {
            results.fails(Verdict::unproven, lost_job(system, server, task, *least.lost));
            return false;
          }
          converted.push_back({task.task, task.cost, 1, least.length, least.distance});
          return true;
        };
        judge_converted(system, server, convert, results);
      });
}

}  // namespace tactus::analysis
