#include "tactus/cli/model_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tactus/base/utf8.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/import/source.hpp"
#include "tactus/import/xml.hpp"
#include "tactus/io/units.hpp"

namespace tactus::cli {

namespace {

// No line begins with `import::`: formatters take that for an import of a module.
using import::Imported;
using import::Options;

template <typename Choice, std::size_t Count>
Choice choice(const std::string& word, const std::array<std::pair<std::string_view, Choice>, Count>& words) {
  const auto found =
      std::find_if(words.begin(), words.end(), [&word](const auto& one) { return one.first == word; });
  return found == words.end() ? words.front().second : found->second;
}

using import::AccessTime;
using import::Conflict;
using import::Lines;
using import::Sharing;
using import::Times;

constexpr std::array<std::pair<std::string_view, AccessTime>, 4> access_words{
    {{"latency", AccessTime::latency},
     {"rate", AccessTime::rate},
     {"copies", AccessTime::copies},
     {"none", AccessTime::none}}};
constexpr std::array<std::pair<std::string_view, Lines>, 2> line_words{
    {{"label", Lines::label}, {"sum", Lines::sum}}};
constexpr std::array<std::pair<std::string_view, Conflict>, 3> conflict_words{
    {{"both", Conflict::both}, {"affinity", Conflict::affinity}, {"scheduler", Conflict::scheduler}}};
constexpr std::array<std::pair<std::string_view, Sharing>, 3> gpu_words{
    {{"auto", Sharing::automatic}, {"processes", Sharing::processes}, {"one-process", Sharing::one_process}}};

/// A frequency is written as a rate, whose period in whole nanoseconds would not do for gigahertz.
Rational hertz_of(const std::string& text) {
  const std::array<std::pair<std::string_view, std::int64_t>, 4> units{
      {{"GHz", 1'000'000'000}, {"MHz", 1'000'000}, {"kHz", 1'000}, {"Hz", 1}}};
  for (const auto& [unit, factor] : units) {
    if (!text.ends_with(unit)) continue;
    const std::optional<Rational> number = parse_decimal(text.substr(0, text.size() - unit.size()));
    if (number && *number > Rational{}) return *number * Rational{factor};
    break;
  }
  throw InputError{"--frequency: " + in_backticks(text) + " is not a frequency",
                   "for instance --frequency 200MHz"};
}

/// Nothing for a task that never comes.
std::pair<std::string, std::optional<Duration>> period_of(const std::string& text) {
  const std::size_t sign = text.rfind('=');
  if (sign == std::string::npos || sign == 0) {
    throw InputError{"--period " + printable(text) + " is not of the form task=time",
                     "for instance --period Task_A=10ms, or --period Task_A=never"};
  }
  if (text.substr(sign + 1) == "never") return {text.substr(0, sign), std::nullopt};
  const Duration period =
      option_value("--period", text.substr(sign + 1), io::parse_duration(text.substr(sign + 1)));
  if (period <= Duration{})
    throw InputError{"--period: the period of " + printable(text.substr(0, sign)) + " is 0",
                     "it must be at least 1ns"};
  return {text.substr(0, sign), period};
}

Times times_of(const ModelOptions& options) {
  if (int{options.worst} + int{options.average} + int{options.best} > 1) {
    throw InputError{"--worst, --average and --best exclude each other",
                     "without them times reach from the best to the worst case"};
  }
  if (options.worst) return Times::worst;
  if (options.average) return Times::average;
  return options.best ? Times::best : Times::bounds;
}

std::int64_t positive(const std::string& option, const std::string& text, std::int64_t most) {
  const std::int64_t value = option_value(option, text, io::parse_integer(text));
  if (value < 1 || value > most)
    throw InputError{fmt::format("{} is {}", option, value), fmt::format("it may be from 1 to {}", most)};
  return value;
}

}  // namespace

Options ModelOptions::options() const {
  Options result;
  result.times = times_of(*this);
  result.access = choice(access, access_words);
  result.lines = choice(lines, line_words);
  result.conflict = choice(conflict, conflict_words);
  result.sharing = choice(gpu, gpu_words);
  if (!line_size.empty()) result.line_size = positive("--line-size", line_size, 1 << 20);
  if (!loops.empty()) result.loops = positive("--loops", loops, 1'000'000);
  if (!deviations.empty())
    result.deviations = option_value("--deviations", deviations, io::parse_decimal_number(deviations));
  if (!frequency.empty()) result.hertz = hertz_of(frequency);
  for (const std::string& one : periods)
    result.periods.insert_or_assign(period_of(one).first, period_of(one).second);
  if (kernel_alone && !open) {
    throw InputError{"--kernel-alone is for --open",
                     "it is about work that a core may do in place of the GPU"};
  }
  result.ignore_waits = ignore_waits;
  result.kernel_alone = kernel_alone;
  result.open = open;
  return result;
}

void add_model_options(Verb verb, ModelOptions& options) {
  verb.add_flag("--worst", options.worst, "Worst-case times only (default: from the best to the worst case)");
  verb.add_flag("--average", options.average, "Average times only");
  verb.add_flag("--best", options.best, "Best-case times only");
  verb.add_option("--access", options.access,
                  "What accesses to labels take: a latency for each line, by the data rate, only in copies, "
                  "or nothing")
      .one_of({"latency", "rate", "copies", "none"})
      .capture_default();
  verb.add_option("--lines", options.lines,
                  "Each label begins a line of its own, or the labels of a runnable lie together")
      .one_of({"label", "sum"})
      .capture_default();
  verb.add_option("--line-size", options.line_size,
                  "Bytes of a line (default: that of the model's caches, or 64)");
  verb.add_option(
          "--conflict", options.conflict,
          "Where affinity and scheduler contradict each other: times that hold for both, or one of them")
      .one_of({"both", "affinity", "scheduler"})
      .capture_default();
  verb.add_option("--gpu", options.gpu,
                  "Every GPU task a process in time slices, or all kernels in one process")
      .one_of({"auto", "processes", "one-process"})
      .capture_default();
  verb.add_option(
      "--deviations", options.deviations,
      "How many standard deviations above the mean are a worst case, where the model has no bound");
  verb.add_option("--loops", options.loops, "How often a loop is run at most");
  verb.add_option("--period", options.periods,
                  "How often a task comes at most, as TASK=10ms, or TASK=never, whatever the model says; may "
                  "be repeated")
      .repeats();
  verb.add_option("--frequency", options.frequency,
                  "Of one core, for a model without processing units: 200MHz");
  verb.add_flag("--ignore-waits", options.ignore_waits,
                "Waits for events that the waiting task has not caused take no time; else they are problems");
  verb.add_flag("--open", options.open,
                "Leave cores open, and for GPU work whether a core does it: `tactus plan` chooses");
  verb.add_flag(
      "--kernel-alone", options.kernel_alone,
      "With --open: a core that does the work of the GPU needs nothing of what prepares and ends it but "
      "the accesses to labels");
}

Imported import_input(const std::string& path, const Options& options) {
  if (!import::is_available()) throw import::not_available();
  if (!is_standard_stream(path)) return import::import_model(path, options);
  InputText input = read_input(path);
  return import::import_model(import::sources_of(input.name, std::move(input.text)), input.name, options);
}

}  // namespace tactus::cli
