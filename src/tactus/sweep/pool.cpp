#include "tactus/sweep/pool.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace tactus::sweep {

namespace {

/// The thread sanitizer does not see how TBB, which is compiled without it, hands a task to another thread.
/// So we tell: what came before `give` in one thread comes before what follows `receive` in another.
#if defined(__SANITIZE_THREAD__)
void give(void* what) { __tsan_release(what); }
void receive(void* what) { __tsan_acquire(what); }
#else
void give(void* /*what*/) {}
void receive(void* /*what*/) {}
#endif

}  // namespace

class Pool::Workers {
 public:
  Workers(const Experiment& experiment, unsigned threads, const std::atomic<bool>* stop)
      : experiment_{experiment},
        stop_{stop},
        // TBB makes no more threads than there are cores unless told so; one more for the calling thread.
        allowed_{tbb::global_control::max_allowed_parallelism, threads + 1},
        arena_{static_cast<int>(threads), 0} {}

  ~Workers() {
    over_ = true;
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return running_ == 0; });
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  Workers(Workers&&) = delete;
  Workers& operator=(Workers&&) = delete;

  void submit(const Chunk& chunk) {
    {
      const std::lock_guard lock{mutex_};
      waiting_.push_back(chunk);
      ++running_;
    }
    // Which chunk a task gets is decided when it runs: TBB may change the order of tasks.
    give(this);
    arena_.enqueue([this] { work(); });
  }

  std::vector<Judged> take(std::chrono::milliseconds patience) {
    std::unique_lock lock{mutex_};
    changed_.wait_for(lock, patience, [&] { return !judged_.empty(); });
    return std::exchange(judged_, {});
  }

 private:
  [[nodiscard]] bool must_stop() const {
    return over_.load(std::memory_order_relaxed) ||
           (stop_ != nullptr && stop_->load(std::memory_order_relaxed));
  }

  void work() {
    receive(this);
    Judged judged;
    {
      const std::lock_guard lock{mutex_};
      judged.chunk = waiting_.front();
      waiting_.pop_front();
    }
    const auto begun = std::chrono::steady_clock::now();
    try {
      judged.part = judge(experiment_, judged.chunk, [this] { return must_stop(); });
    } catch (...) {
      judged.error = std::current_exception();
    }
    judged.took = std::chrono::steady_clock::now() - begun;
    const std::lock_guard lock{mutex_};
    judged_.push_back(std::move(judged));
    --running_;
    changed_.notify_one();
  }

  const Experiment& experiment_;
  const std::atomic<bool>* stop_;
  std::atomic<bool> over_{false};

  std::mutex mutex_;  // guards all up to the next blank line
  std::condition_variable changed_;
  std::deque<Chunk> waiting_;
  std::vector<Judged> judged_;
  std::size_t running_ = 0;

  tbb::global_control allowed_;
  tbb::task_arena arena_;
};

Pool::Pool(const Experiment& experiment, unsigned threads, const std::atomic<bool>* stop)
    : workers_{std::make_unique<Workers>(experiment, threads, stop)} {}

Pool::~Pool() = default;

void Pool::submit(const Chunk& chunk) {
  ++under_way_;
  workers_->submit(chunk);
}

std::vector<Judged> Pool::take(std::chrono::milliseconds patience) {
  std::vector<Judged> judged = workers_->take(patience);
  under_way_ -= judged.size();
  return judged;
}

unsigned thread_count(unsigned wanted, unsigned neighbours) {
  if (wanted != 0) return wanted;
  const auto mine = static_cast<unsigned>(std::max(1, tbb::info::default_concurrency()));
  const auto online = static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  // A process that was given some of the cores has them for itself.
  return mine < online ? mine : std::max(1U, mine / (neighbours + 1));
}

}  // namespace tactus::sweep
