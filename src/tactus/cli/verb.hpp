// What the verbs of the command share: how they are declared, what they answer, and how they speak.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <string>
#include <string_view>

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
void add_falsify(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_measure(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_analyses(CLI::App& app, Action& action);
void add_platforms(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_schema(CLI::App& app, Action& action);

/// Messages go to stderr, results to stdout.
void say(std::string_view message);
void print(std::string_view text);

/// Whether stdout is a terminal that wants colours (NO_COLOR unset).
bool wants_colour();

/// "1 job", "2 jobs".
std::string plural(std::uint64_t count, std::string_view noun);

}  // namespace tactus::cli
