// What code that works for a job may know and ask.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tactus/base/shared_function.hpp"
#include "tactus/base/time.hpp"
#include "tactus/model/task.hpp"

namespace tactus {

/// The job that a bound function works for. Instants lie on the axis of the run: 0 is its start.
class Job {
 public:
  struct Facts {
    std::string_view task;
    TaskIndex task_index = 0;
    std::uint64_t number = 0;
    std::uint32_t segment = 0;
    Time release{};
    Time deadline = never;
    std::int64_t first_block = 0;
    std::int64_t blocks = 1;
    const std::atomic<bool>* stop = nullptr;
  };

  explicit Job(const Facts& facts) : facts_{facts} {}

  [[nodiscard]] std::string_view task() const { return facts_.task; }
  [[nodiscard]] TaskIndex task_index() const { return facts_.task_index; }
  /// Jobs of a task count from 0.
  [[nodiscard]] std::uint64_t number() const { return facts_.number; }
  [[nodiscard]] std::uint32_t segment() const { return facts_.segment; }
  [[nodiscard]] Time release() const { return facts_.release; }
  /// `never` for a job without one.
  [[nodiscard]] Time deadline() const { return facts_.deadline; }

  /// The blocks of a kernel that this call stands for: all of them, or a part that the scheduler chose.
  [[nodiscard]] std::int64_t first_block() const { return facts_.first_block; }
  [[nodiscard]] std::int64_t blocks() const { return facts_.blocks; }

  /// Whether the scheduler asks the work to end at its next yield point.
  [[nodiscard]] bool stop_requested() const {
    return facts_.stop != nullptr && facts_.stop->load(std::memory_order_relaxed);
  }

 private:
  Facts facts_;
};

/// What a `copy` segment moves. The places do not overlap.
struct MemoryCopy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
};
/// The copy of a job: buffers may change from job to job. It is asked once for each, when the copy begins,
/// however many pieces are made of it.
using CopyOfJob = SharedFunction<MemoryCopy(const Job&)>;
/// What a segment does for a job.
using WorkOfJob = SharedFunction<void(Job&)>;

namespace device {

/// What a segment does when it is run. Copies share the function: it is kept once, with its state.
struct Binding {
  enum class Kind : std::uint8_t {
    built_in,  // nothing is bound: the device's own kernel, sized to the model's times
    function,  // called once for each submission, on a CPU core or, opaque, on the segment's SMs
    blocks,    // called once for each block
    calls,     // enqueues GPU work on a stream; the work ends when the stream has done it
    copy,      // bytes that the device moves by itself, in chunks where something may be more urgent
  };
  Kind kind = Kind::built_in;
  WorkOfJob work;
  CopyOfJob copy{};  // of a copy, instead of `work`

  [[nodiscard]] bool is_empty() const { return kind == Kind::copy ? !copy : !work; }
};

/// A binding of a `copy` segment.
Binding bind_copy(CopyOfJob copy);

/// The place that a copy of some bytes lacks: "source" or "destination"; empty when both are there.
std::string_view missing_place(const MemoryCopy& copy);

/// Asks what the copy of a job moves. Throws what the function throws, and FailureError when a place is
/// missing or that is more than the bytes of the segment, where the system says how many those are.
MemoryCopy ask_for_copy(const CopyOfJob& copy, const Job& job, std::optional<std::int64_t> segment_bytes);

/// Moves a piece of a copy between places in the host's memory: at most `most` bytes, from the first on.
void move_piece(const MemoryCopy& copy, std::int64_t first, std::int64_t most);

/// By task and segment.
using Bindings = std::vector<std::vector<Binding>>;

}  // namespace device

}  // namespace tactus
