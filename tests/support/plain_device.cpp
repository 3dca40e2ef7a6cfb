#include "support/plain_device.hpp"

#include <algorithm>
#include <utility>

namespace tactus::test {

PlainDevice::PlainDevice(const Gpu& gpu, Tell tell)
    : gpu_{gpu},
      tell_{std::move(tell)},
      queues_(static_cast<std::size_t>(gpu.priority_levels)),
      sms_(static_cast<std::size_t>(gpu.sms)),
      last_sm_{gpu.sms - 1} {}

std::size_t PlainDevice::call(const PlainOperation& operation) {
  operations_.push_back({.what = operation});
  queues_.at(operation.level).push_back(operations_.size() - 1);
  return operations_.size() - 1;
}

Time PlainDevice::next_end() const {
  Time next = never;
  for (const Part& part : parts_) next = std::min(next, part.end);
  return next;
}

std::vector<std::size_t> PlainDevice::end_parts(Time now) {
  std::vector<std::size_t> finished;
  for (const Part& part : parts_) {
    if (part.end != now) continue;
    Operation& operation = operations_[part.operation];
    free_sms(part);
    if (operation.what.stoppable) tell(part);  // its end was not certain before
    --operation.running;
    if (operation.running == 0 && all_assigned(operation)) finished.push_back(part.operation);
  }
  std::erase_if(parts_, [&](const Part& part) { return part.end == now; });
  return finished;
}

/// X1, A2: only the head of the most urgent non-empty queue is tried. G3: it leaves when its last block has
/// been assigned, and the next head is tried at once, until one does not fit.
void PlainDevice::dispatch(Time now) {
  stop_for_more_urgent(now);
  while (const std::optional<std::size_t> level = most_urgent_level()) {
    const std::size_t head = queues_[*level].front();
    const bool assigned =
        operations_[head].what.exclusive ? assign_slice(head, now) : assign_block(head, now);
    if (!assigned) return;
    if (all_assigned(operations_[head])) queues_[*level].pop_front();
  }
}

Duration PlainDevice::withdraw(std::size_t index, Time now) {
  for (std::size_t place = 0; place < parts_.size(); ++place) {
    if (parts_[place].operation != index) continue;
    stop_part(place, now);
    break;
  }
  for (std::deque<std::size_t>& queue : queues_) std::erase(queue, index);
  return operations_[index].what.left;
}

std::int64_t PlainDevice::withdraw_rest(std::size_t index) {
  Operation& operation = operations_[index];
  if (all_assigned(operation)) return 0;
  std::int64_t rest = operation.what.blocks - operation.assigned;
  if (operation.what.exclusive) {
    rest = 0;
    while (operation.what.left > Duration{} || operation.assigned + rest == 0) {
      operation.what.left -= std::min(operation.what.left, operation.what.slice);
      ++rest;
    }
    operation.assigned = std::max<std::int64_t>(operation.assigned, 1);
  }
  operation.what.blocks = operation.assigned;
  for (std::deque<std::size_t>& queue : queues_) std::erase(queue, index);
  return rest;
}

bool PlainDevice::all_assigned(const Operation& operation) {
  if (!operation.what.exclusive) return operation.assigned == operation.what.blocks;
  // Exclusive work of no time at all still has one slice.
  return operation.what.left == Duration{} && operation.assigned > 0;
}

std::optional<std::size_t> PlainDevice::most_urgent_level() const {
  for (std::size_t level = queues_.size(); level-- > 0;) {
    if (!queues_[level].empty()) return level;
  }
  return std::nullopt;
}

/// R1-R3: the block needs one SM with enough of everything.
bool PlainDevice::fits(const Sm& sm, const BlockDemand& demand) const {
  return !sm.exclusive && sm.threads + demand.threads <= gpu_.threads_per_sm &&
         sm.slots + 1 <= gpu_.blocks_per_sm &&
         sm.shared_memory + demand.shared_memory <= gpu_.shared_memory_per_sm &&
         sm.registers + demand.registers <= gpu_.registers_per_sm;
}

std::optional<std::int32_t> PlainDevice::choose_sm(const PlainOperation& what) const {
  std::optional<std::int32_t> best;
  for (std::int32_t step = 0; step < gpu_.sms; ++step) {
    // Round-robin looks at the SM after the last used one first, the other rules at SM 0.
    const bool round_robin = gpu_.sm_choice == SmChoice::round_robin;
    const std::int32_t sm = round_robin ? (last_sm_ + 1 + step) % gpu_.sms : step;
    if (std::find(what.sms.begin(), what.sms.end(), sm) == what.sms.end()) continue;
    if (!fits(sms_[static_cast<std::size_t>(sm)], what.demand)) continue;
    const std::int64_t used = sms_[static_cast<std::size_t>(sm)].threads;
    const std::int64_t used_on_best = best ? sms_[static_cast<std::size_t>(*best)].threads : 0;
    if (!best || (gpu_.sm_choice == SmChoice::most_free && used < used_on_best) ||
        (gpu_.sm_choice == SmChoice::best_fit && used > used_on_best)) {
      best = sm;
    }
  }
  return best;
}

bool PlainDevice::assign_block(std::size_t index, Time now) {
  const PlainOperation& what = operations_[index].what;
  const std::optional<std::int32_t> chosen = choose_sm(what);
  if (!chosen) return false;
  last_sm_ = *chosen;
  sm(*chosen).threads += what.demand.threads;
  sm(*chosen).slots += 1;
  sm(*chosen).shared_memory += what.demand.shared_memory;
  sm(*chosen).registers += what.demand.registers;
  start_part(index, *chosen, what.block_time, now);
  return true;
}

/// Exclusive work needs all of its SMs idle.
bool PlainDevice::assign_slice(std::size_t index, Time now) {
  PlainOperation& what = operations_[index].what;
  for (const std::int32_t one : what.sms) {
    if (sm(one).exclusive || sm(one).slots > 0) return false;
  }
  for (const std::int32_t one : what.sms) sm(one).exclusive = true;
  const Duration length = std::min(what.slice, what.left);
  what.left -= length;
  start_part(index, 0, length, now);
  return true;
}

void PlainDevice::start_part(std::size_t index, std::int32_t sm, Duration length, Time now) {
  Operation& operation = operations_[index];
  if (operation.start == never) operation.start = now;
  const Part part{.operation = index,
                  .index = operation.what.first_part + operation.assigned,
                  .sm = sm,
                  .start = now,
                  .end = checked_add(now, length)};
  ++operation.assigned;
  ++operation.running;
  if (!operation.what.stoppable) tell(part);
  parts_.push_back(part);
}

/// What can be stopped anywhere makes room at once when a more urgent head wants one of its SMs. It goes back
/// to the front of its queue.
void PlainDevice::stop_for_more_urgent(Time now) {
  const std::optional<std::size_t> level = most_urgent_level();
  if (!level) return;
  const PlainOperation& head = operations_[queues_[*level].front()].what;
  for (std::size_t place = 0; place < parts_.size();) {
    const std::size_t index = parts_[place].operation;
    const PlainOperation& what = operations_[index].what;
    const bool wanted = std::find_first_of(what.sms.begin(), what.sms.end(), head.sms.begin(),
                                           head.sms.end()) != what.sms.end();
    if (!what.stoppable || *level <= what.level || !wanted) {
      ++place;
      continue;
    }
    stop_part(place, now);
    queues_[what.level].push_front(index);
  }
}

/// A slice that is stopped where it began never was.
void PlainDevice::stop_part(std::size_t place, Time now) {
  Part part = parts_[place];
  parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(place));
  Operation& operation = operations_[part.operation];
  free_sms(part);
  operation.what.left += part.end - now;
  --operation.running;
  if (part.start < now) {
    part.end = now;
    tell(part);
    return;
  }
  --operation.assigned;
  if (operation.assigned == 0) operation.start = never;
}

void PlainDevice::free_sms(const Part& part) {
  const PlainOperation& what = operations_[part.operation].what;
  if (what.exclusive) {
    for (const std::int32_t one : what.sms) sm(one).exclusive = false;
    return;
  }
  sm(part.sm).threads -= what.demand.threads;
  sm(part.sm).slots -= 1;
  sm(part.sm).shared_memory -= what.demand.shared_memory;
  sm(part.sm).registers -= what.demand.registers;
}

void PlainDevice::tell(const Part& part) const {
  const PlainOperation& what = operations_[part.operation].what;
  if (!what.exclusive) {
    tell_(part.operation, part.index, part.sm, part.start, part.end);
    return;
  }
  for (const std::int32_t one : what.sms) tell_(part.operation, part.index, one, part.start, part.end);
}

}  // namespace tactus::test
