#include "tactus/device/sim/sim_gpu.hpp"

#include <algorithm>
#include <utility>

namespace tactus::device {

SimGpu::SimGpu(const Gpu& gpu, std::vector<SmSet> sm_sets, Queues queues)
    : rules_{gpu, std::move(sm_sets), queues}, round_robin_{gpu.sm_choice == SmChoice::round_robin} {}

/// Adds times to what the rules start.
struct SimGpu::Sink {
  SimGpu& gpu;
  Time now;

  void copy_started(OperationIndex index, std::int32_t engine) const {
    gpu.remember_start(index, now);
    const Timing& timing = gpu.timings_[index];
    const Time end = checked_add(now, timing.length);
    gpu.append_group(index, end);
    if (gpu.listening_.copies) gpu.listening_.listener->copy_ran(timing.token, engine, now, end);
  }

  void block_started(OperationIndex index, std::int64_t block, std::int32_t sm) const {
    const Timing& timing = gpu.timings_[index];
    gpu.listening_.listener->block_ran(timing.token, timing.first_block + block, sm, now,
                                       checked_add(now, timing.length));
  }

  void blocks_started(OperationIndex index, std::span<const Share> shares, std::int64_t blocks) const {
    gpu.remember_start(index, now);
    const Time end = checked_add(now, gpu.timings_[index].length);
    if (gpu.join_last_group(index, end, shares, blocks)) return;
    Group& group = gpu.append_group(index, end);
    group.blocks = blocks;
    group.single = shares.size() == 1;
    if (group.single) {
      group.only = shares.front();
    } else {
      group.shares.assign(shares.begin(), shares.end());
    }
  }

