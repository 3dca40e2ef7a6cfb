#include "tactus/cli/input.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "tactus/analysis/registry.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/import.hpp"
#include "tactus/import/source.hpp"
#include "tactus/import/xml.hpp"
#include "tactus/io/document.hpp"
#include "tactus/io/write_system.hpp"

namespace tactus::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view stdin_name = "stdin";

std::string read_stdin() {
  static bool was_read = false;
  if (std::exchange(was_read, true)) {
    throw InputError{{Problem{.file = std::string{stdin_name},
                              .line = 1,
                              .column = 1,
                              .message = "standard input was read before",
                              .hint = "name `-` once",
                              .id = ProblemId::unreadable_file}}};
  }
  return read_open_file(STDIN_FILENO, stdin_name);
}

Problem unreadable(const fs::path& folder, const std::error_code& why) {
  return {.file = folder.string(),
          .line = 1,
          .column = 1,
          .message = "the folder cannot be read: " + why.message(),
          .hint = "check its permissions",
          .id = ProblemId::unreadable_file};
}

/// "a.yaml" for "./a.yaml": the form that CI pipelines use.
std::string plain(const std::string& path) { return path.starts_with("./") ? path.substr(2) : path; }

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool is_among(const fs::path& path, const std::vector<std::string>& models) {
  return std::ranges::find(models, path.string()) != models.end();
}

bool may_be_system(const fs::directory_entry& entry) {
  const fs::path extension = entry.path().extension();
  if (extension != ".yaml" && extension != ".yml") return false;
  std::error_code ignored;
  const fs::file_status status = entry.status(ignored);
  // A broken link is treated as a missing file.
  return fs::is_regular_file(status) || !fs::exists(status);
}

void look_into(const fs::path& folder, NamedFiles& found) {
  std::vector<fs::directory_entry> entries;
  std::error_code failed;
  for (fs::directory_iterator entry{folder, failed}, end; !failed && entry != end; entry.increment(failed)) {
    if (!is_hidden(entry->path())) entries.push_back(*entry);
  }
  if (failed) found.problems.push_back(unreadable(folder, failed));
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.path().native() < b.path().native(); });
  const std::vector<std::string> models = import::models_in(folder.string());
  if (is_among(folder, models)) found.files.push_back(plain(folder.string()));
  for (const fs::directory_entry& entry : entries) {
    std::error_code ignored;
    if (entry.is_directory(ignored)) {
      if (!entry.is_symlink(ignored)) look_into(entry.path(), found);
    } else if (may_be_system(entry) || is_among(entry.path(), models)) {
      found.files.push_back(plain(entry.path().string()));
    }
  }
}

/// Also by other names, links and paths. Devices may be read and written.
bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  if (fs::exists(a, ignored) && fs::exists(b, ignored)) {
    return fs::is_regular_file(a, ignored) && fs::equivalent(a, b, ignored);
  }
  return fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
}

bool is_read_from(const fs::path& file, const std::string& input) {
  if (is_standard_stream(input)) return is_same_file("/dev/stdin", file);
  std::error_code ignored;
  if (!fs::is_directory(input, ignored)) return is_same_file(input, file);
  return file.extension() == ".amxmi" && is_same_file(fs::path{input} / file.filename(), file);
}

/// What a verdict on the model leaves out.
std::vector<report::LeftOut> left_out_of(const import::Imported& model) {
  std::vector<report::LeftOut> all;
  const auto add = [&](std::string text, const std::string& file, int line, int column) {
    // Of a folder, a line of one of its files says nothing.
    const bool is_here = file == model.source && line > 0;
    all.push_back({std::move(text), is_here ? line : 1, is_here ? column : 1});
  };
  for (const import::Ignored& one : model.census.ignored) {
    if (!is_open(one.effect)) continue;
    add(fmt::format("{} x {} ({})", one.count, one.name, one.meaning), one.first.file, one.first.line,
        one.first.column);
  }
  for (const import::Finding& one : model.findings) {
    if (one.is_open) add(one.message, one.place.file, one.place.line, one.place.column);
  }
  const auto add_references = [&](const std::vector<Problem>& problems, std::size_t count,
                                  std::string_view one_text, std::string_view more_text) {
    if (problems.empty()) return;
    const Problem& first = problems.front();
    add(fmt::format("{} {}", plural(count, "reference"), count == 1 ? one_text : more_text), first.file,
        first.line, first.column);
  };
  const import::Census& census = model.census;
  add_references(census.unresolved, census.lost, "that leads nowhere", "that lead nowhere");
  add_references(census.ambiguous, census.ambiguous.size(), "that may mean several elements",
                 "that may mean several elements");
  return all;
}

/// Of a large model `tactus import` lists all.
constexpr std::size_t most_of_a_kind = 5;

