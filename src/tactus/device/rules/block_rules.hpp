// How an NVIDIA GPU assigns blocks and copies: the published rules as a pure state machine.
//
// Rule names as in the literature: G1 to G4 (streams), X1 (only the head of a queue), R1 to R3 (resources),
// C1 to C4 (copies), A1 and A2 (priorities). The component owns no clock and no thread: the caller tells it
// what has ended and asks it what starts, in virtual time (the simulated GPU) or in real time (the host
// device).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tactus/device/rules/sm_array.hpp"
#include "tactus/model/platform.hpp"
#include "tactus/model/segment.hpp"

namespace tactus::device {

using StreamIndex = std::uint32_t;
using OperationIndex = std::uint32_t;
inline constexpr std::uint32_t no_index = ~std::uint32_t{0};

enum class OperationKind : std::uint8_t { copy, kernel, exclusive };

/// A call in a stream. For exclusive work `blocks` is the number of slices, which run one after the other.
struct Call {
  OperationKind kind = OperationKind::kernel;
  std::uint32_t level = 0;   // EE queue, 0 = most urgent
  std::uint32_t sm_set = 0;  // index of the SM set it may use
  std::int64_t blocks = 1;
  BlockDemand demand;
};

/// A call in progress.
struct Operation {
  OperationKind kind = OperationKind::kernel;
  std::uint32_t level = 0;
  std::uint32_t sm_set = 0;
  StreamIndex stream = no_index;
  OperationIndex next_in_stream = no_index;  // in a free entry: the next free one
  OperationIndex next_in_queue = no_index;
  std::int32_t engine = -1;     // copy engine
  std::int64_t blocks = 0;      // of the whole grid
  std::int64_t unassigned = 0;  // blocks not yet on an SM
  std::int64_t in_flight = 0;   // blocks on SMs
  std::uint64_t called = 0;     // place in the order of all calls
  std::uint64_t joined = 0;     // place in the order of joining queues
  BlockDemand demand;
};

/// Where kernels queue: one EE queue for each priority of the GPU (A1), or one for each SM set, if the sets
/// act as separate GPUs without a common SM.
enum class Queues : std::uint8_t { by_priority, by_sm_set };

class BlockRules {
 public:
  /// `sm_sets[0]` is all SMs; operations may be restricted to the other sets.
  BlockRules(const Gpu& gpu, std::vector<SmSet> sm_sets, Queues queues = Queues::by_priority);

  /// Nothing is allocated later as long as these numbers of open streams, operations in progress and blocks
  /// on the SMs are not exceeded.
  void reserve(std::size_t streams, std::size_t operations, std::size_t blocks);

  StreamIndex open_stream();
  /// The stream takes no more calls; its index is reused once it is empty.
  void close_stream(StreamIndex stream);

  /// Whether every call has been popped.
  [[nodiscard]] bool is_idle() const { return in_progress_ == 0; }
  /// Takes a place in the order of all calls, without other effects.
  void note_call(StreamIndex stream) {
    ++calls_;
    if (streams_[stream].first_call == 0) streams_[stream].first_call = calls_;
  }

  /// Rule G1 and, at the head of the stream, G2 or C1.
  OperationIndex call(StreamIndex stream, const Call& call);

  /// Step 1 of an instant: blocks, a slice or a copy have ended and release their resources. True when this
  /// finishes the operation, which stays in its stream until `pop_finished`.
  bool blocks_ended(OperationIndex operation, std::span<const Share> shares, std::int64_t blocks);
  bool slice_ended(OperationIndex operation);
  void copy_ended(OperationIndex operation);

  /// Step 2: pops finished heads in the order of their streams' first calls (G4); the next call of each
  /// stream joins its queue. Calls `on_popped(operation)` before the index of the operation is reused.
  template <class OnPopped>
  void pop_finished(OnPopped&& on_popped);

  /// Step 4: starts everything that can start. Functions of the sink:
  ///   copy_started(operation, engine)
  ///   block_started(operation, block, sm)         only when `each_block`
  ///   blocks_started(operation, shares)
  ///   slice_started(operation, slice)
  template <class Sink>
  void dispatch(Sink&& sink, bool each_block);

  /// Whether `dispatch` may have something to start.
  [[nodiscard]] bool has_waiting() const {
    return busy_levels_ != 0 || copies_.head != no_index || !busy_sets_.empty();
  }

  /// Work that is preemptible anywhere yields at once to the head of a more urgent queue that needs its SMs:
  /// it waits at the head of its own queue. Calls `interrupt(operation)`, which takes it off the running
  /// ones.
  template <class Interrupt>
  void preempt(const std::vector<OperationIndex>& running, Interrupt&& interrupt);

