#include "tactus/cli/hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/io/words.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::cli {

using plan::Hints;
using plan::Trial;

namespace {

bool is_plain(std::string_view word, std::string_view also) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || also.find(c) != std::string_view::npos;
  });
}

/// Quoted so that a shell reads it as one word.
std::string in_shell(const std::string& word) {
  if (is_plain(word, "./=")) return word;
  std::string quoted = "'";
  for (const char c : printable(word)) quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return quoted + "'";
}

std::string_view key_of(std::string_view set) { return set.substr(0, set.find('=')); }

/// The user's command line, and variations of it.
class Question {
 public:
  Question(const System& system, const std::string& file, const OverrideOptions& changes)
      : system_{system}, file_{is_standard_stream(file) ? "FILE" : in_shell(file)}, changes_{changes} {
    if (!changes.chains.empty()) file_ += " --chains " + in_shell(changes.chains);
  }

  /// With the same strategy and order, and additional --set options.
  [[nodiscard]] std::string with(const std::vector<std::string>& more) const {
    std::string words = file_;
    if (!changes_.strategy.empty()) words += " --strategy " + in_shell(changes_.strategy);
    if (!changes_.order.empty()) words += " --order " + in_shell(changes_.order);
    return words + set_words(changes_.set, more);
  }

  [[nodiscard]] std::string under(const Trial& trial) const {
    std::string words = fmt::format("{} --strategy {}", file_, strategy_word(trial.way));
    if (has_order(trial.way)) words += fmt::format(" --order {}", order_word(trial.way));
    std::vector<std::string> kept;  // --set options for strategy or order would override --strategy
    std::copy_if(changes_.set.begin(), changes_.set.end(), std::back_inserter(kept),
                 [](const std::string& set) {
                   return key_of(set) != "policy.strategy" && key_of(set) != "policy.order";
                 });
    return words + set_words(kept, trial.any_core ? std::vector<std::string>{"tasks[*].sm=any"}
                                                  : std::vector<std::string>{});
  }

  [[nodiscard]] std::string deadline(std::size_t task, Duration deadline) const {
    return set(task, "deadline", to_text(deadline));
  }

  /// Another value for a key of a task.
  [[nodiscard]] std::string set(std::size_t task, std::string_view key, std::string_view value) const {
    const std::string& name = system_.tasks[task].name;
    return is_plain(name, "") ? fmt::format("tasks.{}.{}={}", name, key, value)
                              : fmt::format("tasks[{}].{}={}", task, key, value);
  }

 private:
  /// A task may be addressed by number or by name; this returns the key with the name.
  [[nodiscard]] std::string plain_key(std::string_view set) const {
    std::string key{key_of(set)};
    for (std::size_t i = 0; i < system_.tasks.size(); ++i) {
      const std::string numbered = fmt::format("tasks[{}].", i);
      if (key.starts_with(numbered)) {
        return fmt::format("tasks.{}.{}", system_.tasks[i].name, key.substr(numbered.size()));
      }
    }
    return key;
  }

  /// If a key is set twice, the later value counts.
  [[nodiscard]] std::string set_words(std::vector<std::string> sets,
                                      const std::vector<std::string>& more) const {
    sets.insert(sets.end(), more.begin(), more.end());
    std::string words;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const bool is_replaced =
          std::any_of(sets.begin() + static_cast<std::ptrdiff_t>(i) + 1, sets.end(),
                      [&](const std::string& later) { return plain_key(later) == plain_key(sets[i]); });
      if (!is_replaced) words += " --set " + in_shell(sets[i]);
    }
    return words;
  }

  const System& system_;
  std::string file_;
  const OverrideOptions& changes_;
};

std::string speed_text(std::int64_t thousandths) { return to_decimal(Rational{thousandths, 1000}).value(); }

