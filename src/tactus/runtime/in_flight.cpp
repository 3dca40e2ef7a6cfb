#include "tactus/runtime/in_flight.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tactus::runtime {

namespace {

bool share_stream(const Submission& a, const Submission& b) {
  if (a.engine.kind == ServerKind::cpu || b.engine.kind == ServerKind::cpu) return false;
  return a.stream == b.stream && (!sched::is_own(a.stream) || a.id.job == b.id.job);
}

ServerUnit unit_of(const Cores& cores) {
  return {.kind = ServerKind::cpu, .index = static_cast<std::uint32_t>(cores.first)};
}

}  // namespace

void InFlight::add(const Submission& submission) {
  const bool waits = std::any_of(all_.begin(), all_.end(),
                                 [&](const Submission& other) { return share_stream(other, submission); });
  all_.push_back(submission);
  note_company(all_.back());
  state_of(submission.server);
  state_of(submission.engine);
  if (!waits) enter_queue(all_.back(), submission.since);
}

void InFlight::note_company(Submission& added) {
  for (Submission& other : all_) {
    if (&other == &added || !other.engine.meets(added.engine) || share_stream(other, added)) continue;
    other.is_alone = added.is_alone = false;
  }
  if (added.engine.kind == ServerKind::cpu && !holds_.empty()) added.is_alone = false;
}

std::optional<Submission> InFlight::take(sched::SubmissionId wanted, Time now) {
  const auto place = std::find_if(all_.begin(), all_.end(), [&](const Submission& submission) {
    const sched::SubmissionId& other = submission.id;
    return other.job == wanted.job && other.segment == wanted.segment &&
           (wanted.part == 0 || wanted.part == other.part);
  });
  if (place == all_.end()) return std::nullopt;
  const Submission taken = *place;
  state_of(taken.server).heard = now;
  all_.erase(place);
  const auto next = std::find_if(all_.begin(), all_.end(),
                                 [&](const Submission& other) { return share_stream(other, taken); });
  if (next != all_.end() && next->place == 0) enter_queue(*next, now);
  return taken;
}

void InFlight::hold(const sched::HoldCore& hold) {
  std::erase_if(holds_, [&](const sched::HoldCore& other) { return other.job == hold.job; });
  holds_.push_back(hold);
  for (Submission& submission : all_) {
    if (submission.engine.kind == ServerKind::cpu) submission.is_alone = false;
  }
}

void InFlight::release(sched::JobId job, Time now) {
  const auto held = std::find_if(holds_.begin(), holds_.end(),
                                 [&](const sched::HoldCore& hold) { return hold.job == job; });
  if (held == holds_.end()) return;
  state_of(unit_of(held->cores)).heard = now;
  holds_.erase(held);
}

/// Jobs that wait busily have one core each.
bool InFlight::is_held_up(const Submission& submission) const {
  return submission.engine.kind == ServerKind::cpu &&
         std::any_of(holds_.begin(), holds_.end(), [&](const sched::HoldCore& hold) {
           return unit_of(hold.cores) == submission.engine && hold.urgency < submission.urgency;
         });
}

void InFlight::enter_queue(Submission& submission, Time now) {
  submission.place = ++entered_;
  Duration longest{};
  for (const Submission& other : all_) {
    const bool was_before = other.place != 0 && other.place < submission.place;
    if (was_before && submission.urgency < other.urgency && other.engine.meets(submission.engine)) {
      longest = std::max(longest, other.longest_block);
    }
  }
  submission.first_from = std::max(now, submission.since);
  const Time reached = std::max(now, saturating_add(submission.since, submission.launch));
  submission.served_from = saturating_add(reached, longest);
}

void InFlight::note_firsts() {
  constexpr auto nobody = std::numeric_limits<std::uint64_t>::max();
  for (State& state : servers_) {
    state.best.reset();
    state.first_of_best = state.first = nobody;
  }
  for (const Submission& submission : all_) {
    if (submission.place == 0) continue;
    State& state = state_of(submission.engine);
    if (!state.best || submission.urgency < *state.best) {
      state.best = submission.urgency;
      state.first_of_best = submission.place;
    } else if (submission.urgency == *state.best) {
      state.first_of_best = std::min(state.first_of_best, submission.place);
    }
    state.first = std::min(state.first, submission.place);
  }
}

bool InFlight::has_turn(const Submission& submission) const {
  if (submission.place == 0) return false;
  if (is_held_up(submission)) return false;
  if (submission.engine.kind == ServerKind::cpu) {  // the most urgent have a core each
    return std::count_if(all_.begin(), all_.end(), [&](const Submission& other) {
             return other.engine == submission.engine &&
                    std::tie(other.urgency, other.place) < std::tie(submission.urgency, submission.place);
           }) < submission.cores;
  }
  return std::all_of(servers_.begin(), servers_.end(), [&](const State& state) {
    if (!state.server.meets(submission.engine)) return true;
    // Copies are not preempted, and devices differ in whether an urgent copy overtakes one that is queued. A
    // copy is certainly in service only if it is first in both orders.
    if (submission.engine.kind == ServerKind::copy && state.first < submission.place) return false;
    return !state.best || submission.urgency < *state.best ||
           (submission.urgency == *state.best && submission.place <= state.first_of_best);
  });
}

Time InFlight::next_quiet(Duration limit) const {
  Time next = never;
  for (const Submission& submission : all_) {
    if (is_held_up(submission)) continue;
    next = std::min(next, saturating_add(saturating_add(quiet_since(submission), limit), nanoseconds(1)));
  }
  return next;
}

const Submission* InFlight::find_quiet(Time now, Duration limit) const {
  const auto place = std::find_if(all_.begin(), all_.end(), [&](const Submission& submission) {
    return !is_held_up(submission) && now - quiet_since(submission) > limit;
  });
  return place == all_.end() ? nullptr : &*place;
}

InFlight::State& InFlight::state_of(const ServerUnit& server) {
  const auto place = std::find_if(servers_.begin(), servers_.end(),
                                  [&](const State& state) { return state.server == server; });
  if (place != servers_.end()) return *place;
  return servers_.emplace_back(State{.server = server});
}

Time InFlight::quiet_since(const Submission& submission) const {
  Time since = submission.since;
  for (const State& state : servers_) {
    if (state.server.meets(submission.server)) since = std::max(since, state.heard);
  }
  return since;
}

}  // namespace tactus::runtime
