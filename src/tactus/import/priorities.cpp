#include "tactus/import/priorities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tactus/base/utf8.hpp"
#include "tactus/import/algorithm.hpp"
#include "tactus/import/competitors.hpp"
#include "tactus/import/properties.hpp"

namespace tactus::import {

namespace {

using Ranks = std::map<const Task*, std::int64_t>;

constexpr std::size_t most_named = 5;

std::int64_t length_of(const std::optional<Duration>& time) {
  return time ? time->count() : std::numeric_limits<std::int64_t>::max();
}

bool is_faster(const Ranked* a, const Ranked* b) {
  return length_of(a->task->period) < length_of(b->task->period);
}

bool is_due_sooner(const Ranked* a, const Ranked* b) {
  return length_of(a->task->deadline) < length_of(b->task->deadline);
}

std::optional<std::int64_t> number_of(const Ranked& one) {
  if (one.allocation != nullptr && one.allocation->priority) return one.allocation->priority;
  return integer_property(*one.process->element, "priority");
}

/// Over all tasks, so that numbers of several schedulers can be compared.
template <class Before>
Ranks ranks_by(std::vector<Ranked>& tasks, const Before& before) {
  std::vector<const Ranked*> order;
  for (const Ranked& one : tasks) {
    if (!one.process->is_interrupt) order.push_back(&one);
  }
  std::stable_sort(order.begin(), order.end(), before);
  Ranks ranks;
  auto rank = static_cast<std::int64_t>(order.size());
  for (const Ranked* one : order) ranks[one->task] = rank--;
  return ranks;
}

/// "tasks of `S`".
std::string some_of(const Crew& crew) {
  return crew.scheduler == nullptr ? "tasks without a scheduler"
                                   : fmt::format("tasks of {}", in_backticks(crew.scheduler->name));
}

std::string tasks_of(const Crew& crew) {
  return crew.scheduler == nullptr ? some_of(crew) : "the " + some_of(crew);
}

const Element* element_of(const Crew& crew) {
  return crew.scheduler == nullptr ? nullptr : crew.scheduler->element;
}

/// The priorities that schedulers have in those above them, from the top, and then the task's own.
struct Key {
  std::vector<std::int64_t> path;
  bool has_own = false;

  friend auto operator<=>(const Key&, const Key&) = default;
};

Key key_of(const Ranked& one) {
  Key key{.path = {}};
  const TaskSchedulerFacts* scheduler = one.allocation == nullptr ? nullptr : one.allocation->scheduler;
  for (; scheduler != nullptr && scheduler->parent != nullptr; scheduler = scheduler->parent) {
    if (scheduler->priority) key.path.insert(key.path.begin(), *scheduler->priority);
  }
  const std::optional<std::int64_t> own = number_of(one);
  key.has_own = own.has_value();
  if (own) key.path.push_back(*own);
  return key;
}

Rule rule_of(const Crew& crew) {
  return crew.scheduler == nullptr ? Rule::priorities : import::rule_of(crew.scheduler->algorithm);
}

/// Two tasks of one core between which the key makes no difference; nothing where there are none.
template <class Tasks, class KeyOf>
std::optional<std::pair<const Ranked*, const Ranked*>> equals(const Tasks& tasks, const KeyOf& key) {
  std::map<decltype(key(**tasks.begin())), std::map<std::int32_t, const Ranked*>> seen;
  for (const Ranked* one : tasks) {
    std::map<std::int32_t, const Ranked*>& alike = seen[key(*one)];
    const std::set<std::int32_t> cores = cores_of(*one);
    for (const auto& [core, other] : alike) {
      if (meet({core}, cores)) return std::pair{other, one};
    }
    for (const std::int32_t core : cores) alike.emplace(core, one);
  }
  return std::nullopt;
}

enum class Kind : std::uint8_t {
  numbers,   // of the model
  equal,     // numbers of the model, all the same
  rate,      // the algorithm, or there are no numbers
  deadline,  // the algorithm
};

Kind kind_of(const Crew& crew) {
  const Rule rule = rule_of(crew);
  if (rule == Rule::rate) return Kind::rate;
  if (rule == Rule::deadline) return Kind::deadline;
  std::set<Key> keys;
  for (const Ranked* one : crew.tasks) keys.insert(key_of(*one));
  if (keys.size() > 1) return Kind::numbers;
  if (keys.begin()->path.empty()) return Kind::rate;
  return crew.tasks.size() > 1 ? Kind::equal : Kind::numbers;
}

class Ranking {
 public:
  Ranking(std::vector<Ranked>& tasks, Notes& notes)
      : notes_{&notes}, by_rate_{ranks_by(tasks, is_faster)}, by_deadline_{ranks_by(tasks, is_due_sooner)} {}

