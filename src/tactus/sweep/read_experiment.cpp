#include "tactus/sweep/read_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "tactus/base/file.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/generate/read_parameters.hpp"
#include "tactus/io/document.hpp"
#include "tactus/io/problems.hpp"
#include "tactus/io/reader.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/sweep/read_parts.hpp"

namespace tactus::sweep {

namespace {

using generate::Generator;
using generate::Parameter;
using generate::Parameters;
using io::Fields;
using io::Reader;
using io::Value;

constexpr std::array<std::string_view, 11> experiment_keys{
    "tactus-experiment", "name",    "title", "generator", "vary",    "analyses",
    "policies",          "systems", "seed",  "measures",  "simulate"};
constexpr std::array<std::string_view, 5> vary_keys{"parameter", "values", "from", "to", "step"};
constexpr std::array<std::string_view, 6> second_keys{"parameter", "values", "from", "to", "step", "show"};
constexpr std::array<std::string_view, 2> simulate_keys{"jobs", "for"};
constexpr std::array<io::Choice<SecondShown>, 2> shown_words{
    {{"panels", SecondShown::panels}, {"curves", SecondShown::curves}}};
constexpr std::size_t max_points = 10'000;
constexpr Range jobs_allowed{1, 1'000'000};
constexpr Range systems_allowed{1, 1'000'000'000};

constexpr std::string_view vary_example = "{parameter: utilisation, from: 0.1, to: 0.9, step: 0.1}";
constexpr std::string_view generator_example = "{kind: gpu-jobs, tasks: 10, periods: [10ms, 20ms]}";
constexpr std::string_view smallest_file =
    "{tactus-experiment: 1, generator: {...}, vary: {...}, analyses: [...], systems: 100}";

/// Reads one experiment file. Rules that need a value which could not be read are skipped.
class ExperimentReader {
 public:
  ExperimentReader(const Value& root, Reader& reader) : root_{root}, reader_{reader} {}

  /// Only meaningful when no problem was reported.
  std::optional<Experiment> read(const std::string& file) {
    if (!reader_.is_map(root_, "an experiment file", smallest_file)) return std::nullopt;
    if (root_.find("tactus") != nullptr && root_.find("tactus-experiment") == nullptr) {
      reader_.add(
          ProblemId::wrong_file, root_.offset, "this is a system file, not an experiment",
          "`tactus check` and `tactus sim` read it; an experiment begins with `tactus-experiment: 1`");
      return std::nullopt;
    }
    Fields fields{reader_, root_, experiment_keys};
    fields.require_version("tactus-experiment", "experiment files");
    Experiment experiment;
    experiment.name = read_name(fields, file);
    fields.take("title", experiment.title, &Reader::name);
    const Value* generator = fields.require("generator", "the experiment", generator_line());
    const Value* vary = fields.require("vary", "the experiment", fmt::format("vary: {}", vary_example));
    read_judges(fields, experiment);
    read_numbers(fields, experiment);
    read_measures(fields, experiment);
    if (generator == nullptr || vary == nullptr || !read_generator(*generator)) return std::nullopt;
    experiment.generator = *generator_;
    read_points(*generator, *vary, experiment);
    return experiment;
  }

  /// Checks with the first generated system whether the policies suit it. For an experiment
  /// without problems.
  void check_policies(const Experiment& experiment) {
    if (policies_.empty()) return;
    System system;
    try {
      system = make_system(experiment, experiment.points.front(), 0);
    } catch (const FailureError&) {
      return;  // reported when the experiment is run
    }
    for (const ReadPolicy& policy : policies_) {
      for (const Violation& violation : validate(with_policy(system, policy.variant))) {
        constexpr std::string_view prefix = "policy.";
        const std::string key = violation.path.substr(0, violation.path.find('.', prefix.size()));
        const Value* place =
            key.starts_with(prefix) ? policy.written->find(key.substr(prefix.size())) : nullptr;
        reader_.add(place == nullptr ? policy.written->offset : place->offset, violation.message,
                    violation.hint);
      }
    }
  }

 private:
  static std::string generator_line() { return fmt::format("generator: {}", generator_example); }

  std::string read_name(const Fields& fields, const std::string& file) {
    std::string stem = printable(std::filesystem::path{file}.stem().string(), 40);
    const Value* value = fields.find("name");
    if (value == nullptr) return stem.empty() ? "experiment" : stem;
    const std::optional<std::string> name = reader_.name(*value, "name");
    if (!name) return stem;
    constexpr std::size_t most = 100;
    const bool plain = std::all_of(name->begin(), name->end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
             c == '_' || c == '.';
    });
    if (!plain || name->size() > most || name->front() == '.') {
      reader_.reject(*value, fmt::format("the name {} cannot name a file", in_backticks(*name)),
                     "use letters, digits, -, _ and points; what people read goes into `title`");
    }
    return *name;
  }

  void read_judges(Fields& fields, Experiment& experiment) {
    const Value* policies = fields.find("policies");
    const Value* analyses = policies == nullptr
                                ? fields.require("analyses", "the experiment", "analyses: [np-edf]")
                                : fields.find("analyses");
    if (analyses != nullptr) experiment.analyses = read_analyses(*analyses, reader_);
    if (policies == nullptr) return;
    policies_ = read_policies(*policies, reader_);
    if (analyses != nullptr) {
      experiment.policies.push_back({.name = "as generated"});
      experiment.policy_of.assign(experiment.analyses.size(), 0);
    }
    for (const ReadPolicy& policy : policies_) {
      if (analyses != nullptr && policy.variant.name == experiment.policies.front().name) {
        reader_.add(policy.written->offset, "`analyses` judge the systems as generated already",
                    "give this policy a `name` of its own, or put its analyses there");
      }
      experiment.analyses.insert(experiment.analyses.end(), policy.analyses.begin(), policy.analyses.end());
      experiment.policy_of.resize(experiment.analyses.size(), experiment.policies.size());
      experiment.policies.push_back(policy.variant);
    }
  }

  void read_measures(Fields& fields, Experiment& experiment) {
    if (const Value* value = fields.find("measures")) {
      constexpr std::string_view example = "[acceptance, weighted]";
      if (reader_.is_list(*value, "measures", example)) {
        if (value->items.empty()) {
          reader_.reject(*value, "measures is an empty list", fmt::format("for instance {}", example));
        }
        experiment.measures.clear();
        for (const Value& item : value->items) {
          const std::optional<Measure> measure = reader_.choice<Measure>(item, "a measure", measure_words);
          if (!measure) continue;
          if (experiment.measures_also(*measure)) {
            reader_.reject(item, fmt::format("the measure {} is named twice", in_backticks(item.text)),
                           "remove one of them");
          } else {
            experiment.measures.push_back(*measure);
          }
        }
      }
    }
    if (const Value* value = fields.find("simulate")) read_observation(fields, *value, experiment);
  }

  void read_observation(const Fields& fields, const Value& value, Experiment& experiment) {
    if (!reader_.is_map(value, "simulate", "{jobs: 10}")) return;
    if (!experiment.measures_also(Measure::bound_observed)) {
      reader_.add(fields.key_offset("simulate"), "`simulate` is given, but nothing is measured by simulation",
                  "add `measures: [acceptance, bound-observed]`, or remove it");
      return;
    }
    const Fields keys{reader_, value, simulate_keys};
    const Value* jobs = keys.find("jobs");
    const Value* horizon = keys.find("for");
    if (jobs != nullptr && horizon != nullptr) {
      reader_.add(keys.key_offset("for"), "both `jobs` and `for` are given", "keep one of them");
    } else if (jobs != nullptr) {
      experiment.observation.jobs = bounded(*jobs, "jobs", jobs_allowed).value_or(1);
    } else if (horizon != nullptr) {
      experiment.observation.horizon = reader_.duration(*horizon, "for");
      if (experiment.observation.horizon == Duration{}) {
        reader_.reject(*horizon, "`for` is 0", "it must be at least 1ns");
      }
    } else if (!keys.mentions("jobs") && !keys.mentions("for")) {
      reader_.add(value.offset, "`simulate` does not say how long", "write {jobs: 10} or {for: 1s}");
    }
  }

  void read_numbers(Fields& fields, Experiment& experiment) {
    if (const Value* value = fields.require("systems", "the experiment", "systems: 100")) {
      experiment.systems = bounded(*value, "systems", systems_allowed).value_or(1);
    }
    if (const Value* value = fields.find("seed")) {
      const Range any{0, std::numeric_limits<std::int64_t>::max()};
      experiment.seed = static_cast<std::uint64_t>(bounded(*value, "seed", any).value_or(1));
    }
  }

  std::optional<std::int64_t> bounded(const Value& value, std::string_view label, Range allowed) {
    const std::optional<std::int64_t> number = reader_.integer(value, label);
    if (!number || allowed.contains(*number)) return number;
    reader_.reject(value, fmt::format("{} is {}", label, *number),
                   fmt::format("allowed: {} to {}", allowed.min, allowed.max));
    return std::nullopt;
  }

  /// The generator and its fixed parameters.
  bool read_generator(const Value& value) {
    if (!reader_.is_map(value, "generator", generator_example)) return false;
    const Value* kind = value.find("kind");
    std::vector<std::string_view> ids;
    for (const Generator& generator : generate::generators()) ids.push_back(generator.id);
    if (kind == nullptr) {
      constexpr std::array<std::string_view, 1> only_kind{"kind"};
      const auto near = std::find_if(value.entries.begin(), value.entries.end(), [&](const auto& entry) {
        return !reader_.suggest(entry.key, only_kind).empty();
      });
      if (near != value.entries.end()) {
        reader_.add(ProblemId::unknown_key, near->key_offset,
                    fmt::format("unknown key {}", in_backticks(near->key)), "did you mean `kind`?");
      } else {
        reader_.add(ProblemId::missing_key, value.offset, "the generator has no `kind`",
                    fmt::format("known: {}", fmt::join(ids, ", ")));
      }
      return false;
    }
    const std::optional<std::string> id = reader_.name(*kind, "kind");
    if (!id) return false;
    generator_ = generate::find_generator(*id);
    if (generator_ == nullptr) {
      reader_.reject_word(*kind, fmt::format("the generator {} is not known", in_backticks(*id)), ids);
      return false;
    }
    for (const Parameter& parameter : generator_->parameters) parameter_keys_.push_back(parameter.key);
    std::vector<std::string_view> keys{"kind"};
    keys.insert(keys.end(), parameter_keys_.begin(), parameter_keys_.end());
    generator_fields_.emplace(reader_, value, keys);
    fixed_.emplace(generate::read_parameters(*generator_, value, reader_));
    return true;
  }

  /// One entry of `vary`.
  struct VariedParameter {
    std::string key;
    std::vector<Varied> values;  // empty where they could not be read
  };

  std::optional<VariedParameter> read_parameter(const Value& generator, const Value& vary, Fields& fields) {
    const Value* key = fields.require("parameter", "`vary`", "parameter: utilisation");
    if (key == nullptr) return std::nullopt;
    const std::optional<std::string> name = reader_.name(*key, "parameter");
    if (!name) return std::nullopt;
    const Parameter* parameter = fixed_->find_specification(*name);
    if (parameter == nullptr) {
      reader_.reject_word(
          *key, fmt::format("the generator {} has no parameter {}", generator_->id, in_backticks(*name)),
          parameter_keys_);
      return std::nullopt;
    }
    if (generator.find(*name) != nullptr) {
      reader_.add(generator_fields_->key_offset(*name),
                  fmt::format("{} has a fixed value, but `vary` varies it", in_backticks(*name)),
                  "remove it here, or vary another parameter");
    }
    return VariedParameter{*name,
                           read_varied(fields, vary, *parameter, reader_).value_or(std::vector<Varied>{})};
  }

  /// The second entry of a list, which has keys of its own.
  std::optional<VariedParameter> read_second(const Value& generator, const Value& vary,
                                             const VariedParameter& first, Experiment& experiment) {
    if (!reader_.is_map(vary, "vary", vary_example)) return std::nullopt;
    Fields fields{reader_, vary, second_keys};
    fields.take("show", experiment.second_shown, shown_words);
    if (const Value* key = vary.find("parameter"); key != nullptr && key->text == first.key) {
      reader_.reject(*key, fmt::format("{} varies already", in_backticks(first.key)),
                     "vary another parameter here");
      return std::nullopt;
    }
    return read_parameter(generator, vary, fields);
  }

  /// `vary` is a map, or a list of one or two.
  void read_points(const Value& generator, const Value& vary, Experiment& experiment) {
    const bool several = vary.kind == Value::Kind::list;
    if (several && (vary.items.empty() || vary.items.size() > 2)) {
      reader_.reject(vary, fmt::format("`vary` lists {} parameters", vary.items.size()),
                     "one or two can vary: the first along the axis, the second a panel or a curve a value");
      return;
    }
    const Value& one = several ? vary.items.front() : vary;
    if (!reader_.is_map(one, "vary", vary_example)) return;
    Fields fields{reader_, one, vary_keys};
    const std::optional<VariedParameter> first = read_parameter(generator, one, fields);
    if (!first) return;
    experiment.varied = first->key;
    std::optional<VariedParameter> second;
    if (several && vary.items.size() == 2) {
      second = read_second(generator, vary.items.back(), *first, experiment);
      if (!second) return;
      experiment.second = second->key;
    }
    const bool required_are_there = check_required(generator, first->key, experiment.second);
    if (second && first->values.size() * second->values.size() > max_points) {
      reader_.add(vary.offset, fmt::format("`vary` gives more than {} points", max_points),
                  "use larger steps or fewer values");
      return;
    }
    const bool can_check = required_are_there && !has_gaps(generator);
    const auto add_point = [&](const Varied& varied, const Varied* other) {
      Parameters parameters = *fixed_;
      parameters.set(first->key, varied.value);
      if (other != nullptr) parameters.set(second->key, other->value);
      if (can_check)
        check(generator, {VariedKey{first->key, &varied}, VariedKey{experiment.second, other}}, parameters);
      experiment.points.push_back({varied.value, std::move(parameters),
                                   other == nullptr ? std::nullopt : std::optional{other->value}});
    };
    if (!second) {
      for (const Varied& varied : first->values) add_point(varied, nullptr);
      return;
    }
    for (const Varied& other : second->values) {
      for (const Varied& varied : first->values) add_point(varied, &other);
    }
  }

  /// A parameter that was written but could not be read.
  [[nodiscard]] bool has_gaps(const Value& generator) const {
    return std::any_of(generator.entries.begin(), generator.entries.end(),
                       [&](const Value::Entry& entry) { return reader_.is_rejected(entry.value); });
  }

  bool check_required(const Value& generator, std::string_view varied, std::string_view second) {
    bool all = true;
    for (const Parameter& parameter : generator_->parameters) {
      if (!parameter.required || parameter.key == varied || parameter.key == second) continue;
      if (generator_fields_->mentions(parameter.key)) continue;
      reader_.add(
          ProblemId::missing_key, generator.offset,
          fmt::format("the generator {} needs `{}` ({})", generator_->id, parameter.key, parameter.meaning),
          "give it a value, or vary it");
      all = false;
    }
    return all;
  }

  struct VariedKey {
    std::string_view key;
    const Varied* varied;  // null: there is none
  };

  /// A rule that several values break together is reported once, at one of them.
  void check(const Value& generator, const std::array<VariedKey, 2>& places, const Parameters& parameters) {
    for (const generate::ParameterProblem& problem : generator_->check(parameters)) {
      const Value* written = generator.find(problem.key);
      std::size_t offset = written == nullptr ? places.front().varied->offset : written->offset;
      for (const VariedKey& place : places) {
        if (place.varied != nullptr && problem.key == place.key) offset = place.varied->offset;
      }
      const bool is_new = told_.emplace(offset, problem.message).second;
      if (is_new || places.back().varied == nullptr) reader_.add(offset, problem.message, problem.hint);
    }
  }

  const Value& root_;
  Reader& reader_;
  const Generator* generator_ = nullptr;
  std::vector<std::string_view> parameter_keys_;
  std::optional<Fields> generator_fields_;
  std::optional<Parameters> fixed_;
  std::vector<ReadPolicy> policies_;
  std::set<std::pair<std::size_t, std::string>> told_;
};

}  // namespace

ReadExperimentResult read_experiment(std::string_view text, const std::string& file) {
  const io::DocumentKind kind{
      .noun = "an experiment file", .beginning = "tactus-experiment: 1", .page = "docs/experiments.md"};
  const io::TextPositions places{text};
  io::ProblemList problems;
  ReadExperimentResult result;
  if (const std::optional<Value> root = io::parse_document(text, places, problems, kind)) {
    Reader reader{problems, Reader::Subject::other};
    try {
      ExperimentReader experiment{*root, reader};
      result.experiment = experiment.read(file);
      if (problems.empty() && result.experiment) experiment.check_policies(*result.experiment);
    } catch (const OverflowError& overflow) {
      problems.add(root->offset, fmt::format("the numbers are too large: {}", overflow.what()),
                   "use fewer digits");
    }
  }
  if (!problems.empty()) {
    result.experiment.reset();
    result.problems = std::move(problems).in_file_order(places, file);
  }
  return result;
}

Experiment load_experiment(const std::filesystem::path& path) {
  ReadExperimentResult result = read_experiment(read_file(path), path.string());
  if (!result.experiment) throw InputError{std::move(result.problems)};
  return *std::move(result.experiment);
}

}  // namespace tactus::sweep
