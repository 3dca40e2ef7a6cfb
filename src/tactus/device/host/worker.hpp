// Threads that do work for the front end, one errand at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include "tactus/device/host/doorbell.hpp"
#include "tactus/device/host/function_context.hpp"
#include "tactus/device/job.hpp"

namespace tactus::device::host {

/// A piece of a bound copy.
struct CopyWork {
  const CopyOfJob* of_job = nullptr;
  std::optional<MemoryCopy> known{};    // since an earlier piece of the job's copy
  std::optional<std::int64_t> bytes{};  // of the segment
  std::int64_t first = 0;
  std::int64_t most = 0;
};

/// What a worker is asked to do: to call a function, to copy or, without either, to use up CPU time.
struct WorkItem {
  std::uint32_t activity = 0;  // for the front end
  std::int64_t block = -1;     // of a kernel; -1: the call stands for all of the segment
  std::int32_t place = 0;      // SM, copy engine or CPU core
  const WorkOfJob* function = nullptr;
  CopyWork copy{};
  Job::Facts facts;
  Duration length{};
};

/// What became of it.
struct Result {
  enum class Kind : std::uint8_t { done, gave_way, failed };
  Kind kind = Kind::done;
  Time start{};
  Time end{};
  Duration used{};                   // CPU time, of what uses it up
  std::optional<MemoryCopy> copy{};  // what a bound copy moves
  std::array<char, 160> what{};      // of an exception
};

class Worker;

/// Workers that have ended an errand and were not looked after yet. Any number of them put themselves here;
/// one thread takes them all.
class DoneList {
 public:
  explicit DoneList(Doorbell& bell) : bell_{bell} {}
  void push(Worker& worker);
  /// Linked by `next_done`, the latest first; null when there is none.
  Worker* take() { return head_.exchange(nullptr, std::memory_order_acquire); }

 private:
  std::atomic<Worker*> head_{nullptr};
  Doorbell& bell_;
};

class Worker {
 public:
  enum class Role : std::uint8_t { blocks, copy_engine, cpu };

  struct Manner {
    Role role = Role::blocks;
    std::uint32_t index = 0;
    Duration yield_interval{};
    bool waits_busily = false;
  };

  /// The thread starts at once. The list outlives the worker.
  Worker(const Manner& manner, std::shared_ptr<const FunctionContext> context, DoneList& done);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Worker(Worker&&) = delete;
  Worker& operator=(Worker&&) = delete;
  /// The worker must have no errand, or be left behind.
  ~Worker();

  [[nodiscard]] Role role() const { return role_; }
  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] pthread_t handle() { return thread_.native_handle(); }

  /// Only while it has no errand; it is in the done list when it has done it.
  void start(const WorkItem& item);
  /// What uses up CPU time ends soon, and tells how much it has used.
  void ask_to_give_way();
  /// Gives up waiting for an errand: the thread is on its own and ends when its function returns. False when
  /// there is no errand, or it has ended and gets into the done list.
  bool leave_behind();

  [[nodiscard]] const WorkItem& item() const;
  [[nodiscard]] const Result& result() const;

  Worker* next_done = nullptr;

 private:
  struct Mailbox;

  Role role_;
  std::uint32_t index_;
  std::shared_ptr<Mailbox> mailbox_;  // the thread has a share of it
  std::thread thread_;                // not joinable: left behind
};

}  // namespace tactus::device::host
