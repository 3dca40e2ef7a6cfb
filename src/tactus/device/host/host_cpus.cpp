#include "tactus/device/host/host_cpus.hpp"

#include <algorithm>

#include "tactus/base/threads.hpp"
#include "tactus/base/touch.hpp"

namespace tactus::device::host {

HostCpus::HostCpus(const Setup& setup, ActivityTable& table, std::span<const std::unique_ptr<Worker>> workers,
                   bool under_fifo)
    : table_{table}, workers_{workers}, under_fifo_{under_fifo}, core_of_task_(workers.size(), 0) {
  for (std::size_t task = 0; task < workers.size(); ++task) {
    if (!workers[task]) continue;
    const std::int32_t number = setup.system.tasks[task].core;
    auto core = std::find_if(cores_.begin(), cores_.end(), [&](const Core& c) { return c.number == number; });
    if (core == cores_.end()) {
      cores_.emplace_back().number = number;
      reserve_touched(cores_.back().pieces, ActivityTable::capacity_for(setup));
      core = cores_.end() - 1;
    }
    core_of_task_[task] = static_cast<std::uint32_t>(core - cores_.begin());
  }
}

HostCpus::Core& HostCpus::core_of(const Activity& activity) {
  return cores_[core_of_task_[activity.request.task]];
}

void HostCpus::submit(std::uint32_t index, Time now) {
  const Activity& activity = table_[index];
  Core& core = core_of(activity);
  const std::uint32_t rank = activity.request.rank;
  const auto place = std::find_if(core.pieces.begin(), core.pieces.end(),
                                  [&](const Piece& piece) { return piece.rank <= rank; });
  core.pieces.insert(place, {.activity = index, .rank = rank});
  schedule(core, now);
}

void HostCpus::request_stop(std::uint32_t index, Time now) {
  Activity& activity = table_[index];
  if (activity.stopping) return;
  activity.stopping = true;
  activity.stop->store(true, std::memory_order_relaxed);
  Core& core = core_of(activity);
  const auto piece = std::find_if(core.pieces.begin(), core.pieces.end(),
                                  [&](const Piece& p) { return p.activity == index; });
  if (piece->on_worker) {
    piece->asked_to_give_way = true;
    worker_of(activity).ask_to_give_way();
    return;
  }
  end(core, static_cast<std::size_t>(piece - core.pieces.begin()), ActivityTable::Ending::stopped, now);
  schedule(core, now);
}

void HostCpus::worker_ended(Worker& worker, Time now) {
  --busy_;
  const std::uint32_t index = worker.errand().activity;
  const Result& result = worker.result();
  Activity& activity = table_[index];
  Core& core = core_of(activity);
  const auto piece = std::find_if(core.pieces.begin(), core.pieces.end(),
                                  [&](const Piece& p) { return p.activity == index; });
  const auto place = static_cast<std::size_t>(piece - core.pieces.begin());
  piece->on_worker = false;
  piece->asked_to_give_way = false;
  table_.note_start(activity, result.start);
  if (!under_fifo_) table_.tell_cpu(activity, core.number, result.start, result.end);
  switch (result.kind) {
    case Result::Kind::done:
      activity.time_done = activity.whole - activity.before().time;
      end(core, place, ActivityTable::Ending::finished, now);
      break;
    case Result::Kind::failed:
      table_.note_failure(activity, result.what.data());
      end(core, place, ActivityTable::Ending::failed, now);
      break;
    case Result::Kind::gave_way:
      activity.time_done += result.used;
      if (activity.stopping) end(core, place, ActivityTable::Ending::stopped, now);
      break;
  }
  schedule(core, now);
}

void HostCpus::end(Core& core, std::size_t place, ActivityTable::Ending ending, Time now) {
  const std::uint32_t index = core.pieces[place].activity;
  core.pieces.erase(core.pieces.begin() + static_cast<std::ptrdiff_t>(place));
  if (core.served == index) note_served(core, now);
  table_.end(index, ending, now);
}

void HostCpus::schedule(Core& core, Time now) {
  if (closed_ || core.pieces.empty()) return;
  if (under_fifo_) {
    start_all(core);
    note_served(core, now);
  } else {
    start_most_urgent(core);
  }
}

/// A thread serves the segments of its task one after the other.
bool HostCpus::has_free_worker(const Core& core, const Piece& piece) {
  const TaskIndex task = table_[piece.activity].request.task;
  return std::none_of(core.pieces.begin(), core.pieces.end(), [&](const Piece& other) {
    return other.on_worker && table_[other.activity].request.task == task;
  });
}

void HostCpus::start_all(Core& core) {
  for (auto piece = core.pieces.rbegin(); piece != core.pieces.rend(); ++piece) {
    if (piece->on_worker || !has_free_worker(core, *piece)) continue;
    const int priority = std::max(1, most_urgent_cpu_priority - static_cast<int>(piece->rank));
    take_real_time_class(priority, worker_of(table_[piece->activity]).handle());
    start(*piece);
  }
}

void HostCpus::start_most_urgent(Core& core) {
  const auto running = std::find_if(core.pieces.begin(), core.pieces.end(),
                                    [](const Piece& piece) { return piece.on_worker; });
  if (running == core.pieces.end()) {
    start(core.pieces.back());
  } else if (running->rank > core.pieces.back().rank && !running->asked_to_give_way) {
    running->asked_to_give_way = true;
    worker_of(table_[running->activity]).ask_to_give_way();
  }
}

void HostCpus::start(Piece& piece) {
  const Activity& activity = table_[piece.activity];
  piece.on_worker = true;
  ++busy_;
  worker_of(activity).start({.activity = piece.activity,
                             .place = activity.plan->core,
                             .function = activity.plan->function,
                             .facts = table_.facts(activity),
                             .length = activity.time_left()});
}

/// Under SCHED_FIFO the most urgent thread has the core: a stretch ends when another one takes over.
void HostCpus::note_served(Core& core, Time now) {
  const auto first = std::find_if(core.pieces.rbegin(), core.pieces.rend(),
                                  [](const Piece& piece) { return piece.on_worker; });
  const std::uint32_t next = first == core.pieces.rend() ? no_activity : first->activity;
  if (next == core.served) return;
  if (core.served != no_activity && now > core.since) {
    table_.tell_cpu(table_[core.served], core.number, core.since, now);
  }
  core.served = next;
  core.since = now;
}

void HostCpus::close(Time now) {
  closed_ = true;
  for (Core& core : cores_) {
    for (Piece& piece : core.pieces) {
      if (piece.on_worker) worker_of(table_[piece.activity]).ask_to_give_way();
    }
    if (core.served != no_activity && now > core.since) {
      table_.tell_cpu(table_[core.served], core.number, core.since, now);
    }
    core.served = no_activity;
  }
}

}  // namespace tactus::device::host
