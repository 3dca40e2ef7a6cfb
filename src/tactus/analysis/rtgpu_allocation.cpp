#include "tactus/analysis/rtgpu_allocation.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tactus::analysis {

namespace {

/// A number of SMs that a task may get, and its stages on them.
struct Choice {
  std::int64_t sms = 0;
  const Stages* stages = nullptr;
  Duration gpu{};       // in the worst case
  Duration gpu_best{};  // all of it together
};

/// The numbers that matter, fewest SMs first; the time on the GPU falls along the list.
std::vector<Choice> choices_of(const FederatedTask& task, std::int64_t sms) {
  const auto choice = [&](std::int64_t number) {
    const Stages& stages = task.stages[static_cast<std::size_t>(number)];
    Choice result{number, &stages, {}, {}};
    for (const Stage& stage : stages) {
      if (stage.server != ServerKind::gpu) continue;
      result.gpu = checked_add(result.gpu, stage.time.worst);
      result.gpu_best = checked_add(result.gpu_best, stage.time.best);
    }
    return result;
  };
  if (task.sms) return {choice(*task.sms)};
  std::vector<Choice> choices;
  for (std::int64_t number = 1; number <= sms; ++number) {
    if (choices.empty() || task.stages[static_cast<std::size_t>(number)] != *choices.back().stages) {
      choices.push_back(choice(number));
    }
  }
  return choices;
}

/// Places in a task's list of choices, both included.
struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
};

class Search {
 public:
  Search(const FederatedTasks& tasks, FederatedTest test, std::int64_t sms, std::int64_t most,
         std::int64_t cheap)
      : tasks_{tasks},
        test_{test},
        sms_{sms},
        max_effort_{most},
        cheap_effort_{cheap},
        blocking_{copy_blocking(tasks)},
        engine_{tasks, LessUrgent::in_time} {
    const std::size_t count = tasks.tasks.size();
    for (const FederatedTask& task : tasks.tasks) choices_.push_back(choices_of(task, sms));
    open_.reserve(count);
    decided_.reserve(count);
    chosen_.reserve(count);
    for (const auto& choices : choices_) least_.push_back(choices.empty() ? 0 : choices.front().sms);
  }

  AllocationResult run() {
    if (is_possible() && (test_ == FederatedTest::rtgpu_paper || bound_all_divisions())) {
      const int level = place(0, sms_ - sum_from(0));
      if (level == found) keep();
    }
    result_.effort = effort_;
    return std::move(result_);
  }

 private:
  static constexpr int found = -2;
  static constexpr int nowhere = -1;  // no other decision can help
  static constexpr int sharp_parts = 4;

  [[nodiscard]] std::size_t count() const { return tasks_.tasks.size(); }
  [[nodiscard]] const FederatedTask& task(std::size_t index) const { return tasks_.tasks[index]; }

  /// SMs that the tasks from this one on need at least.
  [[nodiscard]] std::int64_t sum_from(std::size_t index) const {
    return std::accumulate(least_.begin() + static_cast<std::ptrdiff_t>(index), least_.end(),
                           std::int64_t{0});
  }

  [[nodiscard]] bool is_possible() const {
    return std::all_of(tasks_.tasks.begin(), tasks_.tasks.end(),
                       [](const FederatedTask& task) { return task.jitter <= task.deadline; }) &&
           std::none_of(choices_.begin(), choices_.end(), [](const auto& list) { return list.empty(); }) &&
           sum_from(0) <= sms_;
  }

  /// The last choice of no more than so many SMs; nothing if there is none.
  [[nodiscard]] std::optional<std::size_t> last_within(std::size_t index, std::int64_t sms) const {
    const auto& choices = choices_[index];
    const auto behind = std::upper_bound(choices.begin(), choices.end(), sms,
                                         [](std::int64_t most, const Choice& c) { return most < c.sms; });
    if (behind == choices.begin()) return std::nullopt;
    return static_cast<std::size_t>(behind - choices.begin()) - 1;
  }

  FederatedResponse response_below(std::size_t index, const std::vector<const MoreUrgent*>& more_urgent) {
    effort_ += 2;  // its parts that no SMs change
    return {test_, task(index), more_urgent, blocking_[index].length, engine_.below(index)};
  }

  bool holds(const FederatedResponse& response, const Choice& choice) {
    ++effort_;
    return response.holds(choice.gpu);
  }

  /// The first choice of the range with a bound; nothing if none has one.
  std::optional<std::size_t> first_that_holds(const FederatedResponse& response, std::size_t index,
                                              Range range) {
    const auto& choices = choices_[index];
    if (!holds(response, choices[range.last])) return std::nullopt;
    while (range.first < range.last) {
      const std::size_t middle = range.first + (range.last - range.first) / 2;
      if (holds(response, choices[middle])) {
        range.last = middle;
      } else {
        range.first = middle + 1;
      }
    }
    return range.first;
  }