std::string periods_text(const plan::PeriodsHint& hint, const System& system, const Question& question) {
  std::vector<std::string> deadlines;
  for (const std::size_t task : hint.tasks) {
    deadlines.push_back(question.deadline(task, *system.tasks[task].period));
  }
  return fmt::format(
      "  tactus check {}: holds by {} (beyond its period no analysis takes a deadline of this system)\n",
      question.with(deadlines), hint.analysis);
}

std::string dispatch_text(const plan::DispatchHint& hint, const Question& question) {
  std::vector<std::string> sets;
  for (const auto& [task, dispatch, drops_launcher] : hint.changes) {
    sets.push_back(question.set(task, "dispatch", to_string(dispatch)));
    if (drops_launcher) sets.push_back(question.set(task, "launcher", "false"));
  }
  return fmt::format("  tactus {} {}: holds by {}\n", hint.planned ? "plan" : "check", question.with(sets),
                     hint.analysis);
}

std::string policy_text(const plan::PolicyHint& hint, const Question& question) {
  std::vector<std::string> sets;
  if (hint.clusters) {
    sets.push_back(fmt::format("policy.clusters={}", io::word_of(io::words::cluster_modes, *hint.clusters)));
  }
  if (hint.parallel_jobs) sets.push_back(fmt::format("policy.parallel_jobs={}", *hint.parallel_jobs));
  if (hint.any_core) sets.emplace_back("tasks[*].core=any");
  return fmt::format("  tactus {} {}: holds by {}\n", hint.planned ? "plan" : "check", question.with(sets),
                     hint.analysis);
}

/// "a, no b and no c", of what could have helped and did not.
std::string tried_text(const Hints& hints) {
  std::vector<std::string_view> tried;
  if (!hints.only_ways) tried = {"longer deadline of one task", "greater speed"};
  if (hints.tried_dispatches) tried.emplace_back("other `dispatch`");
  std::string text = fmt::format("{}", fmt::join(tried, ", no "));
  return text + (tried.empty() ? "" : " and no ") + "other strategy";
}

}  // namespace

Watch hint_watch() {
  constexpr std::chrono::seconds most{2};
  Watch watch;
  watch.until = std::chrono::steady_clock::now() + most;
  return watch;
}

std::string hints_text(const Hints& hints, const System& system, const std::string& file,
                       const OverrideOptions& changes) {
  const Question question{system, file, changes};
  std::string text;
  if (hints.nearest && !hints.nearest->task.empty()) {
    text += fmt::format("Nearest to a yes: {}; '{}' may be {} late.\n", hints.nearest->analysis,
                        hints.nearest->task, to_text(hints.nearest->by));
  }
  if (hints.empty()) {
    return text + fmt::format("No {} is proven to make it hold{}.\n", tried_text(hints),
                              hints.stopped ? ", as far as two seconds went" : "");
  }
  text += "What would help, each tried:\n";
  for (const plan::DeadlineHint& hint : hints.deadlines) {
    text += fmt::format("  tactus check {}: holds by {}\n",
                        question.with({question.deadline(hint.task, hint.deadline)}), hint.analysis);
  }
  if (hints.periods) text += periods_text(*hints.periods, system, question);
  if (hints.speed) {
    text += fmt::format("  everything {} times as fast: holds by {}\n", speed_text(hints.speed->thousandths),
                        hints.speed->analysis);
  }
  for (const plan::DispatchHint& hint : hints.dispatches) text += dispatch_text(hint, question);
  if (hints.cores) {
    text += fmt::format("  tactus plan {}: holds by {}\n", question.with({"tasks[*].core=any"}),
                        hints.cores->analysis);
  }
  for (const plan::PolicyHint& hint : hints.policies) text += policy_text(hint, question);
  for (const auto& [trial] : hints.ways) {
    text += fmt::format("  tactus {} {}: holds by {}\n", trial.changed ? "plan" : "check",
                        question.under(trial), trial.plan.accepted_by);
  }
  if (hints.stopped) text += "  (the search ended after two seconds: there may be more)\n";
  return text;
}

}  // namespace tactus::cli
