// The simulated GPU: the block rules in virtual time.
//
// Equal blocks are handled in bulk. Blocks of one kernel that start together end together and form a group.
// While the head of the queue refills exactly the places that its own blocks release, the state repeats, so
// whole waves are skipped at once. The cost depends on the number of other events, not on the number of
// blocks and waves.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/device/rules/block_rules.hpp"

namespace tactus::device {

/// A call with its times. `token` identifies it for the caller.
struct TimedCall {
  Call call;
  Duration length{};       // of a block, a slice or the copy
  Duration last_length{};  // of the last slice of exclusive work; else equal to `length`
  bool preemptible_anywhere = false;
  std::int64_t first_block = 0;  // index of its first block or slice, counting earlier submissions
  std::uint64_t token = 0;
};

struct Completion {
  std::uint64_t token = 0;
  Time called{};
  Time start{};
};

/// Gets the starts that it asked for.
class GpuListener {
 public:
  virtual void block_ran(std::uint64_t token, std::int64_t block, std::int32_t sm, Time start, Time end) = 0;
  virtual void copy_ran(std::uint64_t token, std::int32_t engine, Time start, Time end) = 0;

 protected:
  ~GpuListener() = default;
};

class SimGpu {
 public:
  struct Listening {
    GpuListener* listener = nullptr;
    bool blocks = false;  // one by one; otherwise blocks are reported in bulk
    bool copies = false;
  };

  SimGpu(const Gpu& gpu, std::vector<SmSet> sm_sets, Queues queues = Queues::by_priority);

  /// Takes effect from now on; earlier starts are not reported.
  void listen(Listening listening) {
    leave_shortcut();
    listening_ = listening;
  }

  StreamIndex open_stream() { return rules_.open_stream(); }
  void close_stream(StreamIndex stream) {
    if (alone_.stream == stream) leave_shortcut();
    rules_.close_stream(stream);
  }

  /// Runs the device alone up to the first instant that concerns the caller: an operation has finished, or
  /// `limit`. Steps 1 and 2 of the rules (ends, pops) have been taken there; calls and `dispatch` are left to
  /// the caller. Appends the operations that finished at that instant. After many instants it returns early,
  /// before `limit` and with nothing finished, so that the caller can check for interruption.
  Time advance(Time limit, std::vector<Completion>& finished) {
    if (alone_.stream == no_index) return advance_all(limit, finished);
    now_ = std::min(limit, alone_.end);
    if (alone_.end <= limit && alone_.start != never) end_alone(finished);
    return now_;
  }

  /// Step 3 of an instant. The index is valid until the operation has finished.
  OperationIndex call(StreamIndex stream, const TimedCall& call, Time now);

  /// Shortcut for work on all SMs that starts at once and is never withdrawn: while it is alone on the device
  /// it needs no queue and no accounting of SMs. `call` must stay valid. False: the device is not idle, so
  /// use `call`.
  bool call_alone(StreamIndex stream, const Call& call, std::uint32_t level, Duration length,
                  std::uint64_t token, Time now);

  /// Removes an operation that is preemptible anywhere; returns how much of it is left and when it started
  /// (`never`: not at all).
  struct Withdrawn {
    Duration left{};
    Time called{};
    Time start = never;
  };
  Withdrawn withdraw(OperationIndex index, Time now);

  /// The parts of an operation that have not started will not start. `ended`: nothing of it runs any more.
  struct Rest {
    std::int64_t parts = 0;  // blocks or slices that will not run
    bool ended = false;
    Time called{};
    Time start = never;
  };
  Rest withdraw_rest(OperationIndex index);

  /// Step 4.
  void dispatch(Time now) {
    if (alone_.stream != no_index) {
      if (alone_.start == never) start_alone(now);
    } else if (rules_.has_waiting()) {
      start(now);
    }
  }

  /// When the next block, slice or copy ends; `never` when nothing runs.
  [[nodiscard]] Time next_end() const { return heap_.empty() ? alone_.end : heap_.front().end; }

  /// Calls `visit(token, start)` for every operation in progress; `start` is `never` if it still waits.
  template <class Visit>
  void for_each_operation(Visit&& visit) const {
    for (const Timing& timing : timings_) {
      if (timing.live) visit(timing.token, timing.start);
    }
    if (alone_.stream != no_index) visit(alone_.token, alone_.start);
  }