  /// X with which the largest gaps of the range make the next job as late as any of its choices can, if the
  /// response with the last choice is no less than `response`. With another choice that response is greater
  /// by at least what the GPU takes longer.
  [[nodiscard]] Duration min_carry_in(std::size_t index, Range range, Duration response) const {
    const auto& choices = choices_[index];
    Duration spread = Duration::max();
    for (std::size_t i = range.first; i <= range.last; ++i) {
      spread = std::min(spread, choices[i].gpu - choices[i].gpu_best);
    }
    return task(index).jitter + response - choices[range.last].gpu + spread + choices[range.first].gpu_best;
  }

  /// No more work than the task can do with any choice of the range, if its response with the last one is no
  /// less than `response`: the least of `parts` parts of the range.
  [[nodiscard]] MoreUrgent min_work(std::size_t index, Range range, Duration response, int parts) const {
    const auto& choices = choices_[index];
    if (range.first == range.last) return {test_, task(index), *choices[range.last].stages, response};
    const Duration step = (choices[range.first].gpu_best - choices[range.last].gpu_best) / parts;
    std::vector<MoreUrgent> each;
    for (Range part = range; part.first <= range.last; part.first = part.last + 1) {
      part.last = part.first;
      while (part.last < range.last &&
             choices[part.first].gpu_best - choices[part.last + 1].gpu_best <= step) {
        ++part.last;
      }
      const Duration at_last = response + choices[part.last].gpu - choices[range.last].gpu;
      each.push_back(MoreUrgent::with_carry_in(task(index), *choices[part.first].stages,
                                               min_carry_in(index, part, at_last)));
    }
    return MoreUrgent::min_of(std::move(each));
  }

  /// Bounds for every division at once: what each task needs at least, and the least work it can do.
  bool bound_all_divisions() {
    std::vector<const MoreUrgent*> more_urgent;
    for (std::size_t k = 0; k < count(); ++k) {
      result_.furthest = k;
      const FederatedResponse response = response_below(k, more_urgent);
      const auto last = last_within(k, sms_ - (sum_from(0) - least_[k]));
      if (!last) return false;
      const auto first = first_that_holds(response, k, {0, *last});
      if (!first) return false;
      first_.push_back(*first);
      least_[k] = choices_[k][*first].sms;
      ++effort_;
      const FederatedBounds bounds = response.bounds(choices_[k][*last].gpu);
      open_.push_back(min_work(k, {*first, *last}, *bounds.least, 1));
      more_urgent.push_back(&open_.back());
    }
    return sum_from(0) <= sms_;
  }

  /// Assigns SMs to this task and all less urgent ones; `left`: SMs beyond what they need at least. Returns
  /// `found`, or the last task whose SMs must change before anything else can.
  int place(std::size_t k, std::int64_t left) {
    if (k == count()) return found;
    result_.furthest = std::max(result_.furthest, k);
    if (gives_up()) return nowhere;
    std::vector<const MoreUrgent*> more_urgent = pointers(k);
    const FederatedResponse response = response_below(k, more_urgent);
    const auto last = last_within(k, least_[k] + left);
    const std::size_t fewest = first_.empty() ? 0 : first_[k];
    const auto first = last ? first_that_holds(response, k, {fewest, *last}) : std::nullopt;
    if (!first) return culprit(k);
    for (std::size_t i = *first; i <= *last;) {
      const Choice& choice = choices_[k][i];
      ++effort_;
      const Duration bound = *response.bounds(choice.gpu).least;
      decided_.emplace_back(test_, task(k), *choice.stages, bound);
      chosen_.push_back(choice.sms);
      bounds_.push_back(bound + task(k).jitter);
      const int level = place(k + 1, left - (choice.sms - least_[k]));
      if (level == found) return found;
      decided_.pop_back();
      chosen_.pop_back();
      bounds_.pop_back();
      if (gives_up() || test_ == FederatedTest::rtgpu_paper) return nowhere;
      if (level < static_cast<int>(k)) return level;
      i = next_choice(k, response, {i + 1, *last}, left);
    }
    return static_cast<int>(k) - 1;
  }

  [[nodiscard]] std::vector<const MoreUrgent*> pointers(std::size_t decided) const {
    std::vector<const MoreUrgent*> more_urgent;
    more_urgent.reserve(count());
    for (std::size_t i = 0; i < decided; ++i) more_urgent.push_back(&decided_[i]);
    return more_urgent;
  }

  /// SMs beyond the least needs that the first so many decided tasks leave.
  [[nodiscard]] std::int64_t left_behind(std::size_t decided) const {
    std::int64_t left = sms_ - sum_from(0);
    for (std::size_t i = 0; i < decided; ++i) left -= chosen_[i] - least_[i];
    return left;
  }

