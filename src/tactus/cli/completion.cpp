// tactus completion: completion scripts for shells, generated from the command line of this program.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tactus/cli/command_tree.hpp"
#include "tactus/cli/verb.hpp"

namespace tactus::cli {

namespace {

constexpr std::string_view examples = R"(
Verbs, options, the words an option can be and file names are completed. `cmake --install` and the package put the
scripts where the shells look for them; by hand:

Examples:
  tactus completion bash > ~/.local/share/bash-completion/completions/tactus
  tactus completion zsh > ~/.zfunc/_tactus          a folder of fpath
  tactus completion fish > ~/.config/fish/completions/tactus.fish)";

std::string joined(const std::vector<std::string>& words, std::string_view separator = " ") {
  return fmt::format("{}", fmt::join(words, separator));
}

/// The verb's name without the command's: "measure kernel"; empty for the command itself.
std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? std::string{}
                                     : full_name(app).substr(std::string_view{"tactus "}.size());
}

/// Visits the command, its verbs and theirs.
void visit(const CLI::App& app, const std::function<void(const CLI::App&)>& see) {
  see(app);
  for (const CLI::App* verb : verbs_of(app)) visit(*verb, see);
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& verbs) {
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const CLI::App* verb : verbs) names.push_back(verb->get_name());
  return names;
}

// --- bash -------------------------------------------------------------------------------------------------

