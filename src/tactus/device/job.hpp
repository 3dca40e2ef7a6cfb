// The job as bound functions see it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "tactus/base/shared_function.hpp"
#include "tactus/base/time.hpp"
#include "tactus/device/job_buffers.hpp"
#include "tactus/model/task.hpp"

namespace tactus {

/// The job that a bound function works for. Instants count from the start of the run.
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
    const device::JobBuffers* buffers = nullptr;  // of its task; null: it has none
    std::uint32_t place = 0;                      // among these
  };

  explicit Job(const Facts& facts) : facts_{facts} {}

  [[nodiscard]] std::string_view task() const { return facts_.task; }
  [[nodiscard]] TaskIndex task_index() const { return facts_.task_index; }
  /// Jobs of a task count from 0.
  [[nodiscard]] std::uint64_t number() const { return facts_.number; }
  [[nodiscard]] std::uint32_t segment() const { return facts_.segment; }
  [[nodiscard]] Time release() const { return facts_.release; }
  /// `never` for a job without a deadline.
  [[nodiscard]] Time deadline() const { return facts_.deadline; }

  /// The blocks of a kernel that this call covers: all of them, or a part that the scheduler chose.
  [[nodiscard]] std::int64_t first_block() const { return facts_.first_block; }
  [[nodiscard]] std::int64_t blocks() const { return facts_.blocks; }

  /// The buffer that this node of this job fills (Runtime::buffer). No other job has it before this one is
  /// over. FailureError, which ends the run, when none was declared or it has another type.
  template <class T>
  [[nodiscard]] T& output() const {
    return *static_cast<T*>(device::output_of(facts_.buffers, facts_.segment, facts_.place, typeid(T)));
  }
  /// The buffer that another node of this job filled: one from which a path of edges leads here.
  template <class T>
  [[nodiscard]] const T& input(std::string_view node) const {
    return *static_cast<const T*>(
        device::input_of(facts_.buffers, facts_.segment, facts_.place, node, typeid(T)));
  }
  /// The same for a segment of a chain, counted from 0.
  template <class T>
  [[nodiscard]] const T& input(std::size_t segment) const {
    return *static_cast<const T*>(
        device::input_of(facts_.buffers, facts_.segment, facts_.place, segment, typeid(T)));
  }

  /// Whether the scheduler asks the work to stop at its next yield point.
  [[nodiscard]] bool stop_requested() const {
    return facts_.stop != nullptr && facts_.stop->load(std::memory_order_relaxed);
  }

 private:
  Facts facts_;
};

/// The buffers of a `copy` segment. They must not overlap.
struct MemoryCopy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
};
/// Returns the buffers for a job, which may change from job to job. Called once for each job, when its copy
/// starts, regardless of the number of chunks.
using CopyOfJob = SharedFunction<MemoryCopy(const Job&)>;
/// The function of a segment.
using WorkOfJob = SharedFunction<void(Job&)>;

namespace device {

/// What a segment executes. Copies of a binding share the function and its state.
struct Binding {
  enum class Kind : std::uint8_t {
    built_in,  // nothing is bound: the device's own kernel, as long as the model says
    function,  // called once for each submission, on a CPU core or, opaque, on the SMs of the segment
    blocks,    // called once for each block
    calls,     // enqueues GPU work on a stream; it ends when the stream has finished it
    copy,      // buffers that the device copies, in chunks where more urgent copies may arrive
  };
  Kind kind = Kind::built_in;
  WorkOfJob work;
  CopyOfJob copy{};       // of a copy, instead of `work`
  bool captured = false;  // of `calls`: called before the run only; every job repeats what it enqueued then
  std::shared_ptr<const JobBuffers> buffers{};  // of the task, for what is bound; null: none

  [[nodiscard]] bool is_empty() const { return kind == Kind::copy ? !copy : !work; }
};

/// A binding of a `copy` segment.
Binding bind_copy(CopyOfJob copy);

/// The missing pointer of a copy that is not empty: "source" or "destination"; empty when there is none.
std::string_view missing_place(const MemoryCopy& copy);

/// Gets the buffers of a job's copy. Passes on exceptions of the function; FailureError when a pointer is
/// missing or the copy is larger than its segment declares.
MemoryCopy ask_for_copy(const CopyOfJob& copy, const Job& job, std::optional<std::int64_t> segment_bytes);

/// Copies a part within host memory: at most `most` bytes, starting at offset `first`.
void move_piece(const MemoryCopy& copy, std::int64_t first, std::int64_t most);

/// By task and segment.
using Bindings = std::vector<std::vector<Binding>>;

/// What is bound to a segment; null when nothing is.
const Binding* find_binding(const Bindings* bindings, std::size_t task, std::size_t segment);

}  // namespace device

}  // namespace tactus