  void rank(const std::vector<Crew>& crews) {
    std::set<Kind> kinds;
    std::set<Key> equal;
    for (const Crew& crew : crews) {
      kinds.insert(kind_of(crew));
      if (kind_of(crew) == Kind::equal) equal.insert(key_of(*crew.tasks.front()));
    }
    const bool has_numbers = kinds.contains(Kind::numbers) || equal.size() > 1;
    if (kinds.erase(Kind::equal) > 0) kinds.insert(has_numbers ? Kind::numbers : Kind::rate);
    if (kinds.size() > 1) warn_of_mixture(crews, has_numbers);
    if (has_numbers) {
      by_numbers(crews);
      return;
    }
    const Ranks& ranks = kinds.contains(Kind::deadline) ? by_deadline_ : by_rate_;
    for (const Crew& crew : crews) {
      for (const Ranked* one : crew.tasks) one->task->priority = ranks.at(one->task);
      if (kinds.size() == 1) note_order(crew);
    }
  }

 private:
  void warn_of_mixture(const std::vector<Crew>& crews, bool has_numbers) {
    std::string names;
    for (const Crew& crew : crews) {
      const Kind kind = kind_of(crew);
      const std::string_view order = kind == Kind::deadline               ? "by deadline"
                                     : kind == Kind::rate || !has_numbers ? "by rate"
                                                                          : "by number";
      names += fmt::format("{}{} {}", names.empty() ? "" : ", ", tasks_of(crew), order);
    }
    notes_->warn("mixed-priorities", element_of(crews.back()),
                 fmt::format("tasks that share cores have their priorities from different rules ({}): {}, so "
                             "some may be done earlier here than in the model",
                             names,
                             has_numbers ? "here those with numbers come first, the others by rate"
                                         : "here all are ordered by deadline"),
                 "give all of them priorities, or change `priority` in the system file");
  }

  void note_order(const Crew& crew) {
    if (crew.tasks.size() == 1) return;
    const std::string who = tasks_of(crew);
    const Rule rule = rule_of(crew);
    if (rule == Rule::rate || rule == Rule::deadline) {
      const bool by_rate = rule == Rule::rate;
      notes_->assume("priorities", element_of(crew),
                     fmt::format("{} are scheduled by {}: the shorter {} is the more urgent one, whatever "
                                 "priorities the model gives",
                                 who, crew.scheduler->algorithm, by_rate ? "period" : "deadline"));
      const auto length = [by_rate](const Ranked& one) {
        return length_of(by_rate ? one.task->period : one.task->deadline);
      };
      if (const auto same = equals(crew.tasks, length))
        warn_of_equals(crew, *same, by_rate ? "period" : "deadline", "the first");
      return;
    }
    const std::optional<std::int64_t> number = number_of(*crew.tasks.front());
    const std::string order = (number ? fmt::format("all {} have priority {}", some_of(crew), *number)
                                      : fmt::format("{} have no priorities", who)) +
                              ": the shorter period is taken as the more urgent one (rate monotonic)";
    const bool is_open = crew.tasks.front()->task->any_core;  // `plan` chooses
    if (rule == Rule::edf || is_open || !equals(crew.tasks, [](const Ranked&) { return 0; })) {
      notes_->assume("priorities", element_of(crew), order,
                     "change `priority` in the system file, or let `tactus plan` choose");
    } else {
      notes_->warn(number ? "equal-priorities" : "missing-priority", element_of(crew),
                   order +
                       ", which the model does not say: there more urgent ones may have to wait for others "
                       "of their core",
                   "give each task a priority of its own");
    }
  }

  void warn_of_equals(const Crew& crew, const std::pair<const Ranked*, const Ranked*>& same,
                      std::string_view what, std::string_view which) {
    notes_->warn(
        "equal-priorities", element_of(crew),
        fmt::format("{} and {} have the same {}: {} is taken as the more urgent one, which the model "
                    "does not say, and does not wait for the other here",
                    in_backticks(same.first->task->name), in_backticks(same.second->task->name), what, which),
        "give each task a priority of its own");
  }

