#include "tactus/falsify/falsify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/falsify/borderline_systems.hpp"
#include "tactus/falsify/schedules.hpp"
#include "tactus/io/write_system.hpp"

namespace tactus::falsify {

namespace {

/// What became of one generated system.
struct Attacked {
  bool wanted = false;
  std::uint64_t schedules = 0;
  std::uint64_t jobs = 0;
  std::optional<Closest> closest;
  std::optional<Counterexample> broken;
  std::optional<System> unconfirmed;
  bool too_close = false;
};

Bounds bounds_to_break(const analysis::Analysis& analysis, const System& system, Wanted wanted) {
  Bounds bounds;
  if (wanted == Wanted::rejected) {
    for (const Task& task : system.tasks) bounds.push_back(task.deadline);
    return bounds;
  }
  const analysis::CheckResult checked = analysis::check(system, {&analysis, 1});
  for (const analysis::TaskResult& task : checked.analyses.front().result.tasks) bounds.push_back(task.bound);
  return bounds;
}

/// Late edges of windows and the engine's actions are not part of a script: sometimes they are punctual or
/// short.
Execution any_execution(const System& system, Dice& dice) {
  if (has_engine_time(system) && dice.percent(20)) return Execution::random;
  const bool edges =
      system.policy.strategy->sms == SmSharing::cores && system.platform.overheads.release > Duration{};
  return edges && dice.percent(30) ? Execution::best : Execution::worst;
}

/// "Just before" is one nanosecond, for each job that must come before another.
bool is_too_close(const analysis::Analysis& analysis, const System& system) {
  const analysis::CheckResult checked = analysis::check(system, {&analysis, 1});
  const std::optional<Duration>& excess = checked.analyses.front().result.excess;
  const std::int64_t stacked = system.policy.strategy->has_levels ? system.policy.levels : 1;
  return excess && in_ns(*excess) <= stacked;
}

Attacked attack(const analysis::Analysis& analysis, const Family& family, const CampaignOptions& options,
                std::uint64_t index) {
  Attacked result;
  Dice dice{options.seed, index};
  std::optional<System> system = borderline_system(analysis, family, options.wanted, dice);
  if (!system) return result;
  result.wanted = true;
  const Bounds bounds = bounds_to_break(analysis, *system, options.wanted);
  System nearest = *system;
  std::optional<Closest> nearest_job;
  while (result.schedules < options.schedules && !options.watch.stopped()) {
    System candidate = *system;
    if (nearest_job && dice.percent(40)) {
      candidate = nearest;
      for (std::int64_t i = dice.between(1, 3); i > 0; --i) change_schedule(candidate, dice);
    } else {
      script_schedule(candidate, dice);
    }
    if (options.wanted == Wanted::rejected && result.schedules == 0) script_overload(candidate);
    const Execution execution = any_execution(candidate, dice);
    const std::optional<Duration> horizon = playing_time(candidate);
    const Played played = play(candidate, bounds, execution, horizon);
    ++result.schedules;
    result.jobs += played.jobs;
    if (!played.closest) continue;
    note(result.closest, *played.closest);
    if (played.closest->broken()) {
      result.broken = Counterexample{std::move(candidate), *played.closest, execution, horizon};
      return result;
    }
    if (!nearest_job || !nearer(*nearest_job, *played.closest)) {
      nearest_job = played.closest;
      nearest = std::move(candidate);
    }
  }
  if (options.wanted == Wanted::rejected) {
    result.too_close = is_too_close(analysis, *system);
    if (!result.too_close) result.unconfirmed = std::move(system);
  }
  return result;
}

/// Adds what happened to one system; true when the campaign is over.
bool add(Summary& summary, Attacked& attacked, const CampaignOptions& options) {
  ++summary.tried;
  if (!attacked.wanted) return false;
  ++summary.attacked;
  summary.schedules += attacked.schedules;
  summary.jobs += attacked.jobs;
  if (attacked.closest) note(summary.closest, *attacked.closest);
  if (options.wanted == Wanted::rejected) {
    if (attacked.broken) ++summary.confirmed;
    if (attacked.too_close) ++summary.too_close;
    if (attacked.unconfirmed && !summary.unconfirmed) summary.unconfirmed = std::move(attacked.unconfirmed);
  } else if (attacked.broken) {
    summary.broken = std::move(attacked.broken);
    return true;
  }
  return summary.attacked == options.systems;
}

/// A batch of systems, attacked by all threads.
class Batch {
 public:
  Batch(const analysis::Analysis& analysis, const Family& family, const CampaignOptions& options,
        std::uint64_t size)
      : analysis_{analysis}, family_{family}, options_{options}, results_(size) {}

