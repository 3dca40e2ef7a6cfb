#include "tactus/device/sim/sim_cpus.hpp"

#include <algorithm>

namespace tactus::device {

SimCpus::Core& SimCpus::core_of(std::int32_t number) {
  const auto place =
      std::lower_bound(cores_.begin(), cores_.end(), number,
                       [](const Core& core, std::int32_t wanted) { return core.number < wanted; });
  if (place != cores_.end() && place->number == number) return *place;
  Core core;
  core.number = number;
  return *cores_.insert(place, std::move(core));
}

/// The running piece stops for the time being, or is about to be looked at. What is stopped where it began
/// has not begun.
void SimCpus::pause(Core& core, Time now) {
  if (!core.running) return;
  ends_.erase({end_of(core), core.number});
  core.running = false;
  Piece& piece = core.pieces.front();
  piece.left -= now - core.since;
  if (piece.start == now && piece.left > Duration{}) piece.start = never;
  if (listener_ != nullptr && now > core.since) {
    listener_->cpu_ran(piece.token, core.number, core.since, now);
  }
}

void SimCpus::submit(std::int32_t core_number, const Work& work, Time now) {
  Core& core = core_of(core_number);
  const bool is_most_urgent = core.pieces.empty() || work.rank < core.pieces.front().rank;
  if (is_most_urgent) {
    pause(core, now);
    to_start_.push_back(core_number);
  }
  core.pieces.push_back({.token = work.token, .rank = work.rank, .left = work.length, .called = now});
  std::push_heap(core.pieces.begin(), core.pieces.end(), less_urgent);
}

void SimCpus::end_due(Time now, std::vector<Completion>& finished) {
  while (next_end() <= now) {
    Core& core = core_of(ends_.begin()->second);
    pause(core, now);
    std::pop_heap(core.pieces.begin(), core.pieces.end(), less_urgent);
    const Piece& piece = core.pieces.back();
    finished.push_back({piece.token, piece.called, piece.start});
    core.pieces.pop_back();
    to_start_.push_back(core.number);
  }
}

void SimCpus::start(Time now) {
  for (const std::int32_t number : to_start_) {
    Core& core = core_of(number);
    if (core.running || core.pieces.empty()) continue;
    Piece& piece = core.pieces.front();
    const Time end = checked_add(now, piece.left);  // an end beyond 64 bits is told here
    core.running = true;
    core.since = now;
    ends_.emplace(end, number);
    if (piece.start == never) piece.start = now;
  }
  to_start_.clear();
}

void SimCpus::end_at(Time now) {
  for (Core& core : cores_) pause(core, now);
}

}  // namespace tactus::device