/// "model.amxmi:3:7", or the model where this is about all of it.
std::string where(const import::Place& place, const std::string& model) {
  return place.line > 0 ? fmt::format("{}:{}:{}", place.file, place.line, place.column) : shown(model);
}

void tell_of_model(const import::Imported& model) {
  for (const std::vector<Problem>* problems : {&model.census.unresolved, &model.census.ambiguous}) {
    for (const Problem& one : *problems)
      say(fmt::format("{}:{}:{}: warning: {}", one.file, one.line, one.column, one.message));
  }
  std::size_t assumptions = 0;
  std::map<std::string, std::size_t> warnings;  // by kind
  for (const import::Finding& one : model.findings) {
    if (one.severity == import::Severity::assumption) ++assumptions;
    if (one.severity != import::Severity::warning) continue;
    if (++warnings[one.kind] <= most_of_a_kind)
      say(fmt::format("{}: warning: {}", where(one.place, model.source), one.message));
  }
  for (const auto& [kind, count] : warnings) {
    if (count <= most_of_a_kind) continue;
    say(fmt::format("{}: {} more of the kind `{}`", shown(model.source),
                    plural(count - most_of_a_kind, "warning"), kind));
  }
  for (const import::Ignored& one : model.census.ignored) {
    if (!is_open(one.effect)) continue;
    say(fmt::format("{}: warning: {} x {} is left out: {}", where(one.first, model.source), one.count,
                    one.name, one.meaning));
  }
  say(fmt::format("{}: imported with {}; `tactus import` lists them", shown(model.source),
                  plural(assumptions, "assumption")));
}

}  // namespace

InputText read_input(const std::string& path) {
  if (is_standard_stream(path)) return {.name = std::string{stdin_name}, .text = read_stdin()};
  return {.name = path, .text = read_file(path)};
}

bool is_model_folder(const std::string& path) {
  std::error_code ignored;
  return !is_standard_stream(path) && fs::is_directory(path, ignored) && import::holds_models(path);
}

SystemText read_system_input(const std::string& path, Completeness completeness, const std::string& chains) {
  const bool is_folder = is_model_folder(path);
  SystemText input{is_folder ? InputText{.name = path, .text = {}} : read_input(path)};
  if (is_folder || import::looks_like_model(input.name, input.text)) {
    if (!import::is_available()) throw import::not_available();
    auto options = import::Options{};
    options.open = completeness == Completeness::to_be_planned;
    std::vector<import::SourceText> sources =
        is_folder ? import::read_sources(path) : import::sources_of(input.name, std::move(input.text));
    const import::Imported model = import::import_model(std::move(sources), input.name, options);
    if (!model.converted) {
      say(shown(input.name) +
          ": what the model leaves open is said to `tactus import`, whose options are named here");
      throw InputError{model.problems};
    }
    tell_of_model(model);
    input.is_model = true;
    input.is_made = true;
    input.is_stricter = std::ranges::any_of(model.findings, &import::Finding::is_stricter);
    input.left_out = left_out_of(model);
    if (!input.left_out.empty()) {
      say(shown(input.name) + ": what follows is about what was imported; the model itself is not proven");
    }
    input.text = to_commented_file(model);
  }
  if (chains.empty()) return input;
  const ReadResult read = read_system(input.text, input.name, completeness);
  if (!read.system) throw InputError{read.problems};
  input.text = to_system_file(with_chains(*read.system, chains, completeness));
  input.is_made = true;
  return input;
}

System with_chains(const System& system, const std::string& path, Completeness completeness) {
  const InputText chains = read_input(path);
  System without = system;
  without.chains.clear();
  const std::string before = to_system_file(without);
  const auto lines = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  std::string_view own = chains.text;
  if (own.starts_with(byte_order_mark)) own.remove_prefix(byte_order_mark.size());
  ReadResult read = read_system(before + std::string{own}, chains.name, completeness);
  for (Problem& one : read.problems) one.line = std::max(1, one.line - lines);
  if (!read.system) throw InputError{std::move(read.problems)};
  return *std::move(read.system);
}

System load_input(const std::string& path, Completeness completeness, const OverrideOptions& options) {
  return system_of(read_system_input(path, completeness, options.chains), completeness, options);
}

System system_of(const SystemText& input, Completeness completeness, const OverrideOptions& options) {
  ReadResult result = read_system(input.text, input.name, completeness, options.changes());
  if (!result.system) throw InputError{std::move(result.problems)};
  return *std::move(result.system);
}