  /// Preempts an exclusive operation within its slice.
  void preempt_slice(OperationIndex operation);

  /// Removes an exclusive operation that waits at the head of its stream, or runs its last slice: its SMs
  /// become free, and its stream treats it as finished.
  void withdraw(OperationIndex operation);

  /// The blocks, slices or copy of an operation that have not started yet will not start; returns their
  /// number. If nothing of it runs, the operation is finished, wherever in its stream it was.
  std::int64_t withdraw_rest(OperationIndex operation);

  /// The operation whose blocks are assigned next: the head of the most urgent non-empty EE queue, or
  /// `no_index`. With one queue for each SM set: the head of the only non-empty queue.
  [[nodiscard]] OperationIndex head() const {
    if (busy_levels_ != 0) return levels_[most_urgent_level()].head;
    return busy_sets_.size() == 1 ? set_queues_[busy_sets_.front()].head : no_index;
  }
  /// The level of that queue; the number of levels when all are empty.
  [[nodiscard]] std::uint32_t most_urgent_level() const {
    return busy_levels_ == 0 ? static_cast<std::uint32_t>(levels_.size())
                             : static_cast<std::uint32_t>(std::countr_zero(busy_levels_));
  }
  [[nodiscard]] const Operation& operation(OperationIndex index) const { return operations_[index]; }
  [[nodiscard]] std::span<const std::int32_t> sms_of(const Operation& operation) const {
    return sm_sets_[operation.sm_set];
  }
  /// Whether two operations may use the same SM.
  [[nodiscard]] bool overlap(const Operation& a, const Operation& b) const;
  [[nodiscard]] SmArray& sms() { return sms_; }

  /// Skips whole waves: `waves` times, all blocks in flight end and as many blocks of the same kernel replace
  /// them.
  void skip_waves(OperationIndex operation, std::int64_t waves) {
    operations_[operation].unassigned -= waves * operations_[operation].in_flight;
  }

  /// A barrier stands for calls that were left out behind everything now waiting in a queue (an EE queue or
  /// the copy queue) or in a stream. It is passed when a later call is at the head, or the queue is empty.
  void set_barrier(OperationKind kind, std::uint32_t level);
  void set_stream_barrier(StreamIndex stream);
  [[nodiscard]] bool has_barrier() const { return has_barrier_; }
  [[nodiscard]] bool barrier_passed() const;

 private:
  struct Queue {
    OperationIndex head = no_index;
    OperationIndex tail = no_index;
    std::uint64_t barrier = no_barrier;
  };
  static constexpr std::uint64_t no_barrier = ~std::uint64_t{0};

  struct Stream {
    OperationIndex head = no_index;  // in a free entry: the next free stream
    OperationIndex tail = no_index;
    std::uint64_t first_call = 0;  // 0: none yet
    bool closed = false;
  };

  void free_stream(StreamIndex index) { streams_[index].head = std::exchange(first_free_stream_, index); }
  void join_queue(OperationIndex index);
  void push(Queue& queue, OperationIndex index);
  void pop(Queue& queue);
  void pop_level(std::uint32_t level);
  void leave_queue(OperationIndex index);
  void leave_stream(OperationIndex index);
  void finish(OperationIndex index) { finished_.push_back(index); }
  [[nodiscard]] bool passed(const Queue& queue) const;
  template <class Sink>
  bool dispatch_head(OperationIndex index, Sink&& sink, bool each_block);
  template <class Sink>
  bool dispatch_kernel(OperationIndex index, Sink&& sink, bool each_block);
  std::int64_t place_each(Operation& operation, std::vector<std::int32_t>& placed_on);

  SmArray sms_;
  std::vector<SmSet> sm_sets_;
  std::vector<Queue> levels_;
  std::uint64_t busy_levels_ = 0;  // bit l: EE queue l is not empty
  bool by_sm_set_;
  std::vector<Queue> set_queues_;         // by SM set, if the sets act as separate GPUs
  std::vector<std::uint32_t> busy_sets_;  // SM sets with a non-empty queue
  Queue copies_;
  std::vector<bool> engine_busy_;
  std::int32_t free_engines_ = 0;

