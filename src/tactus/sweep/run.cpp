#include "tactus/sweep/run.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "tactus/analysis/check.hpp"

namespace tactus::sweep {

namespace {

using analysis::Verdict;

/// Systems that one thread judges before it tells the others.
constexpr std::int64_t systems_of_a_chunk = 8;

void count(const analysis::Result& result, Counts& counts) {
  if (!result.applies() || !result.verdict) {
    ++counts.not_applicable;
    return;
  }
  switch (*result.verdict) {
    case Verdict::schedulable:
      ++counts.schedulable;
      return;
    case Verdict::unschedulable:
      ++counts.unschedulable;
      return;
    case Verdict::unproven:
      ++counts.unproven;
      return;
    case Verdict::gave_up:
      ++counts.gave_up;
      return;
  }
}

void add(const Counts& more, Counts& sum) {
  sum.schedulable += more.schedulable;
  sum.unschedulable += more.unschedulable;
  sum.unproven += more.unproven;
  sum.gave_up += more.gave_up;
  sum.not_applicable += more.not_applicable;
  sum.contradicted += more.contradicted;
}

/// Systems [first, end) of a point.
struct Chunk {
  std::size_t point = 0;
  std::int64_t first = 0;
  std::int64_t end = 0;
};

/// What a chunk gave.
struct ChunkCounts {
  PointCounts counts;
  std::vector<std::int64_t> first_why_not;  // number of the first system without an answer, an analysis each
};

class Runner {
 public:
  Runner(const Experiment& experiment, const RunOptions& options)
      : experiment_{experiment},
        options_{options},
        chunks_a_point_{(experiment.systems + systems_of_a_chunk - 1) / systems_of_a_chunk},
        chunks_{chunks_a_point_ * static_cast<std::int64_t>(experiment.points.size())} {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    const std::size_t analyses = experiment.analyses.size();
    sums_.resize(experiment.points.size(), {PointCounts(analyses), std::vector(analyses, none)});
    chunks_done_.resize(experiment.points.size());
    result_.points.resize(experiment.points.size());
  }

  SweepResult run() && {
    std::vector<std::thread> threads;
    const unsigned wanted = thread_count(options_.threads);
    active_ = wanted;
    threads.reserve(wanted);
    for (unsigned i = 0; i < wanted; ++i) threads.emplace_back([this] { work(); });
    try {
      watch();
    } catch (...) {
      fail(std::current_exception());
    }
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool must_stop() const {
    return failed_.load(std::memory_order_relaxed) ||
           (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed));
  }

  void fail(std::exception_ptr error) {
    const std::lock_guard lock{mutex_};
    if (!error_) error_ = std::move(error);
    failed_ = true;
  }

  /// The body of every thread: chunk after chunk, points in order.
  void work() {
    try {
      while (!must_stop()) {
        const std::int64_t number = next_.fetch_add(1, std::memory_order_relaxed);
        if (number >= chunks_) break;
        const Chunk chunk = chunk_of(number);
        std::optional<ChunkCounts> counts = judge_chunk(chunk);
        if (counts) deliver(chunk, *counts);
      }
    } catch (...) {
      fail(std::current_exception());
    }
    const std::lock_guard lock{mutex_};
    --active_;
    changed_.notify_one();
  }

  [[nodiscard]] Chunk chunk_of(std::int64_t number) const {
    const std::int64_t first = number % chunks_a_point_ * systems_of_a_chunk;
    return {.point = static_cast<std::size_t>(number / chunks_a_point_),
            .first = first,
            .end = std::min(first + systems_of_a_chunk, experiment_.systems)};
  }

  /// Nothing when told to stop on the way.
  std::optional<ChunkCounts> judge_chunk(const Chunk& chunk) {
    const std::size_t analyses = experiment_.analyses.size();
    ChunkCounts total{PointCounts(analyses), std::vector(analyses, std::numeric_limits<std::int64_t>::max())};
    const Point& point = experiment_.points[chunk.point];
    for (std::int64_t number = chunk.first; number < chunk.end; ++number) {
      if (must_stop()) return std::nullopt;
      const std::vector<analysis::Result> results =
          judge(experiment_, make_system(experiment_, point, number));
      for (std::size_t i = 0; i < analyses; ++i) {
        count(results[i], total.counts[i]);
        if (!results[i].applies() && total.counts[i].why_not.empty()) {
          total.counts[i].why_not = results[i].why_not;
          total.first_why_not[i] = number;
        }
        if (is_contradicted(results, i)) ++total.counts[i].contradicted;
      }
    }
    return total;
  }

  [[nodiscard]] bool is_contradicted(const std::vector<analysis::Result>& results, std::size_t index) const {
    if (results[index].verdict != Verdict::schedulable) return false;
    for (std::size_t i = 0; i < results.size(); ++i) {
      // Two run-time models may well differ about one system.
      const analysis::Analysis& other = experiment_.analyses[i];
      if (other.run_time_model != experiment_.analyses[index].run_time_model) continue;
      if (other.sound && results[i].verdict == Verdict::unschedulable) return true;
    }
    return false;
  }

  void deliver(const Chunk& chunk, ChunkCounts& more) {
    const std::lock_guard lock{mutex_};
    ChunkCounts& sum = sums_[chunk.point];
    for (std::size_t i = 0; i < sum.counts.size(); ++i) {
      add(more.counts[i], sum.counts[i]);
      if (more.first_why_not[i] < sum.first_why_not[i]) {
        sum.first_why_not[i] = more.first_why_not[i];
        sum.counts[i].why_not = std::move(more.counts[i].why_not);
      }
    }
    ++delivered_;
    if (++chunks_done_[chunk.point] == chunks_a_point_) {
      result_.points[chunk.point] = std::move(sum.counts);
      ++finished_;
      changed_.notify_one();
    }
  }

  /// The calling thread: tells what happens until all threads are done.
  void watch() {
    constexpr std::chrono::milliseconds patience{100};
    std::size_t told = 0;
    std::unique_lock lock{mutex_};
    while (true) {
      changed_.wait_for(lock, patience, [&] { return active_ == 0 || finished_ > told; });
      const bool over = active_ == 0;
      const double part = static_cast<double>(delivered_) / static_cast<double>(chunks_);
      std::optional<SweepResult> news;
      if (finished_ > told) news = result_;
      told = finished_;
      lock.unlock();
      if (options_.on_progress) options_.on_progress(part);
      if (news && options_.on_point) options_.on_point(*news);
      if (over) return;
      lock.lock();
    }
  }

  const Experiment& experiment_;
  const RunOptions& options_;
  const std::int64_t chunks_a_point_;
  const std::int64_t chunks_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> failed_{false};

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::vector<ChunkCounts> sums_;
  std::vector<std::int64_t> chunks_done_;
  std::int64_t delivered_ = 0;
  std::size_t finished_ = 0;
  unsigned active_ = 0;
  SweepResult result_;
  std::exception_ptr error_;
};

}  // namespace

bool SweepResult::complete() const { return finished() == points.size(); }

std::size_t SweepResult::finished() const {
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(), [](const auto& point) { return point.has_value(); }));
}

unsigned thread_count(unsigned wanted) {
  return wanted != 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

std::vector<analysis::Result> judge(const Experiment& experiment, const System& system) {
  std::vector<analysis::Result> results;
  results.reserve(experiment.analyses.size());
  for (const analysis::Analysis& entry : experiment.analyses) {
    results.push_back(analysis::run(entry, system));
  }
  return results;
}

SweepResult run(const Experiment& experiment, const RunOptions& options) {
  return Runner{experiment, options}.run();
}

}  // namespace tactus::sweep
