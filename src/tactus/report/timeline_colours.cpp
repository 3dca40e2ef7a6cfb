#include "tactus/report/timeline_colours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tactus::report::colours {

namespace {

// Text on most of them in dark mode.
constexpr std::string_view night = "#0d1117";

std::array<TaskPaint, 7> palette() {
  return {{
      {{"t0", "#0072b2", "#2a7fd0"}, {"e0", "#00507d", "#7dbdf0"}, {"x0", "#ffffff", night}, {}},
      {{"t1", "#e69f00", "#e69f00"}, {"e1", "#a87400", "#ffc94d"}, {"x1", "#1f2328", night}, {}},
      {{"t2", "#009e73", "#00a878"}, {"e2", "#006e50", "#6bdcbb"}, {"x2", "#ffffff", night}, {}},
      {{"t3", "#cc79a7", "#d98cb6"}, {"e3", "#9a5079", "#f3bcd8"}, {"x3", "#1f2328", night}, {}},
      {{"t4", "#56b4e9", "#8ed2fa"}, {"e4", "#2f86b8", "#c8eaff"}, {"x4", "#1f2328", night}, {}},
      {{"t5", "#f0e442", "#f0e442"}, {"e5", "#a89d1a", "#fff9a8"}, {"x5", "#1f2328", night}, {}},
      {{"t6", "#332288", "#7a5af0"}, {"e6", "#20155a", "#b6a4ff"}, {"x6", "#ffffff", "#ffffff"}, {}},
  }};
}

std::string_view texture_of(std::size_t round) {
  switch ((round - 1) % 3) {
    case 0:
      return R"(<circle cx="2" cy="2" r="1.1"/><circle cx="5" cy="5" r="1.1"/>)";
    case 1:
      return R"(<path d="M0 1.5h6M0 4.5h6" stroke-width="1"/>)";
    default:
      return R"(<path d="M1.5 0v6M4.5 0v6" stroke-width="1"/>)";
  }
}

}  // namespace

TaskPaint of_task(TaskIndex task) {
  static const std::array<TaskPaint, 7> plain = palette();
  TaskPaint paint = plain[task % plain.size()];
  const std::size_t kind = task % (4 * plain.size());
  if (kind >= plain.size()) paint.texture = fmt::format("url(#p{})", kind);
  return paint;
}

std::string filled(const TaskPaint& paint) {
  return paint.texture.empty() ? report::filled(paint.fill) : fmt::format(R"(fill="{}")", paint.texture);
}

std::string filled_and_drawn(const TaskPaint& paint) {
  if (paint.texture.empty()) return report::filled_and_drawn(paint.fill, paint.edge);
  return fmt::format(R"(class="{}-line" fill="{}" stroke="{}")", paint.edge.name, paint.texture,
                     paint.edge.light);
}

std::string definitions(std::size_t tasks) {
  std::vector<SvgPaint> paints{ink, faint, card, panel, border, grid, miss, late};
  for (const TaskPaint& paint : palette()) {
    paints.insert(paints.end(), {paint.fill, paint.edge, paint.text});
  }
  std::string text = dark_style(paints);
  text += fmt::format(R"svg(<defs><pattern id="late" width="5" height="5" patternUnits="userSpaceOnUse" )svg"
                      R"svg(patternTransform="rotate(45)"><rect width="5" height="5" {}/>)svg"
                      R"svg(<rect width="2.4" height="5" {}/></pattern>)svg",
                      report::filled(late), report::filled(miss));
  const std::size_t plain = palette().size();
  for (std::size_t task = plain; task < std::min(tasks, 4 * plain); ++task) {
    const TaskPaint paint = of_task(static_cast<TaskIndex>(task));
    text += fmt::format(
        "\n<pattern id=\"p{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" "
        "height=\"6\" {}/><g fill=\"{}\" stroke=\"{}\" stroke-width=\"0\" opacity=\"0.5\">{}</g></pattern>",
        task, report::filled(paint.fill), paint.text.light, paint.text.light, texture_of(task / plain));
  }
  return text + "</defs>\n";
}

}  // namespace tactus::report::colours
