// gpu-fifo, gpu-fifo-multi: kernels that the GPU serves as they come, block by block.
//
// Claim: let task i have kernels of B_i blocks of length L_i and share w_i (kernel_shares.hpp), with at least
// T_i between two of them, up to J_i late. If sum B_i L_i w_i / T_i <= G, the SMs of the GPU, then every job
// of task k is done within
//   R_k = J_k + L_k + [ Lmax W0 + sum B_i L_i w_i (1 + J_i/T_i) - L_k w_k ] / G,
// where Lmax W0 bounds the blocks that have begun when the GPU was last not full.
//
// Proof: call an instant full if a block waits, or no SM has room for a block with the largest demand of each
// resource. Then the shares on every SM add up to 1 or more, so all SMs together do G a time unit. Let a be
// the instant at which the kernel comes to the GPU, t the start of its last block, and b the end of the last
// instant before or at a that is not full. From b to t all instants are full. What is done meanwhile: blocks
// that had begun before b, of at most Lmax W0; and blocks of kernels that came in [b, a], because later ones
// wait behind k: of each task at most (a - b + J_i)/T_i + 1 kernels, and not the last block of k. So
//   G (t - b) <= Lmax W0 + sum B_i L_i w_i (1 + (a - b + J_i)/T_i) - L_k w_k,
// and with the condition t - a is at most the bracket divided by G. Shorter blocks only do less.
//
// Source: real-time OpenVX (Yang, Amert, et al., 2018) for threads alone; several resources, jitter and the
// blocks that have begun as time of all SMs are ours. gpu-fifo is the case in which only threads can run
// short.
//
// Model: as-submitted; every task is one kernel, a stream for each job, one stream priority; repeating tasks
// or such that arrive once, with any deadline. J is the jitter, the release overhead and the launch overhead
// together; the completion overhead comes on top. Not for best-effort tasks, whose work has no end.
//
// Kind: sufficient.
//
// Soundness: sound.
#include <string>
#include <utility>
#include <vector>

#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/kernel_fifo.hpp"
#include "tactus/base/text.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::analysis {

namespace {

/// Why neither applies; empty when they may.
std::string fifo_obstacle(const System& system) {
  for (const Task& task : system.tasks) {
    const std::string who = "task '" + task.name + "' ";
    if (task.arrival == Arrival::best_effort) return "needs work that ends: " + who + "is best-effort";
    if (only_kernel(task) == nullptr) return "needs tasks of one kernel each: " + who + "is something else";
    if (task.stream_priority != system.tasks.front().stream_priority) {
      return "needs one stream priority: they are mixed";
    }
    if (task.stream) return "needs a stream for each job: " + who + "names one";
  }
  return {};
}

/// J of a task: how late its kernel may come to the GPU.
Duration lateness_of(const System& system, const Task& task) {
  const Overheads overheads = dispatch_overheads(system, task);
  return checked_add(task.jitter, checked_add(overheads.release, overheads.launch));
}

Result judge_fifo(const System& system, const KernelFifo& fifo) {
  Result result;
  result.verdict = Verdict::schedulable;
  if (!fifo.is_bounded()) {
    result = unjudged(system);
    result.verdict = Verdict::unproven;
    result.reason = "the kernels may keep the SMs for " + to_decimal(fifo.load(), Rounding::up) +
                    " of their time, blocks that do not fit included: no bound is known";
    return result;
  }
  const Duration begun = fifo.begun();
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    const Duration waiting = fifo.waiting(index);
    const Duration served =
        checked_add(only_kernel(task)->block_time.worst, dispatch_overheads(system, task).completion);
    const Duration bound = checked_add(lateness_of(system, task), checked_add(waiting, served));
    const bool ok = !task.deadline || bound <= *task.deadline;
    result.tasks.push_back({task.name, task.deadline, bound, ok});
    if (ok || result.verdict != Verdict::schedulable) continue;
    result.verdict = Verdict::unproven;
    result.reason = "'" + task.name + "' may take " + to_text(bound) + ": its last block waits up to " +
                    to_text(waiting) + ", of which " + to_text(begun) +
                    " for blocks that have begun; its deadline is " + to_text(*task.deadline);
    result.detail.push_back({"task", task.name});
  }
  result.detail.push_back({"begun_ns", begun});
  if (result.verdict == Verdict::schedulable) {
    result.reason = "the kernels keep the SMs for at most " + to_decimal(fifo.load(), Rounding::up) +
                    " of their time, and every bound is within its deadline";
  }
  return result;
}

Result run_fifo(const System& system, bool only_threads) {
  if (std::string obstacle = fifo_obstacle(system); !obstacle.empty()) {
    return does_not_apply(std::move(obstacle));
  }
  std::vector<KernelSource> kernels;
  for (const Task& task : system.tasks) {
    kernels.push_back({only_kernel(task), task.period, lateness_of(system, task)});
  }
  const KernelFifo fifo{kernels, system.platform.gpu};
  if (only_threads && !fifo.only_threads()) {
    return does_not_apply(
        "needs threads to be all that can run short: slots, registers or shared memory may, too");
  }
  return judge_fifo(system, fifo);
}

}  // namespace

Result gpu_fifo(const System& system) { return run_fifo(system, true); }

Result gpu_fifo_multi(const System& system) { return run_fifo(system, false); }

}  // namespace tactus::analysis
