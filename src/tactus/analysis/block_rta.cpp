// block-rta: response times of kernels with equal blocks.
//
// Claim: kernels whose blocks take the same resources, one stream each, one stream priority, are served first
// come first served by g_max slots. Whenever a slot is free, the earliest kernel with blocks left takes it.
// Playing that gives the completion of every kernel; with worst-case block times it is an upper bound.
//
// Source: the response-time analysis for the Jetson TX2 (AMALTHEA models), Algorithm 2, corrected. As printed
// the chosen row is never deleted, which gives 4, 10, 10, 9 where 4, 10, 12, 11 is right; its closed form is
// wrong when the free slots equal the grid and when g_max divides what remains.
//
// Model: as-submitted; every task is one kernel, with equal demand per block; all arrivals are `once`, or all
// are periodic with one common period and offset 0; no jitter, no release overhead, and no launch overhead
// unless there is but one job, because late launches can change the order of the calls.
//
// Kind: exact for `once`. For periodic tasks one synchronous job of each is proof if all are done within the
// period.
//
// Soundness: sound. Shorter blocks never hurt equal blocks (list scheduling on equal slots).
#include "tactus/analysis/block_rta.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>
#include <queue>
#include <set>
#include <utility>
#include <variant>

#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/kernel_shares.hpp"
#include "tactus/base/text.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::analysis {

namespace {

/// Slots that come free together.
struct FreedSlots {
  Time time{};
  std::int64_t slots = 0;
  bool operator>(const FreedSlots& other) const { return time > other.time; }
};

/// The slots of the GPU while kernels are served one after the other.
class Slots {
 public:
  explicit Slots(std::int64_t count) : free_{count} {}

  /// Serves one kernel as early as possible; returns its completion.
  Time serve(const EqualBlockKernel& kernel) {
    now_ = std::max(now_, kernel.release);
    while (!others_.empty() && others_.top().time <= now_) free_ += pop_other();
    if (kernel.block_time == Duration{}) {
      // Blocks of no length need a free slot but keep none.
      if (free_ == 0) wait_for_next();
      return now_;
    }
    std::int64_t left = kernel.blocks;
    while (free_ < left) {
      start(free_, kernel.block_time);
      left -= std::exchange(free_, 0);
      left -= skip_waves(kernel.block_time, left);
      wait_for_next();
    }
    start(left, kernel.block_time);
    free_ -= left;
    const Time completion = own_.back().time + own_shift_;
    for (const FreedSlots& ending : own_) others_.push({ending.time + own_shift_, ending.slots});
    own_.clear();
    own_slots_ = 0;
    own_shift_ = {};
    return completion;
  }

 private:
  void start(std::int64_t slots, Duration length) {
    if (slots == 0) return;
    own_.push_back({checked_add(now_, length) - own_shift_, slots});
    own_slots_ += slots;
  }

  /// All of the kernel's blocks end within one block time from now. As long as no other slots come free and
  /// blocks are left, each is followed by another: whole waves change nothing but the number of blocks left.
  std::int64_t skip_waves(Duration length, std::int64_t left) {
    if (own_slots_ == 0) return 0;
    const Time next_other = others_.empty() ? never : others_.top().time;
    // The ends after the last skipped wave must still fit 64 bits.
    const std::int64_t waves =
        std::min({(left - 1) / own_slots_, (in_ns(next_other - now_) - 1) / in_ns(length),
                  in_ns(never - now_) / in_ns(length) - 1});
    if (waves <= 0) return 0;
    own_shift_ += length * waves;
    return waves * own_slots_;
  }

  void wait_for_next() {
    const Time own = own_.empty() ? never : own_.front().time + own_shift_;
    const Time other = others_.empty() ? never : others_.top().time;
    now_ = std::min(own, other);
    while (!own_.empty() && own_.front().time + own_shift_ == now_) {
      free_ += own_.front().slots;
      own_slots_ -= own_.front().slots;
      own_.pop_front();
    }
    while (!others_.empty() && others_.top().time == now_) free_ += pop_other();
  }

  std::int64_t pop_other() {
    const std::int64_t slots = others_.top().slots;
    others_.pop();
    return slots;
  }

  Time now_ = origin;
  std::int64_t free_;
  std::deque<FreedSlots> own_;  // of the kernel being served, relative to own_shift_; in rising order
  std::int64_t own_slots_ = 0;
  Duration own_shift_{};
  std::priority_queue<FreedSlots, std::vector<FreedSlots>, std::greater<>> others_;
};

}  // namespace

std::vector<Time> equal_block_completions(std::span<const EqualBlockKernel> kernels, std::int64_t slots) {
  std::vector<std::size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return kernels[a].release < kernels[b].release; });
  std::vector<Time> completions(kernels.size());
  Slots gpu{slots};
  for (const std::size_t i : order) completions[i] = gpu.serve(kernels[i]);
  return completions;
}

