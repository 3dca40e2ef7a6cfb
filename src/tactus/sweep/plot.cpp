#include "tactus/sweep/plot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/temporary_name.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/sweep/results.hpp"
#include "tactus/sweep/wilson.hpp"

// The environment, for the child.
extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace tactus::sweep {

namespace fs = std::filesystem;

namespace {

/// Between single quotes, as gnuplot reads it.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c == '\n' ? ' ' : c;
  }
  return result + '\'';
}

/// Where a point stands on the axis; points of words stand at their number.
std::string position_of(const Point& point, std::size_t index) {
  if (const auto* duration = std::get_if<Duration>(&point.value)) {
    return to_decimal(Rational{duration->count(), 1'000'000}).value_or("0");
  }
  const bool is_number =
      std::holds_alternative<std::int64_t>(point.value) || std::holds_alternative<Rational>(point.value);
  return is_number ? generate::to_text(point.value) : std::to_string(index);
}

bool is_categorical(const Experiment& experiment) {
  const generate::ParameterValue& value = experiment.points.front().value;
  return !std::holds_alternative<std::int64_t>(value) && !std::holds_alternative<Rational>(value) &&
         !std::holds_alternative<Duration>(value);
}

std::string axis_text(const Experiment& experiment) {
  std::string label = experiment.varied;
  for (char& c : label) c = c == '_' ? ' ' : c;
  if (std::holds_alternative<Duration>(experiment.points.front().value)) label += " (ms)";
  std::string text = fmt::format("set xlabel {}\n", in_quotes(label));
  if (!is_categorical(experiment)) return text;
  std::string tics;
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                        in_quotes(generate::to_text(experiment.points[i].value)), i);
  }
  return text + fmt::format("set xtics ({})\nset xrange [-0.5:{}.5]\n", tics, experiment.points.size() - 1);
}

std::string data_text(const Experiment& experiment, const SweepResult& result, std::size_t analysis) {
  std::string text = fmt::format("$data{} << END\n", analysis);
  for (std::size_t point = 0; point < result.points.size(); ++point) {
    if (!result.points[point]) continue;
    const Counts& counts = (*result.points[point])[analysis];
    if (counts.not_applicable == experiment.systems) continue;
    const std::int64_t shown = accepted(counts, experiment.analyses[analysis].kind);
    const RatioInterval interval = wilson_interval(shown, experiment.systems);
    text += fmt::format("{} {} {} {}\n", position_of(experiment.points[point], point),
                        ratio_text(ratio_of(shown, experiment.systems)), ratio_text(interval.low),
                        ratio_text(interval.high));
  }
  return text + "END\n";
}

bool has_data(const Experiment& experiment, const SweepResult& result, std::size_t analysis) {
  return std::any_of(result.points.begin(), result.points.end(),
                     [&](const std::optional<PointCounts>& point) {
                       return point && (*point)[analysis].not_applicable < experiment.systems;
                     });
}

/// Sound tests are drawn solid, exact ones thick, printed forms that are not sound dashed, necessary ones
/// dotted.
std::string style_of(const analysis::Analysis& entry, std::size_t index) {
  constexpr std::array<const char*, 10> colours{"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e",
                                                "#17becf", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22"};
  return fmt::format("lc rgb '{}' pt {} ps 0.7 lw {} dt {}", colours.at(index % colours.size()), index + 4,
                     entry.kind == analysis::Kind::exact ? 3 : 1.5,
                     entry.kind == analysis::Kind::necessary ? 3 : (entry.sound ? 1 : 2));
}

/// Runs a program and waits for it; what it says is dropped. Its exit status, or nothing when there is no
/// such program.
std::optional<int> run_program(const std::string& program, std::vector<std::string> arguments) {
  std::vector<char*> argv;
  std::string name = program;
  argv.push_back(name.data());
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT) return std::nullopt;
  if (failed != 0) return -1;  // no room for another process, say
  int status = 0;
  while (::waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void write_file(const fs::path& path, const std::string& text) {
  AtomicFile file{path};
  file.write(text);
  file.commit();
}

}  // namespace

std::string gnuplot_script(const Experiment& experiment, const SweepResult& result) {
  std::string script = "# Draws the acceptance ratios of an experiment: gnuplot plot.gp\n";
  std::string curves;
  for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
    if (!has_data(experiment, result, i)) continue;
    const analysis::Analysis& entry = experiment.analyses[i];
    script += data_text(experiment, result, i);
    curves += fmt::format("{}$data{} using 1:2:3:4 with yerrorlines {} title {}",
                          curves.empty() ? "" : ", \\\n  ", i, style_of(entry, i), in_quotes(entry.id));
  }
  const std::string& title = experiment.title.empty() ? experiment.name : experiment.title;
  script += fmt::format(
      "if (!exists('name')) name = 'plot'\n"
      "set title {} noenhanced\n"
      "set ylabel 'acceptance ratio'\n{}"
      "set yrange [-0.02:1.02]\n"
      "set offsets graph 0.03, graph 0.03, 0, 0\n"
      "set grid\n"
      "set key below center maxcols 3 noenhanced\n"
      "set bars 0.5\n",
      in_quotes(title), axis_text(experiment));
  // Nothing to draw: an empty frame is honest.
  if (curves.empty()) curves = "[0:1] NaN notitle";
  return script +
         fmt::format(
             "set terminal svg size 900,560 background 'white' font 'Helvetica,13'\n"
             "set output name.'.svg'\n"
             "plot {0}\n"
             "if (strstrt(GPVAL_TERMINALS, ' pngcairo ') > 0) {{ set terminal pngcairo size 900,560 }} "
             "else {{ set terminal png size 900,560 }}\n"
             "set output name.'.png'\n"
             "replot\n"
             "unset output\n",
             curves);
}

PlotOutcome draw_plot(const Experiment& experiment, const SweepResult& result, const fs::path& folder,
                      const std::string& gnuplot) {
  const fs::path script = folder / "plot.gp";
  write_file(script, gnuplot_script(experiment, result));
  // gnuplot opens files by their names: a folder that nobody else can foresee holds them until they are
  // whole.
  const fs::path temporary = folder / temporary_name("plot");
  if (::mkdir(temporary.c_str(), 0777) != 0) {
    throw FailureError{fmt::format("{}: cannot be made: {}", shown(temporary.string()), error_text(errno))};
  }
  const std::optional<int> status = run_program(
      gnuplot, {"-e", fmt::format("name={}", in_quotes((temporary / "plot").string())), script.string()});
  std::error_code failed;
  bool drawn = status == 0;
  for (const char* name : {"plot.svg", "plot.png"}) {
    if (drawn) fs::rename(temporary / name, folder / name, failed);
    drawn = drawn && !failed;
  }
  std::error_code ignored;
  fs::remove_all(temporary, ignored);
  if (drawn) return PlotOutcome::drawn;
  return status ? PlotOutcome::gnuplot_failed : PlotOutcome::no_gnuplot;
}

}  // namespace tactus::sweep
