#include "tactus/sweep/pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace tactus::sweep {

Pool::Pool(const Experiment& experiment, unsigned threads, Watch watch)
    : experiment_{experiment}, watch_{std::move(watch)}, threads_{start_threads(threads, [this] {
        work();
      })} {}

Pool::~Pool() {
  {
    const Lock lock{mutex_};
    over_ = true;
  }
  submitted_.notify_all();
  for (std::thread& thread : threads_.all) thread.join();
}

unsigned Pool::threads() const { return std::max(1U, static_cast<unsigned>(threads_.all.size())); }

bool Pool::must_stop() const { return over_.load(std::memory_order_relaxed) || watch_.stopped(); }

void Pool::submit(const Batch& batch) {
  ++in_flight_;
  {
    const Lock lock{mutex_};
    waiting_.push_back(batch);
  }
  submitted_.notify_one();
}

std::vector<Judged> Pool::take(std::chrono::milliseconds patience) {
  Lock lock{mutex_};
  if (threads_.all.empty() && !waiting_.empty()) judge_next(lock);
  done_.wait_for(lock, patience, [&] { return !judged_.empty(); });
  std::vector<Judged> judged = std::exchange(judged_, {});
  in_flight_ -= judged.size();
  return judged;
}

void Pool::work() {
  Lock lock{mutex_};
  while (true) {
    submitted_.wait(lock, [&] { return over_ || !waiting_.empty(); });
    if (over_) return;
    judge_next(lock);
  }
}

/// The lock is held at the call and after it, but not meanwhile.
void Pool::judge_next(Lock& lock) {
  Judged judged;
  judged.batch = waiting_.front();
  waiting_.pop_front();
  lock.unlock();
  const auto begun = std::chrono::steady_clock::now();
  try {
    judged.part = judge(experiment_, judged.batch, [this] { return must_stop(); });
  } catch (...) {
    judged.error = std::current_exception();
  }
  judged.took = std::chrono::steady_clock::now() - begun;
  lock.lock();
  judged_.push_back(std::move(judged));
  done_.notify_one();
}

unsigned thread_count(unsigned wanted, unsigned neighbours) {
  if (wanted != 0) return wanted;
  const auto mine = static_cast<unsigned>(available_cpus().size());
  const auto online = static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  // A process that is bound to some of the cores does not share them.
  return mine < online ? mine : std::max(1U, mine / (neighbours + 1));
}

}  // namespace tactus::sweep
