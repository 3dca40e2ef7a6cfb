// window-chunks-as-published: EDF inside windows, every job in its longest chunk, as printed. UNSOUND.
//
// Claim as printed: that of window-chunks, but a job without a chunk vanishes: it adds nothing to D' and T',
// which are then those of the jobs that have chunks. A task of which no job has a chunk vanishes with them.
//
// Source: the PRUDA paper, Theorem 4 with Algorithm 1 and Definitions 1 and 2.
//
// Our reading: T' includes the distance from the last job of lcm(T, P) to the first of the next. The paper's
// section is about periodic tasks released at 0, but the theorem asks for nothing of the kind; so it is
// applied to any offset and to sporadic tasks as if they were.
//
// Model: sm-cores, order edf; periodic or sporadic tasks, D <= T, that can be preempted anywhere; no
// overheads, jitter or best-effort tasks.
//
// Kind: claimed to be sufficient. It gives up where only one of `max_skipped_jobs` jobs has a chunk.
//
// Soundness: unsound. (1, 2, 2) in R(0, 4, 8) is accepted, but the jobs released at 4 and 6 meet no window.
// Sporadic (1, 3, 5) in R(1, 1, 5) is accepted and misses at 5 when released at 2. The sound form is
// window-chunks.
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/as_published.hpp"
#include "tactus/analysis/chunks.hpp"
#include "tactus/analysis/converted_tasks.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

Result window_chunks_as_published(const System& system) {
  return judge_servers(
      system, published_window_servers(system), "Theorem 4 holds as printed, which proves nothing",
      [&](const GpuServer& server, ServerResults& results) {
        const auto convert = [&](const GpuTask& task, const Supply& supply, auto& converted) {
          const std::optional<SurvivingChunk> least = min_surviving_chunk(task, supply);
          if (!least) {
            results.gives_up(server, "of " + with_thousands(static_cast<std::uint64_t>(max_skipped_jobs)) +
                                         " jobs of '" + system.tasks[task.task].name +
                                         "' in succession only one has a chunk");
            return false;
          }
          if (least->length > Duration{})
            converted.push_back({task.task, task.cost, 1, least->length, least->distance});
          return true;
        };
        judge_converted(system, server, convert, results);
      });
}

}  // namespace tactus::analysis
