#include "tactus/sweep/read_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>
#include <utility>

#include "tactus/analysis/registry.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/generate/read_parameters.hpp"
#include "tactus/io/document.hpp"
#include "tactus/io/problems.hpp"
#include "tactus/io/reader.hpp"
#include "tactus/sweep/read_varied.hpp"

namespace tactus::sweep {

namespace {

using generate::Generator;
using generate::Parameter;
using generate::Parameters;
using io::Fields;
using io::Reader;
using io::Value;

constexpr std::array<std::string_view, 8> experiment_keys{
    "tactus-experiment", "name", "title", "generator", "vary", "analyses", "systems", "seed"};
constexpr std::array<std::string_view, 5> vary_keys{"parameter", "values", "from", "to", "step"};
constexpr Range systems_allowed{1, 1'000'000'000};

constexpr std::string_view vary_example = "{parameter: utilisation, from: 0.1, to: 0.9, step: 0.1}";
constexpr std::string_view generator_example = "{kind: gpu-jobs, tasks: 10, periods: [10ms, 20ms]}";
constexpr std::string_view smallest_file =
    "{tactus-experiment: 1, generator: {...}, vary: {...}, analyses: [...], systems: 100}";

/// Reads one experiment file. What could not be read leaves a gap; rules that need it stay silent.
class ExperimentReader {
 public:
  ExperimentReader(const Value& root, Reader& reader) : root_{root}, reader_{reader} {}

  /// Only meaningful when no problem was told.
  std::optional<Experiment> read(const std::string& file) {
    if (!reader_.is_map(root_, "an experiment file", smallest_file)) return std::nullopt;
    if (root_.find("tactus") != nullptr && root_.find("tactus-experiment") == nullptr) {
      reader_.add(
          ProblemId::wrong_file, root_.offset, "this is a system file, not an experiment",
          "`tactus check` and `tactus sim` read it; an experiment begins with `tactus-experiment: 1`");
      return std::nullopt;
    }
    Fields fields{reader_, root_, experiment_keys};
    check_version(fields);
    Experiment experiment;
    experiment.name = read_name(fields, file);
    if (const Value* title = fields.find("title")) {
      experiment.title = reader_.name(*title, "title").value_or("");
    }
    const Value* generator = fields.require("generator", "the experiment", generator_line());
    const Value* vary = fields.require("vary", "the experiment", fmt::format("vary: {}", vary_example));
    read_analyses(fields, experiment);
    read_numbers(fields, experiment);
    if (generator == nullptr || vary == nullptr || !read_generator(*generator)) return std::nullopt;
    experiment.generator = *generator_;
    read_points(*generator, *vary, experiment);
    return experiment;
  }

 private:
  static std::string generator_line() { return fmt::format("generator: {}", generator_example); }

  void check_version(Fields& fields) {
    constexpr std::int64_t version = 1;
    const Value* value = fields.require("tactus-experiment", "the file", "tactus-experiment: 1");
    if (value == nullptr) return;
    const std::optional<std::int64_t> given = reader_.integer(*value, "tactus-experiment");
    if (given && *given != version) {
      reader_.reject(ProblemId::unknown_version, *value,
                     fmt::format("version {} of experiment files is not known", *given),
                     fmt::format("this program reads version {0}: write `tactus-experiment: {0}`", version));
    }
  }

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

  void read_analyses(Fields& fields, Experiment& experiment) {
    const Value* value = fields.require("analyses", "the experiment", "analyses: [np-edf]");
    if (value == nullptr || !reader_.is_list(*value, "analyses", "[np-edf, np-fp]")) return;
    if (value->items.empty()) {
      reader_.reject(*value, "analyses is an empty list", "name at least one; `tactus analyses` lists them");
    }
    std::vector<std::string_view> known;
    for (const analysis::Analysis& entry : analysis::registry()) known.push_back(entry.id);
    std::unordered_set<std::string> seen;
    for (const Value& item : value->items) {
      const std::optional<std::string> id = reader_.name(item, "an analysis");
      if (!id) continue;
      const analysis::Analysis* found = analysis::find(*id);
      if (found == nullptr) {
        reader_.reject_word(item, fmt::format("the analysis {} is not known", in_backticks(*id)), known);
      } else if (!seen.insert(*id).second) {
        reader_.reject(item, fmt::format("the analysis {} is named twice", in_backticks(*id)),
                       "remove one of them");
      } else {
        experiment.analyses.push_back(*found);
      }
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
                   fmt::format("allowed: {} to {}", allowed.least, allowed.most));
    return std::nullopt;
  }

  /// Which generator, and the parameters that are fixed.
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

  void read_points(const Value& generator, const Value& vary, Experiment& experiment) {
    if (!reader_.is_map(vary, "vary", vary_example)) return;
    Fields fields{reader_, vary, vary_keys};
    const Value* key = fields.require("parameter", "`vary`", "parameter: utilisation");
    if (key == nullptr) return;
    const std::optional<std::string> name = reader_.name(*key, "parameter");
    if (!name) return;
    const Parameter* parameter = fixed_->find_specification(*name);
    if (parameter == nullptr) {
      reader_.reject_word(
          *key, fmt::format("the generator {} has no parameter {}", generator_->id, in_backticks(*name)),
          parameter_keys_);
      return;
    }
    experiment.varied = *name;
    if (generator.find(*name) != nullptr) {
      reader_.add(generator_fields_->key_offset(*name),
                  fmt::format("{} has a fixed value, but `vary` varies it", in_backticks(*name)),
                  "remove it here, or vary another parameter");
    }
    const std::optional<std::vector<Varied>> values = read_varied(fields, vary, *parameter, reader_);
    const bool required_are_there = check_required(generator, *name);
    if (!values) return;
    for (const Varied& varied : *values) {
      Parameters parameters = *fixed_;
      parameters.set(*name, varied.value);
      if (required_are_there && !has_gaps(generator)) check(generator, varied, *name, parameters);
      experiment.points.push_back({varied.value, std::move(parameters)});
    }
  }

  /// A parameter that was written but could not be read.
  [[nodiscard]] bool has_gaps(const Value& generator) const {
    return std::any_of(generator.entries.begin(), generator.entries.end(),
                       [&](const Value::Entry& entry) { return reader_.is_rejected(entry.value); });
  }

  bool check_required(const Value& generator, std::string_view varied) {
    bool all = true;
    for (const Parameter& parameter : generator_->parameters) {
      if (!parameter.required || parameter.key == varied || generator_fields_->mentions(parameter.key))
        continue;
      reader_.add(
          ProblemId::missing_key, generator.offset,
          fmt::format("the generator {} needs `{}` ({})", generator_->id, parameter.key, parameter.meaning),
          "give it a value, or vary it");
      all = false;
    }
    return all;
  }

  void check(const Value& generator, const Varied& varied, std::string_view name,
             const Parameters& parameters) {
    for (const generate::ParameterProblem& problem : generator_->check(parameters)) {
      const Value* written = generator.find(problem.key);
      const std::size_t offset = problem.key == name || written == nullptr ? varied.offset : written->offset;
      reader_.add(offset, problem.message, problem.hint);
    }
  }

  const Value& root_;
  Reader& reader_;
  const Generator* generator_ = nullptr;
  std::vector<std::string_view> parameter_keys_;
  std::optional<Fields> generator_fields_;
  std::optional<Parameters> fixed_;
};

}  // namespace

ReadExperimentResult read_experiment(std::string_view text, const std::string& file) {
  const io::DocumentKind kind{
      .noun = "an experiment file", .beginning = "tactus-experiment: 1", .page = "docs/experiments.md"};
  const io::Places places{text};
  io::ProblemList problems;
  ReadExperimentResult result;
  if (const std::optional<Value> root = io::parse_document(text, places, problems, kind)) {
    Reader reader{problems, Reader::Subject::other};
    try {
      result.experiment = ExperimentReader{*root, reader}.read(file);
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