  void slice_started(OperationIndex index, std::int64_t slice) const {
    gpu.remember_start(index, now);
    Timing& timing = gpu.timings_[index];
    const Operation& operation = gpu.rules_.operation(index);
    const Duration length = operation.unassigned == 0 ? timing.last_length : timing.length;
    const Time end = checked_add(now, length);
    gpu.append_group(index, end).blocks = 1;
    if (timing.preemptible_anywhere) {
      timing.slice_start = now;
      gpu.preemptible_.push_back(index);
    } else if (gpu.listening_.blocks) {
      for (const std::int32_t sm : gpu.rules_.sms_of(operation)) {
        gpu.listening_.listener->block_ran(timing.token, timing.first_block + slice, sm, now, end);
      }
    }
  }
};

bool SimGpu::call_alone(StreamIndex stream, const Call& call, std::uint32_t level, Duration length,
                        std::uint64_t token, Time now) {
  if (alone_.stream != no_index || !rules_.is_idle() || rules_.has_barrier() || listening_.blocks) {
    return false;
  }
  rules_.note_call(stream);
  alone_.stream = stream;
  alone_.level = level;
  alone_.call = &call;
  alone_.token = token;
  alone_.length = length;
  alone_.called = now;
  alone_.start = never;
  return true;
}

void SimGpu::make_alone_ordinary() {
  const Alone was = std::exchange(alone_, {});
  TimedCall timed{.call = *was.call, .length = was.length, .last_length = was.length, .token = was.token};
  timed.call.level = was.level;
  call(was.stream, timed, was.called);
  if (was.start != never) start(was.start);
}

Time SimGpu::advance_all(Time limit, std::vector<Completion>& finished) {
  const std::size_t already_finished = finished.size();
  // Instants cost more when every block is reported.
  for (int instants = listening_.blocks ? 16 : 4096; instants > 0; --instants) {
    if (rules_.head() != no_index) skip_waves(now_, limit);
    if (next_end() > limit) {
      now_ = limit;
      return limit;
    }
    now_ = next_end();
    end_due(now_);
    pop_finished(finished);
    if (finished.size() > already_finished || now_ == limit) return now_;
    dispatch(now_);
    if (barrier_passed()) return now_;
  }
  return now_;
}

void SimGpu::end_due(Time now) {
  while (!heap_.empty() && heap_.front().end == now) end_first_group(heap_.front().operation, now);
}

void SimGpu::end_first_group(OperationIndex index, Time now) {
  Timing& timing = timings_[index];
  const GroupIndex group_index = timing.first;
  const Group& group = groups_[group_index];
  timing.first = group.next;
  if (timing.first == no_index) {
    heap_remove(index);
  } else {
    heap_update(index, first_end(timing));
  }
  const Operation& operation = rules_.operation(index);
  switch (operation.kind) {
    case OperationKind::copy:
      rules_.copy_ended(index);
      break;
    case OperationKind::kernel:
      rules_.blocks_ended(index, group.all(), group.blocks);
      break;
    case OperationKind::exclusive:
      if (timing.preemptible_anywhere) {
        std::erase(preemptible_, index);
        tell_slice(index, now);
      }
      rules_.slice_ended(index);
      break;
  }
  free_group(group_index);
}

void SimGpu::pop_finished(std::vector<Completion>& finished) {
  rules_.pop_finished([&](OperationIndex index) {
    Timing& timing = timings_[index];
    finished.push_back({timing.token, timing.called, timing.start});
    timing.live = false;
  });
}

OperationIndex SimGpu::call(StreamIndex stream, const TimedCall& call, Time now) {
  leave_shortcut();
  const OperationIndex index = rules_.call(stream, call.call);
  if (index >= timings_.size()) timings_.resize(index + std::size_t{1});
  Timing& timing = timings_[index];
  timing.token = call.token;
  timing.called = now;
  timing.start = never;
  timing.length = call.length;
  timing.last_length = call.last_length;
  timing.shift = origin;
  timing.first = no_index;
  timing.last = no_index;
  timing.heap_place = no_index;
  timing.first_block = call.first_block;
  timing.slices = 0;
  timing.preemptible_anywhere = call.preemptible_anywhere;
  timing.live = true;
  return index;
}

SimGpu::Withdrawn SimGpu::withdraw(OperationIndex index, Time now) {
  Timing& timing = timings_[index];
  if (timing.first != no_index) interrupt(index, now);
  timing.live = false;
  const Withdrawn withdrawn{timing.last_length, timing.called, timing.start};
  rules_.withdraw(index);
  rules_.pop_finished([](OperationIndex /*popped*/) {});
  return withdrawn;
}

SimGpu::Rest SimGpu::withdraw_rest(OperationIndex index) {
  Timing& timing = timings_[index];
  Rest rest{.called = timing.called, .start = timing.start};
  const bool runs = rules_.operation(index).in_flight > 0;
  rest.parts = rules_.withdraw_rest(index);
  rest.ended = rest.parts > 0 && !runs;
  if (rest.ended) {
    timing.live = false;
    rules_.pop_finished([](OperationIndex /*popped*/) {});
  }
  return rest;
}

/// Preempts running work that is preemptible anywhere; the rest of it becomes its last slice.
void SimGpu::interrupt(OperationIndex index, Time now) {
  Timing& timing = timings_[index];
  timing.last_length = first_end(timing) - now;
  if (now == timing.slice_start) {
    if (timing.slices == 0) timing.start = never;  // it has not run at all
  } else {
    tell_slice(index, now);
    ++timing.slices;
  }
  heap_remove(index);
  free_group(timing.first);
  timing.first = no_index;
  std::erase(preemptible_, index);
}

/// Reports the slice of work preemptible anywhere that ends now.
void SimGpu::tell_slice(OperationIndex index, Time now) const {
  if (!listening_.blocks) return;
  const Timing& timing = timings_[index];
  for (const std::int32_t sm : rules_.sms_of(rules_.operation(index))) {
    listening_.listener->block_ran(timing.token, timing.first_block + timing.slices, sm, timing.slice_start,
                                   now);
  }
}

void SimGpu::start(Time now) {
  rules_.preempt(preemptible_, [&](OperationIndex index) { interrupt(index, now); });
  rules_.dispatch(Sink{*this, now}, listening_.blocks);
}

// Let K be the head of the most urgent queue, with unassigned blocks that fit nowhere and S blocks in flight,
// each of length C, all ending in (now, now + C]. Until something else happens, every group of K that ends is
// replaced at once by as many blocks on the same SMs: an SM where K does not fit and which frees n places of
// K has room for exactly n blocks of K, whichever resource limits it. So after m times C the state is the
// same except for S * m fewer unassigned blocks. Skipping m waves is safe if K keeps at least one unassigned
// block (it stays the head) and everything else, including the limit, happens after now + m C.
void SimGpu::skip_waves(Time now, Time limit) {
  if (listening_.blocks) return;
  const OperationIndex index = rules_.head();
  const Operation& operation = rules_.operation(index);
  if (operation.in_flight == 0 || operation.unassigned <= operation.in_flight) return;
  Timing& timing = timings_[index];
  const Time foreign = std::min(limit, next_end_besides(index));
  if (foreign <= now) return;
  std::int64_t waves = (operation.unassigned - 1) / operation.in_flight;
  if (timing.length > Duration{}) {
    // The ends after the last skipped wave must still fit into 64 bits.
    waves = std::min({waves, (in_ns(foreign - now) - 1) / in_ns(timing.length),
                      in_ns(never - now) / in_ns(timing.length) - 1});
  }
  if (waves <= 0) return;
  if (round_robin_ && operation.kind == OperationKind::kernel) move_pointer(timing, waves);
  timing.shift += timing.length * waves;
  rules_.skip_waves(index, waves);
  heap_update(index, first_end(timing));
}

/// The pointer of round robin moves with every refill. It has at most as many values as there are SMs, so it
/// becomes periodic soon.
void SimGpu::move_pointer(const Timing& timing, std::int64_t waves) {
  SmArray& sms = rules_.sms();
  std::vector<std::int32_t> after_wave{sms.pointer()};
  while (true) {
    if (static_cast<std::int64_t>(after_wave.size()) > waves) {
      sms.set_pointer(after_wave[static_cast<std::size_t>(waves)]);
      return;
    }
    std::int32_t pointer = after_wave.back();
    for (GroupIndex group = timing.first; group != no_index; group = groups_[group].next) {
      pointer = sms.pointer_after_refill(pointer, groups_[group].all());
    }
    const auto seen = std::find(after_wave.begin(), after_wave.end(), pointer);
    if (seen != after_wave.end()) {
      const std::int64_t before = seen - after_wave.begin();
      const std::int64_t cycle = after_wave.end() - seen;
      sms.set_pointer(
          after_wave[static_cast<std::size_t>(waves < before ? waves : before + (waves - before) % cycle)]);
      return;
    }
    after_wave.push_back(pointer);
  }
}

void SimGpu::remember_start(OperationIndex index, Time now) {
  if (timings_[index].start == never) timings_[index].start = now;
}

SimGpu::Group& SimGpu::append_group(OperationIndex index, Time end) {
  GroupIndex group_index = 0;
  if (first_free_group_ == no_index) {
    group_index = static_cast<GroupIndex>(groups_.size());
    groups_.emplace_back();
  } else {
    group_index = first_free_group_;
    first_free_group_ = groups_[group_index].next;
  }
  Timing& timing = timings_[index];
  Group& group = groups_[group_index];
  group.end = end - timing.shift;
  group.next = no_index;
  if (timing.first == no_index) {
    timing.first = group_index;
    timing.last = group_index;
    heap_insert(index, end);
  } else {
    groups_[timing.last].next = group_index;
    timing.last = group_index;
  }
  return group;
}

// When work of zero length makes room, further blocks of a kernel start at the same instant. They end
// together with the first ones and release their resources together, so they form one group.
bool SimGpu::join_last_group(OperationIndex index, Time end, std::span<const Share> shares,
                             std::int64_t blocks) {
  const Timing& timing = timings_[index];
  if (timing.first == no_index) return false;
  Group& group = groups_[timing.last];
  if (group.end != end - timing.shift) return false;
  std::vector<Share> merged{group.all().begin(), group.all().end()};
  for (const Share& share : shares) {
    const auto place = std::lower_bound(merged.begin(), merged.end(), share.sm,
                                        [](const Share& a, std::int32_t sm) { return a.sm < sm; });
    if (place != merged.end() && place->sm == share.sm) {
      place->blocks += share.blocks;
    } else {
      merged.insert(place, share);
    }
  }
  group.blocks += blocks;
  group.shares = std::move(merged);
  group.single = false;
  return true;
}

void SimGpu::heap_insert(OperationIndex index, Time end) {
  heap_.emplace_back();
  sift_up(static_cast<std::uint32_t>(heap_.size() - 1), {end, index});
}

void SimGpu::heap_remove(OperationIndex index) {
  const std::uint32_t place = timings_[index].heap_place;
  timings_[index].heap_place = no_index;
  const HeapEntry last = heap_.back();
  heap_.pop_back();
  if (place == heap_.size()) return;
  if (place > 0 && last.end < heap_[(place - 1) / 2].end) {
    sift_up(place, last);
  } else {
    sift_down(place, last);
  }
}

/// Requires that the end does not move earlier.
void SimGpu::heap_update(OperationIndex index, Time end) {
  sift_down(timings_[index].heap_place, {end, index});
}

void SimGpu::sift_up(std::uint32_t place, HeapEntry entry) {
  while (place > 0) {
    const std::uint32_t parent = (place - 1) / 2;
    if (heap_[parent].end <= entry.end) break;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, entry);
}

void SimGpu::sift_down(std::uint32_t place, HeapEntry entry) {
  const auto size = static_cast<std::uint32_t>(heap_.size());
  while (true) {
    std::uint32_t child = 2 * place + 1;
    if (child >= size) break;
    if (child + 1 < size && heap_[child + 1].end < heap_[child].end) ++child;
    if (entry.end <= heap_[child].end) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, entry);
}

Time SimGpu::next_end_besides(OperationIndex index) const {
  const std::uint32_t place = timings_[index].heap_place;
  if (place != 0) return heap_.front().end;
  // The operation is at the root, so the next end is at one of its two children.
  Time next = never;
  for (std::size_t child = 1; child <= 2 && child < heap_.size(); ++child)
    next = std::min(next, heap_[child].end);
  return next;
}

}  // namespace tactus::device
