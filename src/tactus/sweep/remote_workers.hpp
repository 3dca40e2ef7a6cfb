// The other ranks of a sweep: their messages, as text, and rank 0's view of them.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "tactus/sweep/experiment.hpp"
#include "tactus/sweep/judge.hpp"
#include "tactus/sweep/ranks.hpp"
#include "tactus/sweep/work_list.hpp"

namespace tactus::sweep {

/// A rank is ready.
struct Hello {
  unsigned threads = 1;
  std::string experiment;  // its identity, which must equal that of rank 0
};

/// Rank 0 assigns work.
struct Assignment {
  Batch batch;
};

/// A rank failed.
struct Trouble {
  std::string what;
};

using RankMessage = std::variant<Hello, Assignment, Answer, Trouble>;

std::string to_text(const RankMessage& rank_message);

/// FailureError when the text is no message. `analyses`: their number in an answer.
RankMessage read_rank_message(const std::string& text, std::size_t analyses);

class RemoteWorkers {
 public:
  /// `ranks` may be null: there are no others then.
  RemoteWorkers(const Experiment& experiment, Ranks* ranks);

  [[nodiscard]] bool any() const { return !ranks_.empty(); }
  /// Of those that are ready.
  [[nodiscard]] unsigned threads() const;
  /// Chunks that were assigned and not answered.
  [[nodiscard]] std::size_t in_flight() const;

  /// Assigns chunks to every ready rank, up to a fixed number for each thread, as long as there is work.
  void hand_out(WorkList& work, unsigned batches_per_thread, unsigned all_threads);
  /// The answers received. FailureError when a rank failed.
  std::vector<Answer> collect();
  /// FailureError when a rank has died.
  void check_alive() const;

 private:
  struct Worker {
    unsigned threads = 0;  // 0: not ready yet
    std::size_t in_flight = 0;
  };

  void welcome(int rank, const Hello& hello);

  const Experiment& experiment_;
  Ranks* transport_;
  std::vector<Worker> ranks_;  // rank 1 first
};

/// The work of every rank but 0: judges the assigned chunks until rank 0 is done.
void serve(const Experiment& experiment, Ranks& ranks, unsigned threads);

}  // namespace tactus::sweep
