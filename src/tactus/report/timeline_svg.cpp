#include "tactus/base/utf8.hpp"
#include "tactus/report/timeline_drawing.hpp"

#include <fmt/format.h>

#include "tactus/base/text.hpp"
#include "tactus/report/display_text.hpp"

namespace tactus::report {

namespace drawing {

namespace {

constexpr double padding = 20;
constexpr double letter_width = 6.9;  // of the 12 pixel font: nobody knows which font will be there
constexpr double pixels_per_tick = 74;

double text_width(std::string_view text) { return letter_width * static_cast<double>(display_width(text)); }

std::string counted(std::size_t number, const char* noun) {
  return with_thousands(number) + " " + noun + (number == 1 ? "" : "s");
}

double row_height_for(std::size_t rows) {
  if (rows <= 20) return 19;
  return rows <= 32 ? 15 : 12;
}

}  // namespace

double small_width(std::string_view text) { return small_letter * static_cast<double>(display_width(text)); }

std::string spaced(const std::string& text) {
  const std::size_t unit = text.find_last_of("0123456789") + 1;
  return text.substr(0, unit) + " " + text.substr(unit);
}

std::string shown_name(const Track& lane) {
  return lane.form == TrackForm::idle ? lane.name + " idle" : lane.name;
}

std::string on_bar(TaskIndex task) {
  const colours::TaskPaint paint = colours::of_task(task);
  const std::string attributes =
      paint.texture.empty() ? filled(paint.text)
                            : filled_and_drawn(paint.text, paint.fill) +
                                  R"( stroke-width="3" stroke-linejoin="round" paint-order="stroke")";
  return attributes + std::string{small} + R"( pointer-events="none")";
}

Drawing::Drawing(const System& system, const trace::Recording& recording, const SvgOptions& options)
    : system_{system},
      title_{options.title.empty() ? system.name : options.title},
      rows_{rows_of(system, recording, options.range, options.max_rows)},
      bounds_{options.bounds},
      width_{static_cast<double>(std::max(options.width, 300))},
      right_{width_ - padding} {
  double widest = 0;
  for (const Track& lane : rows_.lanes) widest = std::max(widest, text_width(shown_name(lane)));
  std::size_t drawn_tasks = 0;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (rows_.jobs[task].empty()) continue;
    ++drawn_tasks;
    widest = std::max(widest, text_width(system.tasks[task].name));
  }
  left_ = padding + std::clamp(widest + 10, 40.0, 0.22 * width_);
  row_height_ = row_height_for(rows_.number_of_rows());
  if (drawn_tasks > 12) {
    job_row_ = 13;
    mark_room_ = 10;
  }
  axis_ = axis_of(rows_.from, rows_.to, static_cast<std::size_t>((right_ - left_) / pixels_per_tick));
  for (const Jobs& jobs : rows_.jobs) {
    const auto step = [&](double apart) {
      return every_which(jobs.size(), static_cast<std::size_t>((right_ - left_) / apart));
    };
    const std::uint64_t usual = step(closest_marks);
    steps_.push_back(usual < crowd ? usual : step(closest_in_crowd));
  }
}

std::string Drawing::draw() {
  const double top = draw_heading();
  double y = draw_lanes(top);
  y = draw_tasks(y + lane_gap);
  draw_grid(top, y);
  const double height = draw_notes(draw_axis(y)) + padding - 6;

  SvgPart svg;
  svg.raw(fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" )"
      R"(font-family="Inter,'Segoe UI','Helvetica Neue',Helvetica,Arial,sans-serif" font-size="12">)"
      "\n<title>{2}</title>\n",
      width_, height, escape_xml(title_)));
  svg.raw(colours::definitions(system_.tasks.size()));
  // A card of its own, so that it reads whatever the page around it looks like.
  svg.rectangle({0.5, 0.5, width_ - 1, height - 1},
                R"(rx="8" )" + filled_and_drawn(colours::card, colours::border));
  for (const SvgPart* part : {&heading_, &panels_, &grid_, &bars_, &marks_}) svg.raw(part->xml());
  svg.raw("</svg>\n");
  return svg.xml();
}

double Drawing::draw_heading() {
  heading_.text({padding, 32}, "start", filled(colours::ink) + R"( font-size="17" font-weight="600")",
                title_);
  std::size_t jobs = 0;
  for (const Jobs& of_task : rows_.jobs) {
    jobs += of_task.size();
    missed_ += static_cast<std::size_t>(
        std::ranges::count_if(of_task, [](const DrawnJob& job) { return job.ended.missed; }));
  }
  const std::string from = rows_.from == origin ? "0" : spaced(to_text(rows_.from));
  const std::string summary = counted(static_cast<std::size_t>(system_.platform.gpu.sms), "SM") + " · " +
                              counted(jobs, "job") + " · " + counted(rows_.blocks, "block") + " · " + from +
                              " to " + spaced(to_text(rows_.to));
  heading_.raw(
      fmt::format(R"(<text x="{}" y="51" {}>{})", padding, filled(colours::faint), escape_xml(summary)));
  if (missed_ > 0) {
    heading_.raw(fmt::format(R"( · <tspan {} font-weight="600">{} missed</tspan>)", filled(colours::miss),
                             counted(missed_, "deadline")));
  }
  heading_.raw("</text>\n");
  return draw_legend(73) + 14;
}

