// What the verbs of the command share: how they are declared, what they answer, and how they speak.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "tactus/cli/terminal.hpp"

namespace tactus::cli {

/// Exit statuses: part of the contract (docs/json.md).
enum ExitStatus : int {
  answer_yes = 0,
  answer_no = 1,
  wrong_question = 2,
  failure = 3,
  interrupted = 130,
};

/// The verb the user chose; each `add_...` sets it when its subcommand is parsed.
using Action = std::function<int()>;

void add_check(CLI::App& app, Action& action);
void add_sim(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_falsify(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_measure(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_analyses(CLI::App& app, Action& action);
void add_platforms(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_init(CLI::App& app, Action& action);
void add_help(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);
void add_manual(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_schema(CLI::App& app, Action& action);

/// Messages go to stderr, results to stdout; what would disturb a terminal is escaped (names, paths). `say`
/// never throws: a message that is lost makes the final status a failure. `print` throws when the output
/// cannot be written.
void say(std::string_view message);
void print(std::string_view text);
/// Results that people read: lines that are wider than the terminal are broken at spaces.
void print_text(std::string_view text);

/// "1 job", "2 jobs".
std::string plural(std::uint64_t count, std::string_view noun);

}  // namespace tactus::cli
