// tactus generate: writes system files from a generator or from an experiment.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tactus/base/file.hpp"
#include "tactus/base/random.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/generate/generator.hpp"
#include "tactus/generate/read_parameters.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/sweep/policy_variant.hpp"
#include "tactus/sweep/read_experiment.hpp"

namespace tactus::cli {

namespace fs = std::filesystem;
using generate::Generator;
using generate::Parameter;
using generate::Parameters;
using sweep::Experiment;
using sweep::Point;

namespace {

constexpr std::string_view examples = R"(
Examples:
  tactus generate --list                             the generators and their parameters
  tactus generate gpu-jobs --set tasks=5 --set utilisation=0.7 --set periods='[10ms, 20ms]'
  tactus generate pruda --set utilisation_1=0.6 --set utilisation_all=0.2 --set periods='[4ms, 6ms]' \
      --count 100 -o systems                         100 files in a folder
  tactus generate rtgpu --set utilisation=1.2 --set length_ratio=1:8 -o chains.yaml
                                                     `tactus plan` finds its virtual SMs
  tactus generate experiments/pruda-figure-6.yaml --point 0.6 --first 17 -o system.yaml
                                                     system 17 of that point, as `tactus sweep` judges it
  tactus generate experiments/strategies.yaml --point 0.6 --second 8 --policy 'multi-stream fp'
                                                     the same system under one of several policies

A number always gives the same system, on every machine.
Exit status: 0 done, 2 bad input, 3 something failed, 130 interrupted (whole files are kept).)";

struct GenerateOptions {
  std::string source;
  std::vector<std::string> settings;
  std::string point;
  std::string second;
  std::string policy;
  std::string output;
  std::optional<std::int64_t> seed;
  std::int64_t first = 0;
  std::int64_t count = 1;
  bool list = false;
};

/// Makes system `number` of a series.
using Maker = std::function<System(std::int64_t number)>;

std::string kind_text(const Parameter& parameter) {
  if (parameter.kind == generate::ParameterKind::word) {
    if (parameter.key == "platform") return "of `tactus platforms`";  // too many to list here
    return fmt::format("{}", fmt::join(parameter.words, ", "));
  }
  constexpr std::array kinds{"integer", "decimal", "list of decimals", "ratio",
                             "boolean", "word",    "duration",         "list of durations"};
  return kinds.at(static_cast<std::size_t>(parameter.kind));
}

std::string list_text() {
  std::string text;
  for (const Generator& generator : generate::generators()) {
    text += fmt::format("{}{}: {}\n  source: {}\n", text.empty() ? "" : "\n", generator.id, generator.title,
                        generator.source);
    for (const Parameter& parameter : generator.parameters) {
      const std::string fallback = parameter.required ? "required"
                                   : parameter.fallback.empty()
                                       ? "optional"
                                       : fmt::format("default {}", parameter.fallback);
      text += fmt::format("  {:<20} {} ({}; {})\n", parameter.key, parameter.meaning, kind_text(parameter),
                          fallback);
    }
  }
  return text;
}

Parameters parameters_of(const Generator& generator, const std::vector<std::string>& settings) {
  Parameters parameters{generator.parameters};
  std::vector<std::string_view> known;
  for (const Parameter& parameter : generator.parameters) known.push_back(parameter.key);
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const std::string key = setting.substr(0, equals);
    const Parameter* parameter = parameters.find_specification(key);
    if (parameter == nullptr) {
      const std::string_view near = nearest_name(key, known);
      throw InputError{fmt::format("--set: {} has no parameter '{}'", generator.id, shown(key)),
                       near.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                                    : fmt::format("did you mean '{}'?", near)};
    }
    if (equals == std::string::npos) {
      throw InputError{fmt::format("--set: '{}' gives no value", shown(setting)), "write --set KEY=VALUE"};
    }
    parameters.set(key, generate::parse_value(*parameter, setting.substr(equals + 1), "--set " + key));
  }
  for (const Parameter& parameter : generator.parameters) {
    if (parameter.required && !parameters.has(parameter.key)) {
      throw InputError{fmt::format("{} needs `{}` ({})", generator.id, parameter.key, parameter.meaning),
                       fmt::format("add --set {}=...", parameter.key)};
    }
  }
  std::vector<Problem> problems;
  for (const generate::ParameterProblem& problem : generator.check(parameters)) {
    problems.push_back(
        {.file = {}, .line = 0, .column = 0, .message = problem.message, .hint = problem.hint});
  }
  if (!problems.empty()) throw InputError{std::move(problems)};
  return parameters;
}

