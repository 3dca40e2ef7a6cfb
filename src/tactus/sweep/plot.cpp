#include "tactus/sweep/plot.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/program.hpp"
#include "tactus/base/temporary_name.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::sweep {

namespace fs = std::filesystem;

namespace {

/// Colours for readers whose pages are dark. gnuplot writes colours as attributes, which rules of style
/// override.
constexpr std::string_view dark_style = R"css(<style>
@media (prefers-color-scheme: dark) {
  rect[fill="#ffffff"] { fill: #0d1117 }
  g[fill="black"], g[fill="rgb(31,35,40)"] { fill: #e6edf3 }
  path[stroke="black"], path[stroke="rgb( 87,  96, 106)"] { stroke: #9da7b3 }
  path[stroke="rgb(216, 222, 228)"] { stroke: #30363d }
  path[stroke="rgb( 34,  34,  34)"] { stroke: #e6edf3 }
  use[color="rgb( 34,  34,  34)"] { color: #e6edf3 }
}
</style>
)css";

/// The unchanged picture where it has an unexpected form.
std::string with_dark_style(std::string svg) {
  const std::size_t title = svg.find("<title>");
  if (title != std::string::npos) svg.insert(title, dark_style);
  return svg;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c == '\n' ? ' ' : c;
  }
  return result + '\'';
}

PlotOutcome draw_plot(const Experiment& experiment, const SweepResult& result, const fs::path& folder,
                      const std::string& gnuplot) {
  const fs::path script = folder / "plot.gp";
  write_file(script, gnuplot_script(experiment, result));
  // gnuplot opens files by name, so they are written into a temporary folder with a random name until they
  // are complete.
  const fs::path temporary = folder / temporary_name("plot");
  if (::mkdir(temporary.c_str(), 0777) != 0) {
    throw FailureError{fmt::format("{}: cannot be made: {}", shown(temporary.string()), error_text(errno))};
  }
  const std::optional<ProgramEnd> end = run_program(
      {gnuplot, "-e", fmt::format("name={}", in_quotes((temporary / "plot").string())), script.string()});
  std::error_code failed;
  bool drawn = end && end->status == 0;
  const fs::path picture = temporary / "plot.svg";
  if (drawn && fs::is_regular_file(picture, failed)) write_file(picture, with_dark_style(read_file(picture)));
  for (const char* name : {"plot.svg", "plot.png"}) {
    if (drawn) fs::rename(temporary / name, folder / name, failed);
    drawn = drawn && !failed;
  }
  std::error_code ignored;
  fs::remove_all(temporary, ignored);
  if (drawn) return PlotOutcome::drawn;
  return end ? PlotOutcome::gnuplot_failed : PlotOutcome::no_gnuplot;
}

}  // namespace tactus::sweep
