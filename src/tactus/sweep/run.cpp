#include "tactus/sweep/run.hpp"

#include <chrono>
#include <exception>

#include "tactus/base/error.hpp"
#include "tactus/sweep/ledger.hpp"
#include "tactus/sweep/pool.hpp"
#include "tactus/sweep/ranks.hpp"
#include "tactus/sweep/remote_workers.hpp"

namespace tactus::sweep {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds between_progress{100};
constexpr milliseconds between_checks{200};
constexpr milliseconds between_saves{250};
constexpr int max_cost_of_saving = 20;  // saving takes at most one part in so many of the time

/// Calls the callbacks of a run, at a bounded rate.
class Messenger {
 public:
  Messenger(const Ledger& ledger, const RunOptions& options)
      : ledger_{ledger}, options_{options}, judged_{ledger.judged()}, finished_{ledger.finished()} {}

  void tell(const Team& team) {
    const Clock::time_point now = Clock::now();
    if (now - shown_ >= between_progress) show(now);
    if (now - saved_ < max_cost_of_saving * cost_) return;
    if (ledger_.judged() == judged_) return;
    if (ledger_.finished() > finished_ || now - saved_ >= between_saves) save(team);
  }

  void tell_the_end(const Team& team) {
    show(Clock::now());
    if (ledger_.judged() != judged_) save(team);
  }

 private:
  void show(Clock::time_point now) {
    shown_ = now;
    options_.watch.show(ledger_.part_done());
  }

  void save(const Team& team) {
    judged_ = ledger_.judged();
    finished_ = ledger_.finished();
    const Clock::time_point begun = Clock::now();
    if (options_.on_news) options_.on_news(ledger_, team);
    saved_ = Clock::now();
    cost_ = saved_ - begun;
  }

  const Ledger& ledger_;
  const RunOptions& options_;
  std::int64_t judged_;
  std::size_t finished_;
  Clock::time_point shown_ = Clock::now();
  Clock::time_point saved_ = Clock::now();
  Clock::duration cost_{};
};

/// Assigns work and collects the results.
class Leader {
 public:
  Leader(const Experiment& experiment, Ledger& ledger, const RunOptions& options)
      : ledger_{ledger},
        options_{options},
        work_{ledger.gaps()},
        messenger_{ledger, options},
        remote_{experiment, options.ranks},
        wanted_{thread_count(options.threads, options.ranks == nullptr ? 0 : options.ranks->neighbours())},
        pool_{experiment, wanted_, options.watch} {}

  void run() {
    if (pool_.refusal() && options_.on_fewer_threads) {
      options_.on_fewer_threads(pool_.threads(), wanted_, *pool_.refusal());
    }
    try {
      while (!is_over()) {
        if (must_stop()) {
          save_at_once();
        } else {
          hand_out();
        }
        collect();
        messenger_.tell(team());
        check_now_and_then();
      }
      if (must_stop()) remote_.check_alive();  // mpirun stops everybody when a rank dies
    } catch (...) {
      messenger_.tell_the_end(team());
      throw;
    }
    messenger_.tell_the_end(team());
  }

 private:
  [[nodiscard]] bool must_stop() const { return options_.watch.stopped(); }

  /// When the run must stop, other ranks are not waited for: mpirun kills them soon, and their unfinished
  /// work is small.
  [[nodiscard]] bool is_over() const {
    if (pool_.in_flight() > 0) return false;
    return must_stop() || (work_.empty() && remote_.in_flight() == 0);
  }

  /// A stop must not wait for the systems that are being judged.
  void save_at_once() {
    if (!saved_at_stop_) messenger_.tell_the_end(team());
    saved_at_stop_ = true;
  }

  [[nodiscard]] Team team() const {
    return {options_.ranks == nullptr ? 1 : options_.ranks->count(), pool_.threads() + remote_.threads()};
  }

  void hand_out() {
    const unsigned all_threads = team().threads;
    const unsigned batches_per_thread = work_.are_quick() ? 4 : 1;
    remote_.hand_out(work_, batches_per_thread, all_threads);
    while (pool_.in_flight() < std::size_t{batches_per_thread} * pool_.threads() && !work_.empty()) {
      pool_.submit(work_.next(all_threads));
    }
  }

  void collect() {
    const milliseconds patience{remote_.any() ? 1 : 100};
    for (const Judged& judged : pool_.take(patience)) {
      if (judged.error) std::rethrow_exception(judged.error);
      enter(judged);
    }
    for (const Answer& answer : remote_.collect()) enter(answer);
  }

  void enter(const Answer& answer) {
    const std::int64_t systems = answer.batch.systems.count();
    if (systems == 0) return;  // stopped before its first system
    if (!ledger_.add(answer.batch, answer.part)) throw FailureError{"a system was judged twice"};
    work_.learn(systems, answer.took);
  }

  void check_now_and_then() {
    const Clock::time_point now = Clock::now();
    if (now - checked_ < between_checks) return;
    checked_ = now;
    remote_.check_alive();
  }

  Ledger& ledger_;
  const RunOptions& options_;
  WorkList work_;
  Messenger messenger_;
  RemoteWorkers remote_;
  Clock::time_point checked_ = Clock::now();
  bool saved_at_stop_ = false;
  unsigned wanted_;
  Pool pool_;
};

}  // namespace

void run(const Experiment& experiment, Ledger& ledger, const RunOptions& options) {
  Leader{experiment, ledger, options}.run();
}

SweepResult run(const Experiment& experiment, const RunOptions& options) {
  Ledger ledger{experiment};
  run(experiment, ledger, options);
  return ledger.result();
}

}  // namespace tactus::sweep
