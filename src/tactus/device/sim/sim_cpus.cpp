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
  core.running = false;
  Piece& piece = core.pieces.back();
  piece.left -= now - core.since;
  if (piece.start == now && piece.left > Duration{}) piece.start = never;
  if (listener_ != nullptr && now > core.since) {
    listener_->cpu_ran(piece.token, core.number, core.since, now);
  }
}

void SimCpus::submit(std::int32_t core_number, const Work& work, Time now) {
  Core& core = core_of(core_number);
  const bool is_most_urgent = core.pieces.empty() || work.rank < core.pieces.back().rank;
  if (is_most_urgent) pause(core, now);
  const auto place = std::find_if(core.pieces.begin(), core.pieces.end(),
                                  [&](const Piece& piece) { return piece.rank < work.rank; });
  core.pieces.insert(place, {.token = work.token, .rank = work.rank, .left = work.length, .called = now});
  if (is_most_urgent) find_next_end();
}

void SimCpus::advance(Time now, std::vector<Completion>& finished) {
  if (next_end_ > now) return;
  for (Core& core : cores_) {
    if (!core.running || core.since + core.pieces.back().left > now) continue;
    pause(core, now);
    const Piece& piece = core.pieces.back();
    finished.push_back({piece.token, piece.called, piece.start});
    core.pieces.pop_back();
  }
  find_next_end();
}

void SimCpus::dispatch(Time now) {
  bool changed = false;
  for (Core& core : cores_) {
    if (core.running || core.pieces.empty()) continue;
    changed = true;
    core.running = true;
    core.since = now;
    Piece& piece = core.pieces.back();
    checked_add(now, piece.left);  // an end beyond 64 bits is told here
    if (piece.start == never) piece.start = now;
  }
  if (changed) find_next_end();
}

void SimCpus::end_at(Time now) {
  for (Core& core : cores_) pause(core, now);
  find_next_end();
}

void SimCpus::find_next_end() {
  next_end_ = never;
  for (const Core& core : cores_) {
    if (core.running) next_end_ = std::min(next_end_, core.since + core.pieces.back().left);
  }
}

}  // namespace tactus::device
