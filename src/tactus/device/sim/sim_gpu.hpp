// The simulated GPU: the block rules in virtual time.
//
// Equal blocks are handled in bulk. Blocks of one kernel that started together end together: one group. While
// the head of the queue refills exactly the places its own blocks give back, nothing else changes, so whole
// waves are skipped at once. The cost is that of the events that change something, whatever the number of
// blocks and waves.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/device/rules/block_rules.hpp"

namespace tactus::device {

/// A call with its times. `token` is the caller's name for it.
struct TimedCall {
  Call call;
  Duration length{};       // of a block, a slice or the copy
  Duration last_length{};  // of the last slice of exclusive work; else equal to `length`
  bool preemptible_anywhere = false;
  std::int64_t first_block = 0;  // what its first block or slice is called; those of an earlier part count
  std::uint64_t token = 0;
};

struct Completion {
  std::uint64_t token = 0;
  Time called{};
  Time start{};
};

/// Told what starts; only as far as it asked to be.
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
    bool blocks = false;  // one by one; without it blocks stay in bulk
    bool copies = false;
  };

  SimGpu(const Gpu& gpu, std::vector<SmSet> sm_sets, Queues queues = Queues::by_priority);

  /// From now on; what has started before is not told.
  void listen(Listening listening) {
    give_company();
    listening_ = listening;
  }

  StreamIndex open_stream() { return rules_.open_stream(); }
  void close_stream(StreamIndex stream) {
    if (alone_.stream == stream) give_company();
    rules_.close_stream(stream);
  }

  /// Lets the device run alone up to the first instant that concerns the outside: an operation finished, or
  /// `limit`. There steps 1 and 2 have been taken (see the rules: ends, then pops); calls and `dispatch` are
  /// the caller's. The operations finished at that instant are appended. After many instants of its own it
  /// returns early, before `limit` and with nothing finished, so that the caller can look around.
  Time advance(Time limit, std::vector<Completion>& finished) {
    if (alone_.stream == no_index) return advance_all(limit, finished);
    now_ = std::min(limit, alone_.end);
    if (alone_.end <= limit && alone_.start != never) end_alone(finished);
    return now_;
  }

  /// Step 3 of an instant. The index is valid until the operation has finished.
  OperationIndex call(StreamIndex stream, const TimedCall& call, Time now);

  /// The short way for work on all SMs that starts at once and is never withdrawn: while nothing else is
  /// there, it needs no queue, and nobody keeps account of the SMs. `call` must stay where it is. False:
  /// there is something else, so it has to be called.
  bool call_alone(StreamIndex stream, const Call& call, std::uint32_t level, Duration length,
                  std::uint64_t token, Time now);

  /// Takes an operation that is preemptible anywhere off the device; answers how much of it is left to do and
  /// when it began (`never`: not at all).
  struct Withdrawn {
    Duration left{};
    Time called{};
    Time start = never;
  };
  Withdrawn withdraw(OperationIndex index, Time now);

  /// What of an operation has not started will not. `ended`: nothing of it runs, it is off the device.
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

  /// Calls `visit(token, start)` for every operation in progress; `start` is `never` for those that wait.
  template <class Visit>
  void for_each_operation(Visit&& visit) const {
    for (const Timing& timing : timings_) {
      if (timing.live) visit(timing.token, timing.start);
    }
    if (alone_.stream != no_index) visit(alone_.token, alone_.start);
  }

  [[nodiscard]] BlockRules& rules() {
    give_company();
    return rules_;
  }
  /// Whether a barrier of the rules was passed; `advance` returns at that instant.
  [[nodiscard]] bool barrier_passed() const { return rules_.has_barrier() && rules_.barrier_passed(); }

 private:
  using GroupIndex = std::uint32_t;

  /// Blocks of one operation that started together.
  struct Group {
    Duration end{};              // relative to the operation's `shift`
    GroupIndex next = no_index;  // of a free one: the next free one
    std::int64_t blocks = 0;
    Share only{};               // the share, where there is but one
    std::vector<Share> shares;  // else
    bool single = true;

    [[nodiscard]] std::span<const Share> all() const {
      return single ? std::span<const Share>{&only, 1} : std::span<const Share>{shares};
    }
  };

  /// What the simulation adds to an operation of the rules. All blocks of an operation last equally long, so
  /// its groups end in the order in which they started: a list, whose first end is the operation's key in the
  /// heap.
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
    std::int64_t slices = 0;  // slices that ran, of preemptible work
    bool preemptible_anywhere = false;
    bool live = false;
  };

  struct HeapEntry {
    Time end{};
    OperationIndex operation = 0;
  };

  /// What was called the short way; stream: `no_index` when nothing was.
  struct Alone {
    StreamIndex stream = no_index;
    std::uint32_t level = 0;
    const Call* call = nullptr;
    std::uint64_t token = 0;
    Duration length{};
    Time called{};
    Time start = never;  // `never`: it was not dispatched yet
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
  /// What was called the short way goes on among others, as if it had been called like them.
  void give_company() {
    if (alone_.stream != no_index) leave_short_way();
  }
  void leave_short_way();
  void end_due(Time now);
  void end_first_group(OperationIndex index, Time now);
  void pop_finished(std::vector<Completion>& finished);
  void skip_waves(Time now, Time limit);
  void move_pointer(const Timing& timing, std::int64_t waves);
  void start(Time now);
  void preempt(Time now);
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
  /// The earliest end of any operation but one that is in the heap.
  [[nodiscard]] Time next_end_besides(OperationIndex index) const;

  BlockRules rules_;
  Listening listening_;
  bool round_robin_;
  std::vector<Timing> timings_;  // by operation index
  std::vector<Group> groups_;
  GroupIndex first_free_group_ = no_index;
  std::vector<HeapEntry> heap_;
  std::vector<OperationIndex> preemptible_;  // running, preemptible anywhere
  Alone alone_;
  Time now_ = origin;
};

}  // namespace tactus::device
