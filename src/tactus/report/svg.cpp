#include "tactus/report/svg.hpp"

#include <fmt/format.h>

#include "tactus/base/utf8.hpp"

namespace tactus::report {

std::string escape_xml(std::string_view text) {
  std::string result;
  for (const char c : shown(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string filled(const SvgPaint& paint) {
  return fmt::format(R"(class="{}" fill="{}")", paint.name, paint.light);
}

std::string drawn(const SvgPaint& line) {
  return fmt::format(R"(class="{}-line" fill="none" stroke="{}")", line.name, line.light);
}

std::string filled_and_drawn(const SvgPaint& paint, const SvgPaint& line) {
  return fmt::format(R"(class="{} {}-line" fill="{}" stroke="{}")", paint.name, line.name, paint.light,
                     line.light);
}

std::string dark_style(std::span<const SvgPaint> paints) {
  std::string rules;
  for (const SvgPaint& paint : paints) {
    if (paint.dark == paint.light) continue;
    rules += fmt::format(".{0}{{fill:{1}}}.{0}-line{{stroke:{1}}}\n", paint.name, paint.dark);
  }
  return fmt::format("<style>@media (prefers-color-scheme:dark){{\n{}}}</style>\n", rules);
}

void SvgPart::text(SvgPoint where, std::string_view anchor, std::string_view attributes,
                   std::string_view text) {
  xml_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\" {}>{}</text>\n", where.x, where.y,
                      anchor, attributes, escape_xml(text));
}

void SvgPart::rectangle(const SvgBox& box, std::string_view attributes, std::string_view tip) {
  xml_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" {}", box.x, box.y,
                      box.width, box.height, attributes);
  xml_ += tip.empty() ? "/>\n" : "><title>" + escape_xml(tip) + "</title></rect>\n";
}

void SvgPart::path(std::string_view data, std::string_view attributes) {
  xml_ += fmt::format("<path d=\"{}\" {}/>\n", data, attributes);
}

void SvgPart::arrow(double x, double top, double bottom, bool up, const SvgPaint& paint,
                    std::string_view tip) {
  constexpr double head = 6;
  constexpr double half_width = 3.6;
  const double point = up ? top : bottom;
  const double base = up ? top + head : bottom - head;
  xml_ += fmt::format("<g><title>{}</title>", escape_xml(tip));
  // The shaft ends inside the head, so that the point stays sharp.
  path(fmt::format("M{:.2f} {:.2f}V{:.2f}", x, up ? top + head / 2 : top, up ? bottom : bottom - head / 2),
       drawn(paint) + R"( stroke-width="1.4")");
  path(fmt::format("M{:.2f} {:.2f}H{:.2f}L{:.2f} {:.2f}Z", x - half_width, base, x + half_width, x, point),
       filled(paint));
  xml_ += "</g>\n";
}

void SvgPart::diamond(SvgPoint middle, double bottom, const SvgPaint& inside, const SvgPaint& line,
                      std::string_view tip) {
  constexpr double half = 3.6;
  xml_ += fmt::format("<g><title>{}</title>", escape_xml(tip));
  path(fmt::format("M{:.2f} {:.2f}V{:.2f}", middle.x, middle.y + half, bottom),
       drawn(line) + R"( stroke-width="1.2" stroke-dasharray="2 2")");
  path(fmt::format("M{0:.2f} {1:.2f}l{2} {2}l-{2} {2}l-{2} -{2}Z", middle.x, middle.y - half, half),
       filled_and_drawn(inside, line) + R"( stroke-width="1.2")");
  xml_ += "</g>\n";
}

}  // namespace tactus::report