constexpr std::string_view bash_head = R"(# Completion of tactus for bash; made by `tactus completion bash`.
_tactus_words() {  # words to choose from, behind the last comma
  local head=""
  [[ $word == *,* ]] && head=${word%,*},
  mapfile -t COMPREPLY < <(compgen -P "$head" -W "$1" -- "${word##*,}")
}
_tactus_files() {
  local -a files
  mapfile -t files < <(compgen -f -- "$word")
  COMPREPLY+=("${files[@]}")
  compopt -o filenames 2>/dev/null
}
_tactus_systems() {  # YAML and folders; whatever is there where there is none of them
  local -a files
  mapfile -t files < <(compgen -f -X "!*.yaml" -- "$word"; compgen -f -X "!*.yml" -- "$word"
    compgen -d -- "$word")
  if ((${#files[@]} == 0)); then
    _tactus_files
    return
  fi
  COMPREPLY+=("${files[@]}")
  compopt -o filenames 2>/dev/null
}
_tactus() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} path="" i
  COMPREPLY=()
  # bash takes --option=value for three words.
  if [[ $word == "=" ]]; then
    word=""
  elif [[ $before == "=" ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "${path:+$path }${COMP_WORDS[i]}" in
)";

/// The completion of a value; nothing if any value is allowed.
std::string bash_value(const OptionFacts& option) {
  std::string action;
  if (!option.choices.empty()) action = fmt::format("_tactus_words \"{}\"", joined(option.choices));
  if (option.file) {
    action +=
        fmt::format("{}{}", action.empty() ? "" : "; ", option.yaml ? "_tactus_systems" : "_tactus_files");
  }
  return action.empty() ? ":" : action;
}

std::string bash_script(const CLI::App& app) {
  std::string paths;
  std::string values;
  std::string rest;
  visit(app, [&](const CLI::App& verb) {
    const std::string path = path_of(verb);
    if (!path.empty()) paths += fmt::format("{}\"{}\"", paths.empty() ? "" : "|", path);
    std::vector<std::string> options;
    std::string argument = "_tactus_files";
    for (const OptionFacts& option : options_of(verb)) {
      if (option.argument) {
        argument = bash_value(option);
        continue;
      }
      options.insert(options.end(), option.names.begin(), option.names.end());
      if (option.value.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) patterns.push_back(fmt::format("\"{} {}\"", path, name));
      values += fmt::format("    {}) {}; return ;;\n", joined(patterns, "|"), bash_value(option));
    }
    const std::vector<std::string> verbs = names_of(verbs_of(verb));
    if (!verbs.empty()) argument = fmt::format("_tactus_words \"{}\"", joined(verbs));
    rest +=
        fmt::format("    \"{}\")\n      if [[ $word == -* ]]; then _tactus_words \"{}\"; else {}; fi ;;\n",
                    path, joined(options), argument);
  });
  return fmt::format(
      "{}      {}) path=${{path:+$path }}${{COMP_WORDS[i]}} ;;\n    esac\n  done\n  case \"$path $before\" "
      "in\n{}  esac\n"
      "  case \"$path\" in\n{}  esac\n}}\ncomplete -F _tactus tactus\n",
      bash_head, paths, values, rest);
}

// --- zsh --------------------------------------------------------------------------------------------------

/// Quoted for use inside single quotes and the brackets of _arguments.
std::string zsh_quoted(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result;
}

std::string zsh_value(const OptionFacts& option) {
  const std::string word = zsh_quoted(option.value);
  // With a pattern, zsh offers other files if none matches.
  const std::string_view files = option.yaml ? "_files -g \"*.(yaml|yml)\"" : "_files";
  if (option.choices.empty()) return fmt::format(":{}:{}", word, option.file ? files : " ");
  const std::string choices = joined(option.choices);
  if (option.listed) return fmt::format(":{}:_sequence compadd - {}", word, choices);
  if (option.file) return fmt::format(":{}:{{compadd {}; {}}}", word, choices, files);
  return fmt::format(":{}:({})", word, choices);
}

std::string zsh_function(const CLI::App& app) {
  std::string name = path_of(app);
  std::replace(name.begin(), name.end(), ' ', '_');
  name = name.empty() ? "_tactus" : "_tactus_" + name;
  std::string arguments;
  for (const OptionFacts& option : options_of(app)) {
    if (option.argument) {
      arguments += fmt::format(" \\\n    '{}{}'", option.many ? "*" : "", zsh_value(option));
      continue;
    }
    for (const std::string& each : option.names) {
      arguments += fmt::format(" \\\n    '{}{}[{}]{}'", option.many ? "*" : "", each,
                               zsh_quoted(option.description), option.value.empty() ? "" : zsh_value(option));
    }
  }
  const std::vector<const CLI::App*> verbs = verbs_of(app);
  if (verbs.empty()) return fmt::format("{}() {{\n  _arguments{}\n}}\n", name, arguments);
  std::string described;
  std::string calls;
  for (const CLI::App* verb : verbs) {
    described += fmt::format("\n    '{}:{}'", verb->get_name(), zsh_quoted(verb->get_description()));
    calls += fmt::format("        {}) {}_{} ;;\n", verb->get_name(), name, verb->get_name());
  }
  return fmt::format(
      "{}() {{\n  local curcontext=$curcontext state line\n  local -a verbs\n  verbs=({}\n  )\n"
      "  _arguments -C{} \\\n    '1: :->verb' \\\n    '*:: :->words'\n  case $state in\n"
      "    verb) _describe verb verbs ;;\n    words)\n      case $words[1] in\n{}      esac ;;\n  esac\n}}\n",
      name, described, arguments, calls);
}

std::string zsh_script(const CLI::App& app) {
  std::string text = "#compdef tactus\n# Completion of tactus for zsh; made by `tactus completion zsh`.\n";
  visit(app, [&](const CLI::App& verb) { text += zsh_function(verb); });
  return text + "if [[ $funcstack[1] == _tactus ]]; then _tactus \"$@\"; else compdef _tactus tactus; fi\n";
}

// --- fish -------------------------------------------------------------------------------------------------

std::string fish_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

/// The condition under which options and verbs of this verb are offered.
std::string fish_condition(const CLI::App& app) {
  std::string condition;
  for (const CLI::App* one = &app; one->get_parent() != nullptr; one = one->get_parent()) {
    condition = fmt::format("__fish_seen_subcommand_from {}{}{}", one->get_name(),
                            condition.empty() ? "" : "; and ", condition);
  }
  const std::vector<std::string> below = names_of(verbs_of(app));
  if (below.empty()) return condition;
  return fmt::format("{}not __fish_seen_subcommand_from {}", condition.empty() ? "" : condition + "; and ",
                     joined(below));
}

std::string fish_value(const OptionFacts& option) {
  std::string text;
  if (!option.value.empty() && !option.argument) text += option.file ? " -r" : " -x";
  if (option.file && !option.yaml) text += " -F";
  std::vector<std::string> values = option.choices;
  if (option.yaml) values.emplace_back("(__fish_complete_suffix .yaml; __fish_complete_suffix .yml)");
  if (!values.empty()) text += (option.yaml ? " -k -a " : " -a ") + fish_quoted(joined(values));
  return text;
}

std::string fish_script(const CLI::App& app) {
  std::string text =
      "# Completion of tactus for fish; made by `tactus completion fish`.\ncomplete -c tactus -f\n";
  visit(app, [&](const CLI::App& verb) {
    const std::string begin = fmt::format("complete -c tactus -n {}", fish_quoted(fish_condition(verb)));
    for (const CLI::App* below : verbs_of(verb)) {
      text +=
          fmt::format("{} -a {} -d {}\n", begin, below->get_name(), fish_quoted(below->get_description()));
    }
    for (const OptionFacts& option : options_of(verb)) {
      std::string line = begin;
      if (!option.argument) {
        for (const std::string& name : option.names) {
          line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        }
        line += " -d " + fish_quoted(option.description);
      }
      line += fish_value(option);
      if (line != begin) text += line + "\n";
    }
  });
  return text;
}

}  // namespace

std::string completion_script(const CLI::App& app, std::string_view shell) {
  if (shell == "bash") return bash_script(app);
  return shell == "zsh" ? zsh_script(app) : fish_script(app);
}

void add_completion(Verb app) {
  const Verb verb = app.add_verb("completion", "Prints a script that completes command lines in a shell");
  const auto shell = std::make_shared<std::string>();
  verb.add_option("SHELL", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  verb.footer(examples);
  const CLI::App& root = app.app();
  verb.runs([&root, shell] {
    print(completion_script(root, *shell));
    return answer_yes;
  });
}

}  // namespace tactus::cli
