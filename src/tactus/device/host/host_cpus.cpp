#include "tactus/device/host/host_cpus.hpp"

#include <algorithm>
#include <iterator>

#include "tactus/base/threads.hpp"
#include "tactus/base/touch.hpp"

namespace tactus::device::host {

HostCpus::HostCpus(const Setup& setup, ActivityTable& table,
                   std::span<const std::vector<std::unique_ptr<Worker>>> workers, bool under_fifo)
    : table_{table}, under_fifo_{under_fifo} {
  for (std::size_t lane = 0; lane < workers.size(); ++lane) {
    Pool& pool = pools_.emplace_back();
    pool.numbers = setup.cpu_lanes[lane].cores;
    pool.starts_all = workers[lane].size() >= setup.cpu_lanes[lane].width;
    for (const std::unique_ptr<Worker>& worker : workers[lane]) pool.idle.push_back(worker.get());
    reserve_touched(pool.pieces, ActivityTable::capacity_for(setup));
    pool.served.resize(static_cast<std::size_t>(pool.numbers.count));
  }
  reserve_touched(by_urgency_, ActivityTable::capacity_for(setup));
}

HostCpus::Pool* HostCpus::find_pool(const Cores& cores) {
  const auto pool =
      std::find_if(pools_.begin(), pools_.end(), [&](const Pool& other) { return other.numbers == cores; });
  return pool == pools_.end() ? nullptr : &*pool;
}

std::size_t HostCpus::place_of(const Pool& pool, std::uint32_t activity) {
  const auto piece = std::find_if(pool.pieces.begin(), pool.pieces.end(),
                                  [&](const Piece& p) { return p.activity == activity; });
  return static_cast<std::size_t>(piece - pool.pieces.begin());
}

void HostCpus::submit(std::uint32_t index, Time now) {
  Activity& activity = table_[index];
  if (find_pool(activity.request.cores) == nullptr) {
    table_.note_failure(activity, "no thread was made for its cores");
    table_.end(index, ActivityTable::WorkEnd::failed, now);
    return;
  }
  add(index, now);
}

void HostCpus::add(std::uint32_t index, Time now) {
  Pool& pool = pool_of(table_[index]);
  const sched::Urgency& urgency = table_[index].request.urgency;
  const auto place = std::find_if(pool.pieces.begin(), pool.pieces.end(),
                                  [&](const Piece& piece) { return !(urgency < piece.urgency); });
  pool.pieces.insert(place, {.activity = index, .urgency = urgency});
  if (under_fifo_) choose_priority(pool.pieces[place_of(pool, index)]);
  schedule(pool, now);
}

void HostCpus::hold(const Request& request, Time now) {
  release(request.id.job, now);
  if (find_pool(request.cores) == nullptr) return;
  const std::uint32_t index = table_.open_hold(request, now);
  if (index != no_activity) add(index, now);
}

void HostCpus::release(sched::JobId job, Time now) {
  for (Pool& pool : pools_) {
    const auto held = std::find_if(pool.pieces.begin(), pool.pieces.end(), [&](const Piece& piece) {
      const Activity& activity = table_[piece.activity];
      return piece.urgency.holds && activity.request.id.job == job && !activity.stopping;
    });
    if (held != pool.pieces.end()) request_stop(held->activity, now);
  }
}

/// A priority between those of less and of more urgent work on any core: several cores of the model may share
/// one of the machine. If there is none left, all are renumbered from the top, so that no order is ever
/// reversed.
void HostCpus::choose_priority(Piece& chosen) {
  int below = 0;
  int above = max_cpu_priority + 1;
  by_urgency_.clear();
  for (Pool& pool : pools_) {
    for (Piece& piece : pool.pieces) {
      by_urgency_.push_back(&piece);
      if (&piece == &chosen) continue;
      if (piece.urgency < chosen.urgency) {
        above = std::min(above, piece.priority);
      } else {
        below = std::max(below, piece.priority);
      }
    }
  }
  if (above - below > 1) {
    chosen.priority = (below + above) / 2;
    return;
  }
  std::sort(by_urgency_.begin(), by_urgency_.end(),
            [](const Piece* a, const Piece* b) { return a->urgency < b->urgency; });
  int priority = max_cpu_priority;
  for (Piece* piece : by_urgency_) {
    piece->priority = priority;
    if (piece->worker != nullptr) take_real_time_class(priority, piece->worker->handle());
    priority = std::max(1, priority - 1);
  }
}

void HostCpus::request_stop(std::uint32_t index, Time now) {
  Activity& activity = table_[index];
  if (activity.stopping) return;
  activity.stopping = true;
  activity.stop->store(true, std::memory_order_relaxed);
  Pool& pool = pool_of(activity);
  const std::size_t place = place_of(pool, index);
  Piece& piece = pool.pieces[place];
  if (piece.worker != nullptr) {
    piece.asked_to_give_way = true;
    piece.worker->ask_to_give_way();
    return;
  }
  end(pool, place, ActivityTable::WorkEnd::stopped, now);
  schedule(pool, now);
}

void HostCpus::worker_ended(Worker& worker, Time now) {
  --busy_;
  const std::uint32_t index = worker.item().activity;
  const Result& result = worker.result();
  Activity& activity = table_[index];
  Pool& pool = pool_of(activity);
  const std::size_t place = place_of(pool, index);
  Piece& piece = pool.pieces[place];
  piece.worker = nullptr;
  piece.asked_to_give_way = false;
  pool.idle.push_back(&worker);
  table_.note_start(activity, result.start);
  if (!under_fifo_ && !piece.urgency.holds)
    table_.tell(Report::Kind::cpu_ran, activity, worker.item().place, result.start, result.end);
  switch (result.kind) {
    case Result::Kind::done:
      activity.time_done = activity.whole - activity.before().time;
      end(pool, place, ActivityTable::WorkEnd::finished, now);
      break;
    case Result::Kind::failed:
      table_.note_failure(activity, result.what.data());
      end(pool, place, ActivityTable::WorkEnd::failed, now);
      break;
    case Result::Kind::gave_way:
      activity.time_done += result.used;
      if (activity.stopping) end(pool, place, ActivityTable::WorkEnd::stopped, now);
      break;
  }
  schedule(pool, now);
}

void HostCpus::end(Pool& pool, std::size_t place, ActivityTable::WorkEnd ending, Time now) {
  const std::uint32_t index = pool.pieces[place].activity;
  const bool was_hold = pool.pieces[place].urgency.holds;
  pool.pieces.erase(pool.pieces.begin() + static_cast<std::ptrdiff_t>(place));
  if (under_fifo_) note_served(pool, now);
  if (was_hold) {
    table_.close_hold(index);
  } else {
    table_.end(index, ending, now);
  }
}

void HostCpus::schedule(Pool& pool, Time now) {
  if (closed_ || pool.pieces.empty()) return;
  if (under_fifo_) {
    start_under_fifo(pool);
    note_served(pool, now);
  } else {
    start_most_urgent(pool);
  }
}

/// With too few threads for all, only what the operating system would run is started.
void HostCpus::start_under_fifo(Pool& pool) {
  const auto end = pool.starts_all
                       ? pool.pieces.rend()
                       : pool.pieces.rbegin() + std::min(std::ssize(pool.pieces), std::ssize(pool.served));
  for (auto piece = pool.pieces.rbegin(); piece != end && !pool.idle.empty(); ++piece) {
    if (piece->worker != nullptr) continue;
    take_real_time_class(piece->priority, pool.idle.back()->handle());
    start(pool, *piece);
  }
}

/// Without SCHED_FIFO there are as many workers as cores.
void HostCpus::start_most_urgent(Pool& pool) {
  const auto first = pool.pieces.end() - std::min(std::ssize(pool.pieces), std::ssize(pool.served));
  std::ptrdiff_t wanting = 0;
  for (auto piece = pool.pieces.end(); piece != first;) {
    if ((--piece)->worker != nullptr) continue;
    if (pool.idle.empty()) {
      ++wanting;
    } else {
      start(pool, *piece);
    }
  }
  // Work that is not among the most urgent is preempted, the least urgent first.
  for (auto piece = pool.pieces.begin(); piece != first && wanting > 0; ++piece) {
    if (piece->worker == nullptr) continue;
    --wanting;
    if (piece->asked_to_give_way) continue;
    piece->asked_to_give_way = true;
    piece->worker->ask_to_give_way();
  }
}

void HostCpus::start(Pool& pool, Piece& piece) {
  const Activity& activity = table_[piece.activity];
  piece.worker = pool.idle.back();
  pool.idle.pop_back();
  ++busy_;
  piece.worker->start(
      {.activity = piece.activity,
       .place = pool.numbers.first + static_cast<std::int32_t>(piece.worker->index()) % pool.numbers.count,
       .function = activity.plan->function,
       .facts = table_.facts(activity),
       .length = activity.time_left()});
}

/// Under SCHED_FIFO the most urgent threads have the cores. Closes the interval of every core that has
/// switched to another thread.
void HostCpus::note_served(Pool& pool, Time now) {
  const auto is_served = [&](const Piece& piece) {
    const auto more_urgent =
        std::count_if(pool.pieces.begin() + (&piece - pool.pieces.data()) + 1, pool.pieces.end(),
                      [](const Piece& other) { return other.worker != nullptr; });
    return piece.worker != nullptr && more_urgent < pool.numbers.count;
  };
  for (std::size_t core = 0; core < pool.served.size(); ++core) {
    if (pool.served[core].activity == no_activity) continue;
    const std::size_t place = place_of(pool, pool.served[core].activity);
    if (place < pool.pieces.size() && is_served(pool.pieces[place])) continue;
    tell_served(pool, core, now);
  }
  for (auto piece = pool.pieces.rbegin(); piece != pool.pieces.rend(); ++piece) {
    if (!is_served(*piece)) continue;
    const auto has = [&](std::uint32_t activity) {
      return std::find_if(pool.served.begin(), pool.served.end(),
                          [&](const Served& served) { return served.activity == activity; });
    };
    if (has(piece->activity) != pool.served.end()) continue;
    *has(no_activity) = {.activity = piece->activity, .since = now};
  }
}

/// Reports the interval that a core has served, and ends it.
void HostCpus::tell_served(Pool& pool, std::size_t core, Time now) {
  Served& served = pool.served[core];
  if (served.activity != no_activity && now > served.since &&
      !table_[served.activity].request.urgency.holds) {
    table_.tell(Report::Kind::cpu_ran, table_[served.activity],
                pool.numbers.first + static_cast<std::int32_t>(core), served.since, now);
  }
  served.activity = no_activity;
}

void HostCpus::close(Time now) {
  closed_ = true;
  for (Pool& pool : pools_) {
    for (Piece& piece : pool.pieces) {
      if (piece.worker != nullptr) piece.worker->ask_to_give_way();
    }
    for (std::size_t core = 0; core < pool.served.size(); ++core) tell_served(pool, core, now);
  }
}

}  // namespace tactus::device::host