Maker from_generator(const Generator& generator, const GenerateOptions& options) {
  for (const auto& [option, value] :
       {std::pair{"--point", options.point}, std::pair{"--second", options.second},
        std::pair{"--policy", options.policy}}) {
    if (value.empty()) continue;
    throw InputError{fmt::format("{} belongs to an experiment file", option), "use --set to give parameters"};
  }
  return [&generator, seed = static_cast<std::uint64_t>(options.seed.value_or(1)),
          parameters = parameters_of(generator, options.settings)](std::int64_t number) {
    System system =
        generator.make(parameters, draw_bits(seed, Purpose::system, 0, static_cast<std::uint64_t>(number)));
    system.name = fmt::format("{} {}", generator.id, number);
    return system;
  };
}

/// Requires that the option selects one of several values, if there are several.
void require_choice(std::string_view option, const std::string& chosen, std::string_view what,
                    std::string_view list, const std::vector<std::string>& values) {
  if (chosen.empty() && values.size() == 1) return;
  if (std::find(values.begin(), values.end(), chosen) != values.end()) return;
  throw InputError{chosen.empty() ? fmt::format("{} must say which {} of the experiment", option, what)
                                  : fmt::format("the experiment has no {} '{}'", what, shown(chosen)),
                   fmt::format("{}: {}", list, fmt::join(values, ", "))};
}

Point chosen_point(const Experiment& experiment, const GenerateOptions& options) {
  std::vector<std::string> firsts;
  std::vector<std::string> seconds;
  const auto add = [](std::vector<std::string>& list, const generate::ParameterValue& value) {
    const std::string text = generate::to_text(value);
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
  };
  for (const Point& point : experiment.points) {
    add(firsts, point.value);
    if (point.second) add(seconds, *point.second);
  }
  require_choice("--point", options.point, "point", experiment.varied, firsts);
  if (!seconds.empty()) {
    require_choice("--second", options.second, fmt::format("value of {}", experiment.second),
                   experiment.second, seconds);
  } else if (!options.second.empty()) {
    throw InputError{"--second chooses a value of the second parameter, but only one varies"};
  }
  const auto is_it = [](const std::string& chosen, const generate::ParameterValue& value) {
    return chosen.empty() || generate::to_text(value) == chosen;
  };
  return *std::find_if(experiment.points.begin(), experiment.points.end(), [&](const Point& point) {
    return is_it(options.point, point.value) && (!point.second || is_it(options.second, *point.second));
  });
}

/// Nothing: the policy as generated.
std::optional<sweep::PolicyVariant> chosen_policy(const Experiment& experiment,
                                                  const GenerateOptions& options) {
  if (options.policy.empty()) return std::nullopt;
  if (experiment.policies.empty())
    throw InputError{"the experiment compares no policies", "leave out --policy"};
  std::vector<std::string> names;
  for (const sweep::PolicyVariant& policy : experiment.policies) names.push_back(policy.name);
  require_choice("--policy", options.policy, "policy", "policies", names);
  const auto found = std::find(names.begin(), names.end(), options.policy);
  return experiment.policies[static_cast<std::size_t>(found - names.begin())];
}

