// The command `tactus`: parses the command line and runs a verb.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/base/interruption.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/base/version.hpp"
#include "tactus/cli/command_tree.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/verb.hpp"

namespace tactus::cli {

namespace {

constexpr std::string_view examples = R"(
The documentation is in share/doc/tactus where tactus is installed, and in docs/ of its repository.

Examples:
  tactus init first.yaml                  a first system file, with comments
  tactus check first.yaml                 does every deadline hold?
  tactus sim first.yaml --picture         what happens, block by block
  tactus sim first.yaml --trace t.json    a timeline for ui.perfetto.dev
  tactus help sim                         all about one verb

Exit status: 0 yes or done, 1 the answer is no, 2 the question was wrong, 3 something failed, 130 interrupted.)";

/// The first word that is not an option of the command itself.
std::string_view first_word(std::span<char*> words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const bool colour = word.starts_with("--color") || word.starts_with("--colour");
    if (colour && word.find('=') == std::string_view::npos) ++i;
    if (!colour && word != "--parse-only") return word;
  }
  return {};
}

/// An empty word usually comes from an unset shell variable, and the parser would take the next word in its
/// place.
void refuse_empty_words(std::span<char*> words) {
  for (const std::string_view word : words.subspan(1)) {
    const bool lacks_value = word.starts_with("--") && word.find('=') == word.size() - 1;
    if (!word.empty() && !lacks_value) continue;
    throw InputError{word.empty() ? "an empty argument" : fmt::format("{} has no value", shown(word)),
                     "is a variable not set?"};
  }
}

/// Verbs grouped by purpose.
struct Group {
  std::string_view name;
  std::vector<std::string_view> verbs;
};

std::string group_of(std::string_view verb) {
  const std::vector<Group> groups{
      {"Describe a system", {"init", "generate", "transform", "import", "platforms", "schema"}},
      {"Ask about it", {"check", "compare", "sim", "plan"}},
      {"Run it", {"doctor", "measure", "run"}},
      {"Study analyses", {"analyses", "explain", "falsify", "sweep"}},
      {"Help", {"help", "completion"}},
  };
  for (const Group& group : groups) {
    if (std::find(group.verbs.begin(), group.verbs.end(), verb) != group.verbs.end())
      return std::string{group.name};
  }
  return "Other";
}

/// Added to every verb and its verbs as well, because users put options last.
void add_colour(CLI::App& app) {
  for (const char* name : {"--color", "--colour"}) {
    CLI::Option* option = app.add_option_function<std::string>(
        name, [](const std::string& when) { choose_colour(when); },
        "Colours: auto (on a terminal), always or never (default auto)");
    option->trigger_on_parse();
    VerbOption{*option}.one_of({"auto", "always", "never"});
    if (std::string_view{name} == "--colour") option->group("");  // the British spelling, hidden
  }
  for (CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) add_colour(*verb);
}

int run(int argc, char** argv) {
  CLI::App app{"Tactus: real-time computing on GPUs. Know before you launch."};
  app.name("tactus");
  app.formatter_fn([](const CLI::App* verb, const std::string&, CLI::AppFormatMode) {
    return help_text(*verb, picture_width(), wants_colour());
  });
  app.set_version_flag("--version", fmt::format("tactus {}", version()));
  app.footer(std::string{examples});
  app.require_subcommand(1);
  bool parse_only = false;
  app.add_flag("--parse-only", parse_only, "Says whether the command line can be read, and no more")
      ->group("");
  Action action;
  const Verb root{app, action};
  for (const auto add :
       {add_init,    add_generate, add_transform, add_import,  add_platforms,  add_check,    add_sim,
        add_plan,    add_compare,  add_doctor,    add_measure, add_run,        add_analyses, add_explain,
        add_falsify, add_sweep,    add_schema,    add_help,    add_completion, add_manual}) {
    add(root);
  }
  for (CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) verb->group(group_of(verb->get_name()));
    for (CLI::App* below : verb->get_subcommands([](const CLI::App*) { return true; })) below->group("Verbs");
  }
  add_colour(app);
  if (argc == 1) {
    say(app.help());
    return wrong_question;
  }
  const std::span<char*> words{argv, static_cast<std::size_t>(argc)};
  refuse_empty_words(words);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    flush_output();
    return answer_yes;
  } catch (const CLI::CallForVersion&) {
    print(fmt::format("tactus {}\n", version()));
    flush_output();
    return answer_yes;
  } catch (const CLI::ParseError& error) {
    say(usage_complaint(app, error, first_word(words)));
    return wrong_question;
  }
  if (parse_only) return answer_yes;
  const int status = action();
  flush_output();
  return status;
}

/// Runs the command; turns exceptions into a message and an exit status.
int run_and_tell(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const InputError& error) {
    say_problems(error);
    return wrong_question;
  } catch (const OverflowError& error) {
    say(fmt::format("error: the numbers are too large: {}", error.what()));
    return wrong_question;
  } catch (const InterruptedError& error) {
    say(fmt::format("interrupted: {}", error.what()));
    return interrupted;
  } catch (const ReaderIsGone&) {
    return failure;
  } catch (const std::bad_alloc&) {
    say("error: out of memory");
    return failure;
  } catch (const std::exception& error) {
    say(fmt::format("error: {}", error.what()));
    return failure;
  }
}

}  // namespace

}  // namespace tactus::cli

int main(int argc, char** argv) {
  using namespace tactus::cli;
  prepare_output();
  end_cleanly_on_signals();
  return status_with_messages(run_and_tell(argc, argv));
}