  /// Tasks without a number come last, by rate.
  void by_numbers(const std::vector<Crew>& crews) {
    std::vector<const Ranked*> order;
    std::map<const Ranked*, Key> keys;
    std::size_t with_numbers = 0;
    for (const Crew& crew : crews) {
      const Kind kind = kind_of(crew);
      const bool has_numbers = kind == Kind::numbers || kind == Kind::equal;
      if (has_numbers) ++with_numbers;
      for (const Ranked* one : crew.tasks) {
        keys[one] = has_numbers ? key_of(*one) : Key{};
        order.push_back(one);
      }
      if (has_numbers) note_numbers(crew);
    }
    if (crews.size() > 1 && with_numbers == crews.size()) note_shared_cores(crews);
    std::vector<const Ranked*> numbered;
    std::ranges::copy_if(order, std::back_inserter(numbered),
                         [&keys](const Ranked* one) { return keys.at(one).has_own; });
    if (rule_of(crews.front()) != Rule::edf) {
      const auto key = [&keys](const Ranked& one) { return keys.at(&one); };
      if (const auto same = equals(numbered, key))
        warn_of_equals(crews.front(), *same, "priority", "the one with the shorter deadline");
    }
    // The least urgent first.
    std::stable_sort(order.begin(), order.end(), [&keys](const Ranked* a, const Ranked* b) {
      const Key& x = keys.at(a);
      const Key& y = keys.at(b);
      return x == y ? !x.has_own && is_faster(b, a) : x < y;
    });
    if (keep_numbers(order, keys)) return;
    std::int64_t rank = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool is_same = i > 0 && keys.at(order[i]).has_own && keys.at(order[i]) == keys.at(order[i - 1]);
      if (!is_same) ++rank;
      order[i]->task->priority = rank;
    }
  }

  /// The model's numbers, all raised alike where one is negative or there is no room for tasks that have
  /// none. False where they cannot be kept.
  static bool keep_numbers(const std::vector<const Ranked*>& order,
                           const std::map<const Ranked*, Key>& keys) {
    constexpr std::int64_t largest = 1'000'000'000'000;
    std::int64_t least = largest;
    std::int64_t lacking = 0;
    for (const Ranked* one : order) {
      const Key& key = keys.at(one);
      if (key.path.size() != (key.has_own ? 1U : 0U)) return false;
      if (!key.has_own) {
        ++lacking;
      } else if (key.path.front() > largest || key.path.front() < -largest) {
        return false;
      } else {
        least = std::min(least, key.path.front());
      }
    }
    const std::int64_t raised = std::max(least, lacking) - least;
    std::int64_t next = least + raised - lacking;
    for (const Ranked* one : order) {
      const Key& key = keys.at(one);
      one->task->priority = key.has_own ? key.path.front() + raised : next++;
    }
    return true;
  }

  void note_numbers(const Crew& crew) {
    std::string lacking;
    std::size_t count = 0;
    for (const Ranked* one : crew.tasks) {
      if (key_of(*one).has_own) continue;
      if (++count <= most_named) lacking += (lacking.empty() ? "" : ", ") + in_backticks(one->process->name);
    }
    if (count > most_named) lacking += fmt::format(" and {} more", count - most_named);
    if (count > 0) {
      notes_->warn(
          "missing-priority", element_of(crew),
          fmt::format("{} have priorities, but not {}: taken as the least urgent (the shorter period "
                      "first), so the others may be done earlier here than in the model",
                      tasks_of(crew), lacking),
          "give each task a priority");
    }
  }

  void note_shared_cores(const std::vector<Crew>& crews) {
    std::string names;
    for (const Crew& crew : crews) names += (names.empty() ? "" : " and ") + tasks_of(crew);
    notes_->warn(
        "shared-cores", element_of(crews.back()),
        fmt::format("{} share cores: their priorities are compared with each other here, and the model "
                    "does not say which scheduler precedes the other",
                    names),
        "let one scheduler be above the other, or one have both tasks");
  }

  Notes* notes_;
  Ranks by_rate_;
  Ranks by_deadline_;
};

}  // namespace

void set_priorities(std::vector<Ranked>& tasks, Notes& notes) {
  Ranking ranking{tasks, notes};
  for (const std::vector<Crew>& crews : competitors(tasks)) ranking.rank(crews);
}

}  // namespace tactus::import
