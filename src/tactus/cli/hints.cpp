#include "tactus/cli/hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "tactus/base/exact.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"

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

/// As a shell takes it for one word.
std::string in_shell(const std::string& word) {
  if (is_plain(word, "./=")) return word;
  std::string quoted = "'";
  for (const char c : printable(word)) quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return quoted + "'";
}

/// The file and the changes that the question had already.
std::string question_words(const std::string& file, const OverrideOptions& changes) {
  std::string words = in_shell(file);
  for (const std::string& set : changes.set) words += " --set " + in_shell(set);
  return words;
}

std::string own_way_words(const OverrideOptions& changes) {
  std::string words;
  if (!changes.strategy.empty()) words += " --strategy " + in_shell(changes.strategy);
  if (!changes.order.empty()) words += " --order " + in_shell(changes.order);
  return words;
}

std::string deadline_key(const System& system, std::size_t task) {
  const std::string& name = system.tasks[task].name;
  return is_plain(name, "") ? fmt::format("tasks.{}.deadline", name)
                            : fmt::format("tasks[{}].deadline", task);
}

std::string speed_text(std::int64_t thousandths) { return to_decimal(Rational{thousandths, 1000}).value(); }

std::string way_text(const Trial& trial, const std::string& question) {
  std::string text = fmt::format("tactus {} {} --strategy {}", trial.changed ? "plan" : "check", question,
                                 strategy_word(trial.way));
  if (trial.way.strategy != StrategyKind::as_submitted)
    text += fmt::format(" --order {}", order_word(trial.way));
  if (trial.any_core) text += " --set 'tasks[*].sm=any'";
  return text + fmt::format(": holds by {}", trial.plan.accepted_by);
}

}  // namespace

plan::Watch hint_watch() {
  constexpr std::chrono::seconds most{2};
  plan::Watch watch;
  watch.until = std::chrono::steady_clock::now() + most;
  return watch;
}

std::string hints_text(const Hints& hints, const System& system, const std::string& file,
                       const OverrideOptions& changes) {
  const std::string question = question_words(file, changes);
  std::string text;
  if (hints.nearest && !hints.nearest->task.empty()) {
    text += fmt::format("Nearest to a yes: {}; '{}' may be {} late.\n", hints.nearest->analysis,
                        hints.nearest->task, to_text(hints.nearest->by));
  }
  if (hints.empty()) {
    const std::string_view tried =
        hints.only_ways ? "other strategy"
                        : "longer deadline of one task, no greater speed and no other strategy";
    return text + fmt::format("No {} makes it hold{}.\n", tried,
                              hints.stopped ? ", as far as two seconds went" : "");
  }
  text += "What would help, each tried:\n";
  for (const plan::DeadlineHint& hint : hints.deadlines) {
    text +=
        fmt::format("  tactus check {}{} --set {}: holds by {}\n", question, own_way_words(changes),
                    in_shell(deadline_key(system, hint.task) + "=" + to_text(hint.deadline)), hint.analysis);
  }
  if (hints.speed) {
    text += fmt::format("  everything {} times as fast: holds by {}\n", speed_text(hints.speed->thousandths),
                        hints.speed->analysis);
  }
  for (const plan::WayHint& hint : hints.ways) text += "  " + way_text(hint.trial, question) + "\n";
  if (hints.stopped) text += "  (the search ended after two seconds: there may be more)\n";
  return text;
}

}  // namespace tactus::cli
