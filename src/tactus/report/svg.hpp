// The few elements of SVG that the pictures are made of. Text is escaped here and nowhere else.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tactus::report {

/// Text for an element or an attribute of XML.
std::string escape_xml(std::string_view text);

struct SvgPoint {
  double x = 0;
  double y = 0;
};

struct SvgBox {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

/// A colour for light and dark mode. Elements carry the light one as an attribute, which every viewer
/// supports, and a class by which the style sheet of `dark_style` replaces it where the reader prefers dark
/// mode.
struct SvgPaint {
  std::string_view name;  // class of what is filled with it; "NAME-line" of what is drawn with it
  std::string_view light;
  std::string_view dark;
};

/// Attributes of an element.
std::string filled(const SvgPaint& paint);
std::string drawn(const SvgPaint& line);
std::string filled_and_drawn(const SvgPaint& paint, const SvgPaint& line);

/// The style sheet for these colours.
std::string dark_style(std::span<const SvgPaint> paints);

/// A part of a picture. Coordinates are rounded to a hundredth of a pixel; attributes are given as written:
/// `fill="red" rx="2"`.
class SvgPart {
 public:
  /// `anchor`: "start", "middle" or "end".
  void text(SvgPoint where, std::string_view anchor, std::string_view attributes, std::string_view text);
  /// `tip` appears when the pointer rests on it; may be empty.
  void rectangle(const SvgBox& box, std::string_view attributes, std::string_view tip = {});
  /// `data` is a path as SVG writes it.
  void path(std::string_view data, std::string_view attributes);
  /// A vertical arrow with its head at `top` or at `bottom`.
  void arrow(double x, double top, double bottom, bool up, const SvgPaint& paint, std::string_view tip);
  /// A diamond on a dashed stem that ends at `bottom`.
  void diamond(SvgPoint middle, double bottom, const SvgPaint& inside, const SvgPaint& line,
               std::string_view tip);
  void raw(std::string_view xml) { xml_ += xml; }

  [[nodiscard]] const std::string& xml() const { return xml_; }

 private:
  std::string xml_;
};

}  // namespace tactus::report