  /// Those from number `first` on. What an attack throws is thrown here.
  std::vector<Attacked>& attack_all(std::uint64_t first, unsigned threads, Summary& summary) {
    std::fill(results_.begin(), results_.end(), Attacked{});
    first_ = first;
    next_ = 0;
    Threads others = start_threads(threads - 1, [this] { work(); });
    work();
    for (std::thread& thread : others.all) thread.join();
    summary.threads = static_cast<unsigned>(others.all.size()) + 1;
    if (others.refusal) summary.fewer_threads = others.refusal;
    if (error_) std::rethrow_exception(error_);
    return results_;
  }

 private:
  void work() {
    try {
      while (!options_.watch.stopped()) {
        const std::uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
        if (index >= results_.size()) return;
        results_[index] = attack(analysis_, family_, options_, first_ + index);
      }
    } catch (...) {
      const std::lock_guard lock{mutex_};
      error_ = std::current_exception();
      next_ = results_.size();
    }
  }

  const analysis::Analysis& analysis_;
  const Family& family_;
  const CampaignOptions& options_;
  std::vector<Attacked> results_;
  std::uint64_t first_ = 0;
  std::atomic<std::uint64_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

Summary falsify(const analysis::Analysis& analysis, const Family& family, const CampaignOptions& options) {
  Summary summary;
  const unsigned threads =
      options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  constexpr std::uint64_t systems_per_thread = 32;
  constexpr std::uint64_t tries_per_system = 2000;  // ends the search if an analysis accepts nothing
  const std::uint64_t size = threads * systems_per_thread;
  Batch batch{analysis, family, options, size};
  bool over = options.systems == 0;
  for (std::uint64_t first = 0; !over; first += size) {
    std::vector<Attacked>& results = batch.attack_all(first, threads, summary);
    if (options.watch.stopped()) {
      summary.interrupted = true;
      return summary;  // an incomplete batch would make the answer depend on timing
    }
    for (Attacked& result : results) {
      if (add(summary, result, options)) {
        over = true;
        break;
      }
    }
    options.watch.show(static_cast<double>(summary.attacked) / static_cast<double>(options.systems));
    if (summary.tried / tries_per_system >= options.systems) over = true;
  }
  if (summary.broken) summary.broken = shrink(analysis, *std::move(summary.broken), options.watch);
  return summary;
}

std::string_view execution_option(Execution execution) {
  switch (execution) {
    case Execution::worst:
      return "";
    case Execution::best:
      return " --execution best";
    case Execution::random:
      return " --execution random";
  }
  return "";
}

std::string replay_file(const analysis::Analysis& analysis, const Counterexample& example) {
  const std::string& task = example.system.tasks[example.job.task].name;
  std::string command = "tactus sim FILE --jobs";
  if (example.horizon) command += " --for " + to_text(*example.horizon);
  command += execution_option(example.execution);
  return fmt::format(
             "# {} says that no job of '{}' takes longer than {}. Job {} takes {}.\n"
             "# To see it: {}\n",
             analysis.id, task, to_text(example.job.bound), example.job.job,
             (example.horizon ? "at least " : "") + to_text(example.job.observed), command) +
         to_system_file(example.system);
}

std::string system_file(const analysis::Analysis& analysis, const System& system) {
  return fmt::format("# {} calls this unschedulable; no schedule that was tried missed a deadline.\n",
                     analysis.id) +
         to_system_file(system);
}

}  // namespace tactus::falsify