InputError with_places(const InputError& error, const SystemText& input, const System& system) {
  std::vector<Problem> problems = error.problems();
  const io::TextPositions lines{input.text};
  const std::vector<io::TextPosition> tasks = io::task_places(input.text);
  for (Problem& problem : problems) {
    if (problem.id != ProblemId::not_supported || !problem.file.empty()) continue;
    problem.file = shown(input.name);
    if (input.is_made) continue;
    io::TextPosition place = io::policy_place(input.text);
    for (std::size_t i = 0; i < std::min(tasks.size(), system.tasks.size()); ++i) {
      const bool is_quoted = problem.message.find("'" + system.tasks[i].name + "'") != std::string::npos;
      if (is_quoted) place = tasks[i];
    }
    problem.line = place.line;
    problem.column = place.column;
    problem.source = lines.line(place.line);
  }
  return InputError{std::move(problems)};
}

void refuse_to_mix(const std::vector<StdoutClaim>& claims) {
  const StdoutClaim* first = nullptr;
  for (const StdoutClaim& one : claims) {
    if (!one.there) continue;
    if (first != nullptr) {
      throw InputError{first->option + " and " + one.option + " both write to standard output",
                       "name a file for one of them"};
    }
    first = &one;
  }
}

void refuse_to_replace(const std::vector<FileClaim>& outputs, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& option = outputs[i].option;
    const std::string& path = outputs[i].path;
    if (path.empty() || is_standard_stream(path)) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (is_same_file(outputs[j].path, path)) {
        throw InputError{outputs[j].option + " and " + option + " name the same file",
                         "one would replace the other"};
      }
    }
    if (std::ranges::any_of(inputs, [&](const std::string& input) { return is_read_from(path, input); })) {
      throw InputError{option + " " + in_backticks(path) + " would replace what is read",
                       "name another file"};
    }
  }
}

void print_beside(bool standard_output_is_taken, const std::string& text) {
  if (!standard_output_is_taken) {
    print_text(text);
  } else if (text.ends_with('\n')) {
    say(std::string_view{text}.substr(0, text.size() - 1));
  } else {
    say(text);
  }
}

fs::path output_path(const std::string& path) { return is_standard_stream(path) ? "/dev/stdout" : path; }

void OutputFile::write(std::string_view text) {
  if (!file_) return;
  file_->write(text);
  file_->commit();
}

NamedFiles find_files(const std::string& named) {
  NamedFiles found{.named = named};
  std::error_code ignored;
  found.is_folder = named != "-" && fs::is_directory(named, ignored);
  if (found.is_folder) {
    look_into(named, found);
  } else {
    found.files.push_back(named);
  }
  return found;
}

std::vector<Override> OverrideOptions::changes() const {
  std::vector<Override> changes;
  if (!strategy.empty())
    changes.push_back({"--strategy " + printable(strategy), "policy.strategy", strategy});
  if (!order.empty()) changes.push_back({"--order " + printable(order), "policy.order", order});
  for (const std::string& text : set) {
    const std::string option = "--set " + printable(text);
    const std::size_t sign = text.find('=');
    if (sign == 0 || sign == std::string::npos || sign + 1 == text.size()) {
      throw InputError{option + " is not of the form key=value",
                       "for instance --set policy.levels=3 or --set tasks.lidar.deadline=20ms"};
    }
    changes.push_back({option, text.substr(0, sign), text.substr(sign + 1)});
  }
  return changes;
}

void add_set_option(Verb verb, OverrideOptions& options) {
  verb.add_option("--set", options.set,
                  "Another value for a key of the file, as often as needed: policy.levels=3, "
                  "platform.gpu.sms=4, tasks.lidar.deadline=20ms")
      .repeats();
}

void add_override_options(Verb verb, OverrideOptions& options) {
  verb.add_option("--strategy", options.strategy, "Another strategy than the file's, for this once");
  verb.add_option("--order", options.order, "Another order than the file's, for this once: edf, fp or fl");
  add_set_option(verb, options);
  verb.add_option("--chains", options.chains,
                  "`chains` in a file of their own, for a model or system file that has none or others")
      .type_name("FILE");
}

std::vector<const analysis::Analysis*> select_analyses(const std::vector<std::string>& ids) {
  std::vector<const analysis::Analysis*> selected;
  std::vector<Problem> problems;
  std::vector<std::string_view> known;
  for (const analysis::Analysis& entry : analysis::registry()) known.push_back(entry.id);
  for (const std::string& id : ids) {
    const analysis::Analysis* found = analysis::find(id);
    if (found != nullptr) {
      selected.push_back(found);
      continue;
    }
    const std::string_view near = nearest_name(id, known);
    problems.push_back(
        {.file = {},
         .line = 0,
         .column = 0,
         .message = "unknown analysis '" + id + "'",
         .hint = near.empty() ? "`tactus analyses` lists them" : fmt::format("did you mean '{}'?", near),
         .id = ProblemId::unknown_analysis});
  }
  if (!problems.empty()) throw InputError{std::move(problems)};
  return selected;
}

}  // namespace tactus::cli