double Drawing::draw_legend(double y) {
  double x = padding;
  const auto place = [&](double item_width) {
    if (x > padding && x + item_width > right_ + 16) {
      x = padding;
      y += 19;
    }
    const double start = x;
    x += item_width;
    return start;
  };
  for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
    const std::string name = shortened(shown(name_of(task)), 24);
    const double start = place(text_width(name) + 34);
    heading_.rectangle({start + 0.5, y - 9.5, 11, 11},
                       R"(rx="2.5" )" + filled_and_drawn(colours::of_task(task)));
    heading_.text({start + 17, y}, "start", filled(colours::ink), name);
  }
  // What marks mean, on a line of its own where the tasks fill one.
  if (x > 0.6 * width_) x = width_;
  const auto add = [&](std::string_view meaning, double room, const auto& draw_sign) {
    const double start = place(text_width(meaning) + room + 14);
    draw_sign(start);
    heading_.text({start + room, y}, "start", filled(colours::faint), meaning);
  };
  const bool anything = std::ranges::any_of(rows_.jobs, [](const Jobs& jobs) { return !jobs.empty(); });
  if (anything) {
    add("waiting", 24, [&](double start) {
      heading_.rectangle({start, y - 6, 18, 6},
                         filled(colours::ink) + fmt::format(R"( fill-opacity="{}")", waiting_opacity));
    });
  }
  const auto add_mark = [&](bool up, const SvgPaint& paint, std::string_view meaning) {
    add(meaning, 13, [&](double start) { heading_.arrow(start + 5, y - 11, y + 2, up, paint, meaning); });
  };
  if (anything) add_mark(true, colours::ink, "release");
  if (has_deadlines()) add_mark(false, colours::ink, "deadline");
  if (missed_ > 0) add_mark(false, colours::miss, "missed deadline");
  const auto add_bound = [&](bool exceeded, std::string_view meaning) {
    if (!has_bound_marks(exceeded)) return;
    add(meaning, 13, [&](double start) {
      heading_.diamond({start + 5, y - 6}, y + 2, exceeded ? colours::ink : colours::panel, colours::ink,
                       meaning);
    });
  };
  add_bound(false, "bound");
  add_bound(true, "exceeded bound");
  return y;
}

bool Drawing::has_deadlines() const {
  return std::ranges::any_of(rows_.jobs, [](const Jobs& jobs) {
    return std::ranges::any_of(jobs, [](const DrawnJob& job) { return job.ended.deadline != never; });
  });
}

void Drawing::draw_panel(double y, double height, std::string_view name, const SvgPaint& paint) {
  panels_.rectangle({left_, y, right_ - left_, height},
                    R"(rx="3" )" + filled_and_drawn(colours::panel, colours::border));
  const auto room = static_cast<std::size_t>((left_ - padding - 8) / letter_width);
  panels_.text({left_ - 8, y + height / 2 + 4.2}, "end", filled(paint), shortened(shown(name), room));
}

void Drawing::draw_grid(double top, double bottom) {
  std::string path;
  for (const Time tick : axis_.ticks) path += fmt::format("M{:.2f} {:.2f}V{:.2f}", x_of(tick), top, bottom);
  grid_.path(path, drawn(colours::grid));
}

double Drawing::draw_axis(double y) {
  marks_.path(fmt::format("M{:.2f} {:.2f}H{:.2f}", left_, y, right_), drawn(colours::faint));
  double free_from = 0;
  for (const Time tick : axis_.ticks) {
    const double x = x_of(tick);
    marks_.path(fmt::format("M{:.2f} {:.2f}v4", x, y), drawn(colours::faint));
    std::string label = axis_.label(tick);
    if (axis_.unit_name == "us" && label.ends_with("us")) label.replace(label.size() - 2, 2, "µs");
    const double half = text_width(label) / 2;
    // The last one may end where the picture does.
    const double middle = std::min(x, width_ - 6 - half);
    if (middle - half < free_from) continue;
    marks_.text({middle, y + 17}, "middle", filled(colours::faint), label);
    free_from = middle + half + 4;
  }
  return y + 22;
}

double Drawing::draw_notes(double y) {
  std::vector<std::string> notes;
  std::string thinned;
  for (TaskIndex task = 0; task < steps_.size(); ++task) {
    if (steps_[task] == 1) continue;
    thinned += fmt::format("{}{} {}", thinned.empty() ? "" : ", ", shortened(shown(name_of(task)), 24),
                           ordinal(steps_[task]));
  }
  if (has_block_labels_) notes.emplace_back("#2.7 is block 7 of job 2.");
  if (!thinned.empty()) notes.push_back("Marks are thinned, by jobs: " + thinned + ".");
  if (has_miss_line_) notes.emplace_back("A red line below a row: deadlines missed, too close for arrows.");
  if (has_crowds_) {
    notes.emplace_back(
        "Where jobs are too many to be drawn one by one, the height is the part of the time in which one "
        "executed.");
  }
  if (has_shared_rows_) {
    notes.emplace_back(
        "Where blocks of an SM or of several SMs share a row, the height is the part of it that is in use.");
  }
  if (has_hidden_waiting_) {
    notes.push_back(
        fmt::format("Of a task, {} pending jobs are drawn; the waiting of more is not.", max_job_rows));
  }
  for (const std::string& note : notes) y = draw_note(note, y);
  return y;
}

double Drawing::draw_note(const std::string& note, double y) {
  const auto room = static_cast<std::size_t>((right_ - padding) / (small_letter * 0.92));
  for (std::size_t start = 0; start < note.size();) {
    std::size_t end = note.size();
    if (end - start > room) {
      end = note.rfind(' ', start + room);
      if (end == std::string::npos || end <= start) end = std::min(start + room, note.size());
    }
    marks_.text({padding, y + 14}, "start", filled(colours::faint) + std::string{small},
                note.substr(start, end - start));
    y += 15;
    start = end + 1;
  }
  return y + 2;
}

}  // namespace drawing

std::string timeline_svg(const System& system, const trace::Recording& recording, const SvgOptions& options) {
  return drawing::Drawing{system, recording, options}.draw();
}

}  // namespace tactus::report
