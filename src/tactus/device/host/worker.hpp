// Threads that execute one work item at a time for the front end.
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

/// A chunk of a bound copy.
struct CopyWork {
  const CopyOfJob* of_job = nullptr;
  std::optional<MemoryCopy> known{};    // from an earlier chunk of the same copy
  std::optional<std::int64_t> bytes{};  // of the segment
  std::int64_t first = 0;
  std::int64_t most = 0;
};

/// A call of a function, a copy, or, without either, CPU time to consume.
struct WorkItem {
  std::uint32_t activity = 0;  // for the front end
  std::int64_t block = -1;     // of a kernel; -1: the call covers the whole segment
  std::int32_t place = 0;      // SM, copy engine or CPU core
  const WorkOfJob* function = nullptr;
  CopyWork copy{};
  Job::Facts facts;
  Duration length{};
};

/// The result of a work item.
struct Result {
  enum class Kind : std::uint8_t { done, gave_way, failed };
  Kind kind = Kind::done;
  Time start{};
  Time end{};
  Duration used{};                   // CPU time consumed
  std::optional<MemoryCopy> copy{};  // the buffers of a bound copy
  std::array<char, 160> what{};      // message of an exception
};

class Worker;

/// Workers that have finished an item which the front end has not handled yet. Many threads push; one thread
/// takes all.
class DoneList {
 public:
  explicit DoneList(Doorbell& bell) : bell_{bell} {}
  void push(Worker& worker);
  /// A list linked by `next_done`, the latest first; null when it is empty.
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

  /// Starts the thread. The list must outlive the worker.
  Worker(const Manner& manner, std::shared_ptr<const FunctionContext> context, DoneList& done);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  /// The worker must be idle or abandoned.
  ~Worker();

  [[nodiscard]] Role role() const { return role_; }
  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] pthread_t handle() { return thread_.native_handle(); }

  /// The worker must be idle. It enters the done list when the item is finished.
  void start(const WorkItem& item);
  /// Work that consumes CPU time ends soon and reports how much it has consumed.
  void ask_to_give_way();
  /// Abandons the work item: the thread is detached and ends when its function returns. False when the worker
  /// is idle, or has finished and is about to enter the done list.
  bool leave_behind();

  [[nodiscard]] const WorkItem& item() const;
  [[nodiscard]] const Result& result() const;

  Worker* next_done = nullptr;

 private:
  struct Mailbox;

  Role role_;
  std::uint32_t index_;
  std::shared_ptr<Mailbox> mailbox_;  // shared with the thread
  std::thread thread_;                // not joinable once abandoned
};

}  // namespace tactus::device::host
