#include "tactus/device/rules/block_rules.hpp"

#include <utility>

#include "tactus/base/touch.hpp"

namespace tactus::device {

BlockRules::BlockRules(const Gpu& gpu, std::vector<SmSet> sm_sets, Queues queues)
    : sms_{gpu},
      sm_sets_{std::move(sm_sets)},
      levels_(static_cast<std::size_t>(gpu.priority_levels)),
      by_sm_set_{queues == Queues::by_sm_set},
      set_queues_(by_sm_set_ ? sm_sets_.size() : 0),
      engine_busy_(static_cast<std::size_t>(gpu.copy_engines), false),
      free_engines_{gpu.copy_engines} {}

void BlockRules::reserve(std::size_t streams, std::size_t operations, std::size_t blocks) {
  reserve_touched(streams_, streams);
  reserve_touched(operations_, operations);
  reserve_touched(finished_, operations);
  busy_sets_.reserve(set_queues_.size());
  shares_.reserve(sm_sets_.empty() ? 0 : sm_sets_.front().size());
  reserve_touched(placed_on_, blocks);
  blocks_on_.reserve(shares_.capacity());
}

StreamIndex BlockRules::open_stream() {
  if (first_free_stream_ == no_index) {
    streams_.emplace_back();
    return static_cast<StreamIndex>(streams_.size() - 1);
  }
  const StreamIndex index = first_free_stream_;
  first_free_stream_ = streams_[index].head;
  streams_[index] = {};
  return index;
}

void BlockRules::close_stream(StreamIndex stream) {
  streams_[stream].closed = true;
  if (streams_[stream].head == no_index) free_stream(stream);
}

OperationIndex BlockRules::call(StreamIndex stream_index, const Call& call) {
  OperationIndex index = 0;
  if (first_free_operation_ == no_index) {
    index = static_cast<OperationIndex>(operations_.size());
    operations_.emplace_back();
  } else {
    index = first_free_operation_;
    first_free_operation_ = operations_[index].next_in_stream;
  }
  Operation& operation = operations_[index];
  operation.kind = call.kind;
  operation.level = call.level;
  operation.sm_set = call.sm_set;
  operation.stream = stream_index;
  operation.next_in_stream = no_index;
  operation.blocks = call.blocks;
  operation.unassigned = call.blocks;
  operation.in_flight = 0;
  operation.demand = call.demand;

  Stream& stream = streams_[stream_index];
  ++in_progress_;
  note_call(stream_index);
  operation.called = calls_;
  if (stream.head == no_index) {
    stream.head = index;
    stream.tail = index;
    join_queue(index);
  } else {
    operations_[stream.tail].next_in_stream = index;
    stream.tail = index;
  }
  return index;
}

void BlockRules::join_queue(OperationIndex index) {
  Operation& operation = operations_[index];
  operation.joined = ++joins_;
  if (operation.kind == OperationKind::copy) {
    push(copies_, index);
  } else if (by_sm_set_) {
    Queue& queue = set_queues_[operation.sm_set];
    if (queue.head == no_index) busy_sets_.push_back(operation.sm_set);
    push(queue, index);
  } else {
    push(levels_[operation.level], index);
    busy_levels_ |= std::uint64_t{1} << operation.level;
  }
}

void BlockRules::push(Queue& queue, OperationIndex index) {
  operations_[index].next_in_queue = no_index;
  if (queue.head == no_index) {
    queue.head = index;
  } else {
    operations_[queue.tail].next_in_queue = index;
  }
  queue.tail = index;
}

void BlockRules::pop(Queue& queue) { queue.head = operations_[queue.head].next_in_queue; }

void BlockRules::pop_level(std::uint32_t level) {
  pop(levels_[level]);
  if (levels_[level].head == no_index) busy_levels_ &= ~(std::uint64_t{1} << level);
}

bool BlockRules::blocks_ended(OperationIndex index, std::span<const Share> shares, std::int64_t blocks) {
  Operation& operation = operations_[index];
  for (const Share& share : shares) sms_.vacate(operation.demand, share);
  operation.in_flight -= blocks;
  if (operation.in_flight > 0 || operation.unassigned > 0) return false;
  finish(index);
  return true;
}

bool BlockRules::slice_ended(OperationIndex index) {
  Operation& operation = operations_[index];
  sms_.vacate_whole(sms_of(operation));
  operation.in_flight = 0;
  if (operation.unassigned > 0) return false;
  finish(index);
  return true;
}

void BlockRules::copy_ended(OperationIndex index) {
  Operation& operation = operations_[index];
  engine_busy_[static_cast<std::size_t>(operation.engine)] = false;
  ++free_engines_;
  operation.in_flight = 0;
  finish(index);
}

void BlockRules::preempt_slice(OperationIndex index) {
  Operation& operation = operations_[index];
  sms_.vacate_whole(sms_of(operation));
  operation.in_flight = 0;
  ++operation.unassigned;
  Queue& queue = levels_[operation.level];
  operation.next_in_queue = queue.head;
  if (queue.head == no_index) queue.tail = index;
  queue.head = index;
  busy_levels_ |= std::uint64_t{1} << operation.level;
}

bool BlockRules::overlap(const Operation& a, const Operation& b) const {
  if (a.sm_set == b.sm_set || a.sm_set == 0 || b.sm_set == 0) return true;
  const std::span<const std::int32_t> first = sms_of(a);
  const std::span<const std::int32_t> second = sms_of(b);
  return std::find_first_of(first.begin(), first.end(), second.begin(), second.end()) != first.end();
}

void BlockRules::withdraw(OperationIndex index) {
  Operation& operation = operations_[index];
  if (operation.in_flight > 0) {
    sms_.vacate_whole(sms_of(operation));
    operation.in_flight = 0;
  }
  if (operation.unassigned > 0) {
    leave_queue(index);
    operation.unassigned = 0;
  }
  finish(index);
}

std::int64_t BlockRules::withdraw_rest(OperationIndex index) {
  Operation& operation = operations_[index];
  const std::int64_t rest = operation.unassigned;
  if (rest == 0) return 0;
  if (streams_[operation.stream].head == index) {
    leave_queue(index);
  } else {
    leave_stream(index);
  }
  operation.unassigned = 0;
  if (operation.in_flight == 0) finish(index);
  return rest;
}

void BlockRules::leave_queue(OperationIndex index) {
  const Operation& operation = operations_[index];
  const bool is_copy = operation.kind == OperationKind::copy;
  Queue& queue = is_copy ? copies_ : by_sm_set_ ? set_queues_[operation.sm_set] : levels_[operation.level];
  if (queue.head != index) {
    OperationIndex before = queue.head;
    while (operations_[before].next_in_queue != index) before = operations_[before].next_in_queue;
    operations_[before].next_in_queue = operation.next_in_queue;
    if (queue.tail == index) queue.tail = before;
    return;
  }
  pop(queue);
  if (queue.head != no_index || is_copy) return;
  if (by_sm_set_) {
    std::erase(busy_sets_, operation.sm_set);
  } else {
    busy_levels_ &= ~(std::uint64_t{1} << operation.level);
  }
}

/// The operation is not the head of its stream.
void BlockRules::leave_stream(OperationIndex index) {
  Stream& stream = streams_[operations_[index].stream];
  OperationIndex before = stream.head;
  while (operations_[before].next_in_stream != index) before = operations_[before].next_in_stream;
  operations_[before].next_in_stream = operations_[index].next_in_stream;
  if (stream.tail == index) stream.tail = before;
}

std::int64_t BlockRules::place_each(Operation& operation, std::vector<std::int32_t>& placed_on) {
  placed_on.clear();
  while (static_cast<std::int64_t>(placed_on.size()) < operation.unassigned) {
    const std::int32_t sm = sms_.place_one(operation.demand, sms_of(operation));
    if (sm < 0) break;
    placed_on.push_back(sm);
  }
  // The same placement as shares: blocks that started together end together.
  const std::span<const std::int32_t> allowed = sms_of(operation);
  blocks_on_.assign(allowed.empty() ? 0 : static_cast<std::size_t>(allowed.back()) + 1, 0);
  for (const std::int32_t sm : placed_on) ++blocks_on_[static_cast<std::size_t>(sm)];
  for (const std::int32_t sm : allowed) {
    const std::int32_t blocks = blocks_on_[static_cast<std::size_t>(sm)];
    if (blocks > 0) shares_.push_back({sm, blocks});
  }
  return static_cast<std::int64_t>(placed_on.size());
}

void BlockRules::set_barrier(OperationKind kind, std::uint32_t level) {
  Queue& queue = kind == OperationKind::copy ? copies_ : levels_[level];
  if (queue.barrier == no_barrier) queue.barrier = joins_;
  has_barrier_ = true;
}

void BlockRules::set_stream_barrier(StreamIndex stream) {
  stream_barriers_.push_back({stream, calls_});
  has_barrier_ = true;
}

bool BlockRules::passed(const Queue& queue) const {
  if (queue.barrier == no_barrier) return false;
  return queue.head == no_index || operations_[queue.head].joined > queue.barrier;
}

bool BlockRules::barrier_passed() const {
  if (!has_barrier_) return false;
  return passed(copies_) ||
         std::any_of(levels_.begin(), levels_.end(), [&](const Queue& q) { return passed(q); }) ||
         std::any_of(stream_barriers_.begin(), stream_barriers_.end(), [&](const StreamBarrier& barrier) {
           const OperationIndex head = streams_[barrier.stream].head;
           return head == no_index || operations_[head].called > barrier.behind;
         });
}

}  // namespace tactus::device
