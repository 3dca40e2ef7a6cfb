// The command `tactus`: parses, calls, prints.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/Error.hpp>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/version.hpp"
#include "tactus/cli/messages.hpp"
#include "tactus/cli/usage.hpp"
#include "tactus/cli/verb.hpp"

namespace tactus::cli {

void say(std::string_view message) {
  std::fflush(stdout);  // what was printed before comes before it, also where both go to one file
  fmt::print(stderr, "{}\n", message);
}

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::ferror(stdout) != 0) throw FailureError{"standard output cannot be written"};
}

bool wants_colour() { return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_thousands(count), noun, count == 1 ? "" : "s");
}

namespace {

constexpr std::string_view examples = R"(
Examples:
  tactus check examples/first.yaml              does every deadline hold?
  tactus sim examples/first.yaml                what happens, block by block
  tactus sim examples/first.yaml --trace t.json a timeline for ui.perfetto.dev
  tactus sim --help                             all about one verb

Exit status: 0 yes or done, 1 the answer is no, 2 the question was wrong, 3 something failed, 130 interrupted.)";

void flush() {
  if (std::fflush(stdout) != 0) throw FailureError{"standard output cannot be written"};
}

/// Of the verb that was named, or of the command.
std::string help_of(CLI::App& app) {
  CLI::App* chosen = &app;
  std::string before;
  while (!chosen->get_subcommands().empty()) {
    before += (before.empty() ? "" : " ") + chosen->get_name();
    chosen = chosen->get_subcommands().front();
  }
  return chosen->help(before);
}

int run(int argc, char** argv) {
  CLI::App app{"Tactus: real-time computing on GPUs. Know before you launch."};
  app.name("tactus");
  app.set_version_flag("--version", fmt::format("tactus {}", version()));
  app.footer(std::string{examples});
  app.require_subcommand(1);
  Action action;
  add_check(app, action);
  add_sim(app, action);
  add_plan(app, action);
  add_falsify(app, action);
  add_generate(app, action);
  add_sweep(app, action);
  add_run(app, action);
  add_measure(app, action);
  add_doctor(app, action);
  add_analyses(app, action);
  add_platforms(app, action);
  add_explain(app, action);
  add_schema(app, action);
  if (argc == 1) {
    say(app.help());
    return wrong_question;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(help_of(app));
    flush();
    return answer_yes;
  } catch (const CLI::CallForVersion&) {
    print(fmt::format("tactus {}\n", version()));
    flush();
    return answer_yes;
  } catch (const CLI::ParseError& error) {
    say(usage_complaint(app, error, {argv + 1, argv + argc}));
    return wrong_question;
  }
  const int status = action();
  flush();
  return status;
}

}  // namespace

}  // namespace tactus::cli

int main(int argc, char** argv) {
  using namespace tactus;
  try {
    return cli::run(argc, argv);
  } catch (const InputError& error) {
    cli::say_problems(error);
    return cli::wrong_question;
  } catch (const OverflowError& error) {
    cli::say(fmt::format("error: the numbers are too large: {}", error.what()));
    return cli::wrong_question;
  } catch (const std::bad_alloc&) {
    cli::say("error: out of memory");
    return cli::failure;
  } catch (const std::exception& error) {
    cli::say(fmt::format("error: {}", error.what()));
    return cli::failure;
  }
}