  [[nodiscard]] BlockRules& rules() {
    leave_shortcut();
    return rules_;
  }
  /// Whether a barrier of the rules was passed; `advance` returns at that instant.
  [[nodiscard]] bool barrier_passed() const { return rules_.has_barrier() && rules_.barrier_passed(); }

 private:
  using GroupIndex = std::uint32_t;

  /// Blocks of one operation that started together.
  struct Group {
    Duration end{};              // relative to the operation's `shift`
    GroupIndex next = no_index;  // in a free entry: the next free one
    std::int64_t blocks = 0;
    Share only{};               // if there is only one
    std::vector<Share> shares;  // otherwise
    bool single = true;

    [[nodiscard]] std::span<const Share> all() const {
      return single ? std::span<const Share>{&only, 1} : std::span<const Share>{shares};
    }
  };

  /// The times of an operation of the rules. All blocks of an operation have the same length, so its groups
  /// end in the order of their starts: a list, whose first end is the key of the operation in the heap.
  struct Timing {
    std::uint64_t token = 0;
    Time called{};
    Time start = never;
    Time slice_start{};
    Duration length{};
    Duration last_length{};
    Time shift = origin;
    GroupIndex first = no_index;
    GroupIndex last = no_index;
    std::uint32_t heap_place = no_index;
    std::int64_t first_block = 0;
    std::int64_t slices = 0;  // slices run so far, of preemptible work
    bool preemptible_anywhere = false;
    bool live = false;
  };

  struct HeapEntry {
    Time end{};
    OperationIndex operation = 0;
  };

  /// The operation of the shortcut; its stream is `no_index` when there is none.
  struct Alone {
    StreamIndex stream = no_index;
    std::uint32_t level = 0;
    const Call* call = nullptr;
    std::uint64_t token = 0;
    Duration length{};
    Time called{};
    Time start = never;  // `never`: not dispatched yet
    Time end = never;
  };

  struct Sink;

  Time advance_all(Time limit, std::vector<Completion>& finished);
  void start_alone(Time now) {
    alone_.end = checked_add(now, alone_.length);
    alone_.start = now;
  }
  void end_alone(std::vector<Completion>& finished) {
    finished.push_back({alone_.token, alone_.called, alone_.start});
    alone_.stream = no_index;
    alone_.end = never;
  }
  /// An operation that takes the shortcut becomes an ordinary one.
  void leave_shortcut() {
    if (alone_.stream != no_index) make_alone_ordinary();
  }
  void make_alone_ordinary();
  void end_due(Time now);
  void end_first_group(OperationIndex index, Time now);
  void pop_finished(std::vector<Completion>& finished);
  void skip_waves(Time now, Time limit);
  void move_pointer(const Timing& timing, std::int64_t waves);
  void start(Time now);
  void interrupt(OperationIndex index, Time now);
  void tell_slice(OperationIndex index, Time now) const;

  Group& append_group(OperationIndex index, Time end);
  bool join_last_group(OperationIndex index, Time end, std::span<const Share> shares, std::int64_t blocks);
  void free_group(GroupIndex index) { groups_[index].next = std::exchange(first_free_group_, index); }
  void remember_start(OperationIndex index, Time now);
  [[nodiscard]] Time first_end(const Timing& timing) const {
    return timing.shift + groups_[timing.first].end;
  }

  void heap_insert(OperationIndex index, Time end);
  void heap_remove(OperationIndex index);
  void heap_update(OperationIndex index, Time end);
  void sift_up(std::uint32_t place, HeapEntry entry);
  void sift_down(std::uint32_t place, HeapEntry entry);
  void put(std::uint32_t place, HeapEntry entry) {
    heap_[place] = entry;
    timings_[entry.operation].heap_place = place;
  }
  /// The earliest end of all operations except one, which is in the heap.
  [[nodiscard]] Time next_end_besides(OperationIndex index) const;

  BlockRules rules_;
  Listening listening_;
  bool round_robin_;
  std::vector<Timing> timings_;  // by operation index
  std::vector<Group> groups_;
  GroupIndex first_free_group_ = no_index;
  std::vector<HeapEntry> heap_;
  std::vector<OperationIndex> preemptible_;  // running and preemptible anywhere
  Alone alone_;
  Time now_ = origin;
};

}  // namespace tactus::device