namespace {

/// Why the analysis does not apply; empty when it does.
std::string find_obstacle(const System& system) {
  const Overheads& overheads = system.platform.overheads;
  if (overheads.release > Duration{})
    return "needs releases without overhead: platform.overheads.release is not 0";
  const bool only_one_job = system.tasks.size() == 1 && system.tasks.front().arrival == Arrival::once;
  if (longest_launch(system) > Duration{} && !only_one_job) {
    return "needs launches without overhead: platform.overheads.launch is not 0, so calls may change their "
           "order";
  }
  const Task& first = system.tasks.front();
  std::set<std::string> streams;
  for (const Task& task : system.tasks) {
    const std::string who = "task '" + task.name + "' ";
    if (task.arrival != Arrival::once && task.arrival != Arrival::periodic) {
      return "needs arrivals `once` or `periodic`: " + who + "has neither";
    }
    if (task.arrival != first.arrival) return "needs one kind of arrival: `once` and `periodic` are mixed";
    if (task.arrival == Arrival::periodic && task.period != first.period) {
      return "needs one common period: " + who + "has " + to_text(*task.period) + ", '" + first.name +
             "' has " + to_text(*first.period);
    }
    if (task.arrival == Arrival::periodic && task.offset != Duration{}) {
      return "needs offset 0 for periodic tasks: " + who + "has " + to_text(task.offset);
    }
    if (task.jitter > Duration{})
      return "needs releases without jitter: " + who + "has " + to_text(task.jitter);
    const KernelSegment* kernel = only_kernel(task);
    if (kernel == nullptr) return "needs tasks of one kernel each: " + who + "is something else";
    if (block_demand(*kernel, system.platform.gpu) !=
        block_demand(*only_kernel(first), system.platform.gpu)) {
      return "needs equal blocks: those of " + who + "take other resources than those of '" + first.name +
             "'";
    }
    if (task.stream_priority != first.stream_priority) return "needs one stream priority: they are mixed";
    if (task.stream && !streams.insert(*task.stream).second) {
      return "needs a stream for each task: stream '" + *task.stream + "' is shared";
    }
  }
  return {};
}

/// Whether all blocks of one period take more time than the slots have in it. A product has at most 126 bits
/// and what is available far fewer, so the sum is found too large before it could overflow.
bool overloaded(std::span<const EqualBlockKernel> kernels, std::int64_t slots, Duration period) {
  const Int128 available = static_cast<Int128>(slots) * in_ns(period);
  Int128 needed = 0;
  for (const EqualBlockKernel& kernel : kernels) {
    needed += static_cast<Int128>(in_ns(kernel.block_time)) * kernel.blocks;
    if (needed > available) return true;
  }
  return false;
}

}  // namespace

Result block_rta(const System& system) {
  if (std::string obstacle = find_obstacle(system); !obstacle.empty())
    return does_not_apply(std::move(obstacle));
  const Gpu& gpu = system.platform.gpu;
  const std::int64_t slots =
      gpu.sms * blocks_per_sm(block_demand(*only_kernel(system.tasks.front()), gpu), gpu);
  std::vector<EqualBlockKernel> kernels;
  for (const Task& task : system.tasks) {
    const KernelSegment& kernel = *only_kernel(task);
    kernels.push_back({time_at(task.offset), kernel.block_time.worst, kernel.blocks()});
  }
  Result result;
  result.detail.push_back({"slots", slots});
  result.exact = true;
  const bool periodic = system.tasks.front().arrival == Arrival::periodic;
  const std::optional<Duration> period = system.tasks.front().period;
  if (periodic && overloaded(kernels, slots, *period)) {
    result.verdict = Verdict::unschedulable;
    result.reason = "the blocks of one period need more than " + std::to_string(slots) + " slots have in " +
                    to_text(*period) + ": the backlog grows without end";
    result.detail.push_back({"period_ns", *period});
    for (const Task& task : system.tasks)
      result.tasks.push_back({task.name, task.deadline, std::nullopt, false});
    return result;
  }
  const std::vector<Time> completions = equal_block_completions(kernels, slots);
  result.verdict = Verdict::schedulable;
  const auto last = std::max_element(completions.begin(), completions.end());
  const bool carries_over = periodic && *last > time_at(*period);
  if (periodic) result.detail.push_back({"period_ns", *period});
  if (carries_over) {
    const Task& task = system.tasks[static_cast<std::size_t>(last - completions.begin())];
    result.verdict = Verdict::unproven;
    result.exact = false;
    result.reason = "released together at 0, '" + task.name + "' completes at " + to_text(*last) +
                    ", after the period of " + to_text(*period) +
                    ": work carries over and one period proves nothing";
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Task& task = system.tasks[i];
    const Overheads overheads = dispatch_overheads(system, task);
    const Duration added = checked_add(overheads.launch, overheads.completion);
    const Duration bound = checked_add(completions[i] - kernels[i].release, added);
    const bool ok = !carries_over && (!task.deadline || bound <= *task.deadline);
    result.tasks.push_back(
        {task.name, task.deadline, carries_over ? std::nullopt : std::optional{bound}, ok});
    if (!ok && !carries_over && result.verdict == Verdict::schedulable) {
      // Periodic kernels that are done before the next release do the same in every period.
      result.verdict = Verdict::unschedulable;
      result.reason = "'" + task.name + "' completes " + to_text(bound) +
                      " after its release; its deadline is " + to_text(*task.deadline);
      result.detail.push_back({"task", task.name});
    }
  }
  if (result.verdict == Verdict::schedulable) {
    result.reason = "on " + std::to_string(slots) + " slots every kernel completes in time" +
                    (periodic ? ", and all are done before the next release" : "");
  }
  return result;
}

}  // namespace tactus::analysis