Maker from_experiment(const GenerateOptions& options) {
  std::error_code ignored;
  if (!is_standard_stream(options.source) && !fs::exists(options.source, ignored)) {
    std::vector<std::string_view> ids;
    for (const Generator& generator : generate::generators()) ids.push_back(generator.id);
    const std::string_view near = nearest_name(options.source, ids);
    throw InputError{
        fmt::format("'{}' is neither a generator nor a file", shown(options.source)),
        fmt::format("{}generators: {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                    fmt::join(ids, ", "))};
  }
  if (!options.settings.empty() || options.seed) {
    throw InputError{"an experiment file has its own parameters and seed",
                     "use --point to choose one of its points"};
  }
  const InputText input = read_input(options.source);
  sweep::ReadExperimentResult read = sweep::read_experiment(input.text, input.name);
  if (!read.experiment) throw InputError{std::move(read.problems)};
  Experiment experiment = *std::move(read.experiment);
  const Point point = chosen_point(experiment, options);
  const std::optional<sweep::PolicyVariant> policy = chosen_policy(experiment, options);
  return [experiment = std::move(experiment), point, policy](std::int64_t number) {
    System system = make_system(experiment, point, number);
    if (!policy) return system;
    sweep::JudgedSystem judged = judged_under(system, *policy);
    if (!judged.why_not.empty()) {
      throw InputError{
          fmt::format("the policy '{}' cannot take system {}: {}", policy->name, number, judged.why_not)};
    }
    return std::move(judged.system);
  };
}

int write_folder(const fs::path& folder, const GenerateOptions& options, const Maker& make) {
  const InterruptGuard guard;
  const std::string name = shown(folder.string());
  make_folder(folder);
  const std::size_t digits = std::to_string(options.first + options.count - 1).size();
  const std::int64_t end = options.first + options.count;
  std::int64_t next = options.first;
  for (; next < end && !InterruptGuard::flag(); ++next) {
    save(make(next), folder / fmt::format("system-{:0{}}.yaml", next, digits));
  }
  const auto made = static_cast<std::uint64_t>(next - options.first);
  if (next < end) {
    say(fmt::format("interrupted: {} of {} in {}; --first {} --count {} makes the rest", with_thousands(made),
                    plural(options.count, "system file"), name, next, end - next));
    return interrupted;
  }
  say(fmt::format("{} in {}", plural(made, "system file"), name));
  return answer_yes;
}

int run(const GenerateOptions& options) {
  if (options.list) {
    print_text(list_text());
    return answer_yes;
  }
  if (options.source.empty()) {
    throw InputError{"name a generator or an experiment file",
                     "`tactus generate --list` shows the generators"};
  }
  const Generator* generator = generate::find_generator(options.source);
  if (generator == nullptr) refuse_to_replace({{"-o", options.output}}, {options.source});
  const Maker make = generator != nullptr ? from_generator(*generator, options) : from_experiment(options);
  if (options.count > 1) {
    if (options.output.empty() || is_standard_stream(options.output))
      throw InputError{"several systems need a folder", "add -o FOLDER"};
    return write_folder(options.output, options, make);
  }
  if (options.output.empty() || is_standard_stream(options.output)) {
    print(to_system_file(make(options.first)));
  } else {
    save(make(options.first), options.output);
  }
  return answer_yes;
}

}  // namespace

void add_generate(Verb app) {
  const Verb verb = app.add_verb("generate", "System files from a generator of random task sets");
  const auto options = std::make_shared<GenerateOptions>();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
  verb.add_option("SOURCE", options->source, "A generator, or an experiment file (-: standard input)");
  verb.add_option("--set", options->settings, "A parameter of the generator")
      .type_name("KEY=VALUE")
      .repeats();
  verb.add_option("--point", options->point, "Of an experiment: the value of what it varies")
      .type_name("VALUE");
  verb.add_option("--second", options->second,
                  "Of an experiment with two parameters: the value of the second")
      .type_name("VALUE");
  verb.add_option("--policy", options->policy,
                  "Of an experiment with policies: the name of one (default: as generated)")
      .type_name("NAME");
  verb.add_option("--seed", options->seed, "Seed (default 1)").between(0, most);
  verb.add_option("--first", options->first, "Number of the first system (default 0)").between(0, most);
  verb.add_option("--count", options->count, "How many (default 1)")
      .between(std::int64_t{1}, std::int64_t{10'000'000});
  verb.add_option("-o,--output", options->output, "File, or folder for several (default: standard output)")
      .type_name("PATH");
  verb.add_flag("--list", options->list, "List the generators and their parameters");
  verb.footer(examples);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
