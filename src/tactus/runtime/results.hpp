// Tells a program what its jobs came to: a thread of its own calls its functions, in the order of jobs or as
// jobs complete.
//
// The engine hands over each completed job with its place, so that the buffers stay as they are until the
// function has returned; then the place goes back to the engine. Both ways are queues without locks, with
// room for every place. Jobs may complete out of order: a result that is to be told in order is held here
// until no earlier job is in progress. That needs no further room, for a held result has its place.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tactus/base/ring.hpp"
#include "tactus/base/shared_function.hpp"
#include "tactus/base/time.hpp"
#include "tactus/device/host/doorbell.hpp"
#include "tactus/device/job.hpp"

namespace tactus {

/// When a program is told of a result.
enum class ResultOrder : std::uint8_t {
  of_jobs,        // after all earlier jobs of the task
  of_completion,  // at once
};

/// Gets the job that is done; `job.input<T>("node")` gives what any of its nodes left.
using OnResult = SharedFunction<void(const Job&)>;

namespace runtime {

/// Who is told of the results of a task.
struct ResultPlan {
  OnResult function;
  ResultOrder order = ResultOrder::of_jobs;
};

/// A completed job.
struct CompletedJob {
  TaskIndex task = 0;
  std::uint64_t number = 0;
  std::uint32_t place = 0;
  Time release{};
  Time deadline = never;
};

class Results {
 public:
  struct OfTask {
    ResultPlan plan;  // without a function: nobody is told
    std::string name;
    std::uint32_t segments = 0;
    std::uint32_t places = 0;
    std::shared_ptr<const device::JobBuffers> buffers;  // null: it has none
  };
  struct FreedPlace {
    TaskIndex task = 0;
    std::uint32_t place = 0;
  };

  /// By task. FailureError when no thread can be started.
  explicit Results(std::vector<OfTask> tasks);
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  /// What has not been told is not.
  ~Results();

  /// Before the run: called by the thread after it has given back a place of a task, and when a function
  /// throws.
  void on_freed(std::function<void(TaskIndex)> call) { on_freed_ = std::move(call); }
  void on_failure(std::function<void()> call) { on_failure_ = std::move(call); }

  // For the engine's thread.

  [[nodiscard]] bool wants(TaskIndex task) const noexcept {
    return static_cast<bool>(tasks_[task].plan.function);
  }
  void add(const CompletedJob& job) noexcept { completed_.push(job); }  // has room for every place
  /// All completed jobs of the task with smaller numbers have been added; of others none is to come.
  void set_oldest(TaskIndex task, std::uint64_t number) noexcept {
    oldest_[task].store(number, std::memory_order_release);
    bell_.ring();
  }
  std::optional<FreedPlace> take_freed() noexcept;

  /// Tells all that was added, in its order, and ends the thread. Returns what a function threw: it was
  /// called no more, and neither was any other.
  std::exception_ptr finish();

 private:
  void work();
  bool tell_what_may_be(bool all);
  void tell(const CompletedJob& job) noexcept;

  std::vector<OfTask> tasks_;
  std::vector<std::atomic<std::uint64_t>> oldest_;  // by task: no earlier one is in progress
  Ring<CompletedJob> completed_;
  Ring<FreedPlace> freed_;
  device::host::Doorbell bell_;
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> tells_{true};
  std::function<void(TaskIndex)> on_freed_;
  std::function<void()> on_failure_;
  // Of the thread alone:
  std::vector<std::vector<CompletedJob>> held_;  // by task, the earliest last
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace runtime

}  // namespace tactus