  std::vector<Stream> streams_;
  StreamIndex first_free_stream_ = no_index;
  std::vector<Operation> operations_;
  OperationIndex first_free_operation_ = no_index;
  std::vector<OperationIndex> finished_;
  std::vector<Share> shares_;
  std::vector<std::int32_t> placed_on_;
  std::vector<std::int32_t> blocks_on_;  // by SM
  std::uint64_t calls_ = 0;
  std::size_t in_progress_ = 0;
  std::uint64_t joins_ = 0;
  bool has_barrier_ = false;
  struct StreamBarrier {
    StreamIndex stream = 0;
    std::uint64_t behind = 0;  // the last call before the barrier
  };
  std::vector<StreamBarrier> stream_barriers_;
};

template <class OnPopped>
void BlockRules::pop_finished(OnPopped&& on_popped) {
  if (finished_.size() > 1) {
    std::sort(finished_.begin(), finished_.end(), [&](OperationIndex a, OperationIndex b) {
      return streams_[operations_[a].stream].first_call < streams_[operations_[b].stream].first_call;
    });
  }
  for (const OperationIndex index : finished_) {
    const StreamIndex stream_index = operations_[index].stream;
    Stream& stream = streams_[stream_index];
    const bool was_head = stream.head == index;  // otherwise it was withdrawn while it waited
    if (was_head) stream.head = operations_[index].next_in_stream;
    on_popped(index);
    operations_[index].next_in_stream = std::exchange(first_free_operation_, index);
    if (!was_head) continue;
    if (stream.head != no_index) {
      join_queue(stream.head);
    } else if (stream.closed) {
      free_stream(stream_index);
    }
  }
  in_progress_ -= finished_.size();
  finished_.clear();
}

template <class Interrupt>
void BlockRules::preempt(const std::vector<OperationIndex>& running, Interrupt&& interrupt) {
  const std::uint32_t urgent = most_urgent_level();
  for (std::size_t i = 0; i < running.size();) {
    const OperationIndex index = running[i];
    if (operations_[index].level <= urgent || !overlap(operations_[head()], operations_[index])) {
      ++i;
      continue;
    }
    interrupt(index);
    preempt_slice(index);
  }
}

template <class Sink>
void BlockRules::dispatch(Sink&& sink, bool each_block) {
  while (copies_.head != no_index && free_engines_ > 0) {
    const OperationIndex index = copies_.head;
    pop(copies_);
    const auto engine = std::find(engine_busy_.begin(), engine_busy_.end(), false);
    *engine = true;
    --free_engines_;
    operations_[index].engine = static_cast<std::int32_t>(engine - engine_busy_.begin());
    operations_[index].unassigned = 0;
    operations_[index].in_flight = 1;
    sink.copy_started(index, operations_[index].engine);
  }
  // A2: only the most urgent non-empty queue; X1: only its head.
  while (busy_levels_ != 0) {
    const std::uint32_t level = most_urgent_level();
    if (!dispatch_head(levels_[level].head, sink, each_block)) return;
    pop_level(level);  // G3
  }
  if (busy_sets_.empty()) return;
  std::erase_if(busy_sets_, [&](std::uint32_t set) {
    Queue& queue = set_queues_[set];
    while (queue.head != no_index && dispatch_head(queue.head, sink, each_block)) pop(queue);
    return queue.head == no_index;
  });
}

/// Starts as much of a head as possible; true when nothing of it is left to start.
template <class Sink>
bool BlockRules::dispatch_head(OperationIndex index, Sink&& sink, bool each_block) {
  Operation& operation = operations_[index];
  if (operation.kind == OperationKind::kernel) return dispatch_kernel(index, sink, each_block);
  if (operation.in_flight > 0 || !sms_.occupy_whole(sms_of(operation))) return false;
  operation.in_flight = 1;
  --operation.unassigned;
  sink.slice_started(index, operation.blocks - operation.unassigned - 1);
  return operation.unassigned == 0;
}

/// Assigns blocks of a head while they fit; true when none is left.
template <class Sink>
bool BlockRules::dispatch_kernel(OperationIndex index, Sink&& sink, bool each_block) {
  Operation& operation = operations_[index];
  shares_.clear();
  std::int64_t placed = 0;
  if (each_block) {
    const std::int64_t first = operation.blocks - operation.unassigned;
    placed = place_each(operation, placed_on_);
    for (std::int64_t i = 0; i < placed; ++i) {
      sink.block_started(index, first + i, placed_on_[static_cast<std::size_t>(i)]);
    }
  } else {
    placed = sms_.place(operation.demand, operation.unassigned, sms_of(operation), shares_);
  }
  if (placed > 0) {
    operation.unassigned -= placed;
    operation.in_flight += placed;
    sink.blocks_started(index, std::span<const Share>{shares_}, placed);
  }
  return operation.unassigned == 0;
}

}  // namespace tactus::device
