#include "tactus/device/sim/sim_cpus.hpp"

#include <algorithm>
#include <utility>

namespace tactus::device {

SimCpus::Pool& SimCpus::pool_of(const Cores& cores) {
  const auto place =
      std::lower_bound(pools_.begin(), pools_.end(), cores.first,
                       [](const Pool& pool, std::int32_t wanted) { return pool.numbers.first < wanted; });
  if (place != pools_.end() && place->numbers.first == cores.first) return *place;
  Pool pool;
  pool.numbers = cores;
  pool.cores.resize(static_cast<std::size_t>(cores.count));
  pool.idle = pool.cores.size();
  return *pools_.insert(place, std::move(pool));
}

SimCpus::Pool& SimCpus::pool_with(std::int32_t core) {
  return *(
      std::upper_bound(pools_.begin(), pools_.end(), core,
                       [](std::int32_t wanted, const Pool& pool) { return wanted < pool.numbers.first; }) -
      1);
}

/// Takes the running piece off its core. If it started at this very instant, it counts as not started.
void SimCpus::pause(Pool& pool, std::size_t index, Time now) {
  Core& core = pool.cores[index];
  if (!core.running) return;
  const std::int32_t number = pool.numbers.first + static_cast<std::int32_t>(index);
  core.running = false;
  ++pool.idle;
  Piece& piece = core.piece;
  if (piece.urgency.holds) return;  // it has no end, and nothing of the job runs
  ends_.erase({end_of(core), number});
  piece.left -= now - core.since;
  piece.core = number;
  if (piece.start == now && piece.left > Duration{}) piece.start = never;
  if (listener_ != nullptr && now > core.since) listener_->cpu_ran(piece.token, number, core.since, now);
}

void SimCpus::submit(const Cores& cores, const Work& work, Time now) {
  add(pool_of(cores),
      {.token = work.token,
       .urgency = work.urgency,
       .number = ++submitted_,
       .left = work.length,
       .called = now},
      now);
}

void SimCpus::hold(const Cores& cores, std::uint64_t token, const sched::Urgency& urgency, Time now) {
  release(token, now);
  holds_.emplace_back(token, cores);
  add(pool_of(cores), {.token = token, .urgency = urgency, .number = ++submitted_}, now);
}

void SimCpus::release(std::uint64_t token, Time now) {
  const auto held =
      std::find_if(holds_.begin(), holds_.end(), [&](const auto& hold) { return hold.first == token; });
  if (held == holds_.end()) return;
  Pool& pool = pool_of(held->second);
  holds_.erase(held);
  for (std::size_t core = 0; core < pool.cores.size(); ++core) {
    if (!pool.cores[core].running || !is_hold(pool.cores[core].piece, token)) continue;
    pause(pool, core, now);
    to_start_.push_back(pool.numbers.first);
  }
  std::erase_if(pool.waiting, [&](const Piece& piece) { return is_hold(piece, token); });
  std::make_heap(pool.waiting.begin(), pool.waiting.end(), less_urgent);
}

void SimCpus::add(Pool& pool, const Piece& piece, Time now) {
  if (pool.idle <= pool.waiting.size()) {
    // Every waiting piece has an idle core already, so this one must preempt a less urgent piece.
    const auto least =
        std::min_element(pool.cores.begin(), pool.cores.end(), [](const Core& a, const Core& b) {
          if (a.running != b.running) return a.running;
          return a.running && less_urgent(a.piece, b.piece);
        });
    if (least->running && less_urgent(least->piece, piece)) {
      pause(pool, static_cast<std::size_t>(least - pool.cores.begin()), now);
      pool.waiting.push_back(least->piece);
      std::push_heap(pool.waiting.begin(), pool.waiting.end(), less_urgent);
    }
  }
  pool.waiting.push_back(piece);
  std::push_heap(pool.waiting.begin(), pool.waiting.end(), less_urgent);
  if (pool.idle > 0) to_start_.push_back(pool.numbers.first);
}

void SimCpus::end_due(Time now, std::vector<Completion>& finished) {
  while (next_end() <= now) {
    const std::int32_t number = ends_.begin()->second;
    Pool& pool = pool_with(number);
    const auto index = static_cast<std::size_t>(number - pool.numbers.first);
    pause(pool, index, now);
    const Piece& piece = pool.cores[index].piece;
    finished.push_back({piece.token, piece.called, piece.start});
    to_start_.push_back(pool.numbers.first);
  }
}

void SimCpus::start(Time now) {
  for (const std::int32_t first : to_start_) start(pool_with(first), now);
  to_start_.clear();
}

/// A piece resumes on the core where it ran last, if possible.
void SimCpus::start(Pool& pool, Time now) {
  while (pool.idle > 0 && !pool.waiting.empty()) {
    std::pop_heap(pool.waiting.begin(), pool.waiting.end(), less_urgent);
    Piece piece = pool.waiting.back();
    pool.waiting.pop_back();
    auto core = pool.cores.begin() + std::max(0, piece.core - pool.numbers.first);
    if (core->running) {
      core = std::find_if(pool.cores.begin(), pool.cores.end(), [](const Core& c) { return !c.running; });
    }
    if (!piece.urgency.holds) {
      const Time end = checked_add(now, piece.left);  // throws when the end overflows 64 bits
      ends_.emplace(end, pool.numbers.first + static_cast<std::int32_t>(core - pool.cores.begin()));
    }
    if (piece.start == never) piece.start = now;
    *core = {.running = true, .since = now, .piece = piece};
    --pool.idle;
  }
}

void SimCpus::end_at(Time now) {
  for (Pool& pool : pools_) {
    for (std::size_t core = 0; core < pool.cores.size(); ++core) {
      const bool running = pool.cores[core].running;
      pause(pool, core, now);
      if (running) pool.waiting.push_back(pool.cores[core].piece);  // heap order is not needed any more
    }
  }
}

}  // namespace tactus::device