  /// No number of SMs suffices for task k. Returns the last task that must change: of the shortest prefix
  /// below which it must fail, or another that failed before.
  int culprit(std::size_t k) {
    failing_ = is_hard() ? std::max(failing_, k) : k;
    if (test_ == FederatedTest::rtgpu_paper) return nowhere;
    std::size_t fails = k;
    std::size_t least = 0;
    while (least < fails) {
      const std::size_t middle = least + (fails - least) / 2;
      std::vector<const MoreUrgent*> more_urgent = pointers(middle);
      if (must_fail(more_urgent, left_behind(middle))) {
        fails = middle;
      } else {
        least = middle + 1;
      }
    }
    return static_cast<int>(fails) - 1;
  }

  /// Whether some task up to the failing one fails below these, whatever SMs those between get.
  bool must_fail(std::vector<const MoreUrgent*>& more_urgent, std::int64_t left) {
    std::vector<MoreUrgent> between;
    between.reserve(count());
    for (std::size_t i = more_urgent.size(); i < failing_; ++i) {
      if (!is_hard()) {
        more_urgent.push_back(&open_[i]);
        continue;
      }
      const FederatedResponse response = response_below(i, more_urgent);
      const auto last = last_within(i, least_[i] + left);
      const auto first = first_that_holds(response, i, {first_[i], *last});
      if (!first) return true;
      left -= choices_[i][*first].sms - least_[i];
      ++effort_;
      const Duration bound = *response.bounds(choices_[i][*last].gpu).least;
      between.push_back(min_work(i, {*first, *last}, bound, sharp_parts));
      more_urgent.push_back(&between.back());
    }
    const auto last = last_within(failing_, least_[failing_] + left);
    return !last || !holds(response_below(failing_, more_urgent), choices_[failing_][*last]);
  }

  /// The next choice of task k in the range with which all tasks up to the failing one may hold.
  std::size_t next_choice(std::size_t k, const FederatedResponse& response, Range range, std::int64_t left) {
    std::size_t length = range.last + 1 - std::min(range.first, range.last + 1);
    while (range.first <= range.last) {
      length = std::min(length, range.last + 1 - range.first);
      const Range tried{range.first, range.first + length - 1};
      if (fails_with(k, response, tried, left)) {
        range.first += length;
        length *= 2;
      } else if (length == 1) {
        return range.first;
      } else {
        length = (length + 1) / 2;
      }
    }
    return range.first;
  }

  bool fails_with(std::size_t k, const FederatedResponse& response, Range range, std::int64_t left) {
    ++effort_;
    const Duration bound = *response.bounds(choices_[k][range.last].gpu).least;
    const MoreUrgent work = min_work(k, range, bound, is_hard() ? sharp_parts : 1);
    std::vector<const MoreUrgent*> more_urgent = pointers(k);
    more_urgent.push_back(&work);
    return must_fail(more_urgent, left - (choices_[k][range.first].sms - least_[k]));
  }

  /// Cheap cuts suffice for most systems; the sharper ones are used only where those do not decide soon.
  [[nodiscard]] bool is_hard() const { return effort_ > cheap_effort_; }

  bool gives_up() {
    result_.gave_up = result_.gave_up || effort_ > max_effort_;
    return result_.gave_up;
  }

  void keep() { result_.allocation = SmAllocation{chosen_, bounds_}; }

  const FederatedTasks& tasks_;
  FederatedTest test_;
  std::int64_t sms_;
  std::int64_t max_effort_;
  std::int64_t cheap_effort_;
  std::vector<Blocking> blocking_;
  FederatedEngine engine_;
  std::vector<std::vector<Choice>> choices_;
  std::vector<std::int64_t> least_;   // SMs each task needs in every division
  std::vector<std::size_t> first_;    // the same as a place in its list of choices
  std::vector<MoreUrgent> open_;      // the least work of each task in any division
  std::vector<MoreUrgent> decided_;   // the work of those that have their SMs
  std::vector<std::int64_t> chosen_;  // their SMs
  std::vector<Duration> bounds_;      // their bounds
  std::size_t failing_ = 0;           // the last task for which no SMs sufficed, or a less urgent one before
  std::int64_t effort_ = 0;
  AllocationResult result_;
};

}  // namespace

AllocationResult search_allocation(const FederatedTasks& tasks, FederatedTest test, std::int64_t sms,
                                   std::int64_t most, std::int64_t cheap) {
  return Search{tasks, test, sms, most, cheap}.run();
}

std::optional<SmAllocation> find_allocation(const FederatedTasks& tasks, FederatedTest test,
                                            std::int64_t sms) {
  return search_allocation(tasks, test, sms).allocation;
}

}  // namespace tactus::analysis
