// The colours of a timeline, in light and dark mode.
#pragma once

#include <cstddef>
#include <string>

#include "tactus/model/task.hpp"
#include "tactus/report/svg.hpp"

namespace tactus::report::colours {

inline constexpr SvgPaint ink{"ink", "#1f2328", "#e6edf3"};
inline constexpr SvgPaint faint{"faint", "#59636e", "#9aa4b0"};
inline constexpr SvgPaint card{"card", "#f6f8fa", "#0d1117"};
inline constexpr SvgPaint panel{"panel", "#ffffff", "#161b22"};
inline constexpr SvgPaint border{"border", "#d1d9e0", "#3d444d"};
inline constexpr SvgPaint grid{"grid", "#e6eaef", "#262c34"};
inline constexpr SvgPaint miss{"miss", "#cf222e", "#ff6b63"};
inline constexpr SvgPaint late{"late", "#ffebe9", "#4a1618"};

/// The paint of a task. Seven colours that people with any kind of colour vision can distinguish (those of
/// Okabe and Ito with an indigo); reds are reserved for misses. The next seven tasks have the same colours
/// with dots, then with lines across and with lines along.
struct TaskPaint {
  SvgPaint fill;
  SvgPaint edge;
  SvgPaint text;        // on the fill
  std::string texture;  // "url(#...)"; empty: plain
};
TaskPaint of_task(TaskIndex task);

/// Attributes of what belongs to a task.
std::string filled(const TaskPaint& paint);
std::string filled_and_drawn(const TaskPaint& paint);

/// The style sheet and patterns for the colours of so many tasks.
std::string definitions(std::size_t tasks);

/// The pattern of late work.
inline constexpr std::string_view late_pattern = "url(#late)";

}  // namespace tactus::report::colours
