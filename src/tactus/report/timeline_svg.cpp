#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "tactus/base/text.hpp"
#include "tactus/report/display_text.hpp"
#include "tactus/report/svg.hpp"
#include "tactus/report/timeline_rows.hpp"
#include "tactus/trace/lanes.hpp"

namespace tactus::report {

namespace {

struct TaskColour {
  std::string_view fill;
  std::string_view edge;
  std::string_view text;
};

// Colours that people with any kind of colour vision tell apart (after Okabe and Ito, and Paul Tol); reds are
// left to misses.
constexpr std::array<TaskColour, 10> palette{{{"#0072b2", "#00507d", "#ffffff"},
                                              {"#e69f00", "#a87400", "#1f2328"},
                                              {"#009e73", "#006e50", "#ffffff"},
                                              {"#cc79a7", "#9a5079", "#1f2328"},
                                              {"#56b4e9", "#2f86b8", "#1f2328"},
                                              {"#f0e442", "#b0a51d", "#1f2328"},
                                              {"#332288", "#20155a", "#ffffff"},
                                              {"#999933", "#6b6b1f", "#1f2328"},
                                              {"#44aa99", "#2b7a6d", "#1f2328"},
                                              {"#aa4499", "#7c2f70", "#ffffff"}}};

constexpr std::string_view ink = "#1f2328";
constexpr std::string_view faint_ink = "#59636e";
constexpr std::string_view line_colour = "#d1d9e0";
constexpr std::string_view grid_colour = "#e6eaef";
constexpr std::string_view miss_colour = "#cf222e";

constexpr double padding = 20;
constexpr double lane_gap = 6;
constexpr double job_row = 16;
constexpr double arrow_room = 12;  // above the bars of a task, for the heads of its release arrows
constexpr std::size_t most_job_rows = 4;
constexpr double letter_width = 6.6;  // of the 11 pixel font: nobody knows which font will be there
constexpr double pixels_per_tick = 62;
constexpr double finest_bar = 1;  // pixels; what is finer is shown as shades
constexpr double closest_arrows = 9;
constexpr int shades = 16;

const TaskColour& colour_of(TaskIndex task) { return palette[task % palette.size()]; }

double text_width(std::string_view text) { return letter_width * static_cast<double>(display_width(text)); }

std::string fill(std::string_view colour) { return fmt::format("fill=\"{}\"", colour); }

std::string fill_and_edge(std::string_view colour, std::string_view edge) {
  return fmt::format("rx=\"2.5\" fill=\"{}\" stroke=\"{}\"", colour, edge);
}

// "12 ms": a picture has room for the space.
std::string spaced(const std::string& text) {
  const std::size_t unit = text.find_last_of("0123456789") + 1;
  return text.substr(0, unit) + " " + text.substr(unit);
}

std::string counted(std::size_t number, const char* noun) {
  return with_thousands(number) + " " + noun + (number == 1 ? "" : "s");
}

double row_height_for(std::size_t rows) {
  if (rows <= 20) return 19;
  if (rows <= 40) return 13;
  return rows <= 80 ? 8 : 5;
}

class Drawing {
 public:
  Drawing(const System& system, const trace::Recording& recording, const SvgOptions& options)
      : system_{system},
        title_{options.title.empty() ? system.name : options.title},
        rows_{rows_of(system, recording, options.range, options.most_rows)},
        bounds_{options.bounds},
        width_{static_cast<double>(std::max(options.width, 300))},
        right_{width_ - padding} {
    double widest = 0;
    std::size_t rows = 0;
    for (const Lane& lane : rows_.lanes) {
      widest = std::max(widest, text_width(lane.name));
      rows += lane.rows.size();
    }
    for (const Task& task : system.tasks) widest = std::max(widest, text_width(task.name));
    left_ = padding + std::clamp(widest + 10, 40.0, 0.22 * width_);
    row_height_ = row_height_for(rows);
    axis_ = axis_of(rows_.from, rows_.to, static_cast<std::size_t>((right_ - left_) / pixels_per_tick));
  }

  std::string draw() {
    const double top = draw_heading();
    double y = draw_lanes(top);
    y = draw_tasks(y + lane_gap);
    draw_grid(top, y);
    const double height = draw_axis(y) + padding - 4;

    SvgPart svg;
    svg.raw(fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" )"
        R"(font-family="Inter,'Segoe UI','Helvetica Neue',Helvetica,Arial,sans-serif" font-size="11">)"
        "\n<title>{2}</title>\n",
        width_, height, escape_xml(title_)));
    svg.raw(
        fmt::format(R"svg(<defs><pattern id="late" width="5" height="5" patternUnits="userSpaceOnUse" )svg"
                    R"svg(patternTransform="rotate(45)"><rect width="5" height="5" fill="#ffebe9"/>)svg"
                    R"svg(<rect width="2.4" height="5" fill="{}"/></pattern></defs>)svg"
                    "\n",
                    miss_colour));
    // A card of its own, so that it reads on a dark page as on a light one.
    svg.rectangle({0.5, 0.5, width_ - 1, height - 1},
                  fmt::format(R"(rx="8" fill="#f6f8fa" stroke="{}")", line_colour));
    for (const SvgPart* part : {&heading_, &panels_, &grid_, &bars_, &marks_}) svg.raw(part->xml());
    svg.raw("</svg>\n");
    return svg.xml();
  }

 private:
  using Jobs = std::vector<trace::JobEnded>;

  [[nodiscard]] double x_of(Time time) const {
    const Time shown = std::clamp(time, rows_.from, rows_.to);
    return left_ + (right_ - left_) * (static_cast<double>(count(shown - rows_.from)) /
                                       static_cast<double>(count(rows_.to - rows_.from)));
  }

  [[nodiscard]] bool shows(Time time) const { return rows_.from <= time && time <= rows_.to; }

  // Arrows would cover each other; only misses get theirs.
  [[nodiscard]] bool crowded(const Jobs& jobs) const {
    return (right_ - left_) / static_cast<double>(jobs.size()) < closest_arrows;
  }

  [[nodiscard]] const std::string& name_of(TaskIndex task) const { return system_.tasks.at(task).name; }

  // Title, what is shown, and the legend. Like all that draws: returns where the next part may begin.
  double draw_heading() {
    heading_.text({padding, 32}, "start", fill(ink) + R"( font-size="16" font-weight="600")", title_);
    std::size_t jobs = 0;
    for (const Jobs& of_task : rows_.jobs) {
      jobs += of_task.size();
      missed_ += static_cast<std::size_t>(std::ranges::count_if(of_task, &trace::JobEnded::missed));
    }
    const std::string from = rows_.from == origin ? "0" : spaced(to_text(rows_.from));
    const std::string summary = counted(static_cast<std::size_t>(system_.platform.gpu.sms), "SM") + " · " +
                                counted(jobs, "job") + " · " + counted(rows_.blocks, "block") + " · " + from +
                                " to " + spaced(to_text(rows_.to));
    heading_.raw(fmt::format(R"(<text x="{}" y="50" fill="{}">{})", padding, faint_ink, escape_xml(summary)));
    if (missed_ > 0) {
      heading_.raw(fmt::format(R"( · <tspan fill="{}" font-weight="600">{} missed</tspan>)", miss_colour,
                               counted(missed_, "deadline")));
    }
    heading_.raw("</text>\n");
    return draw_legend(71) + 14;
  }

  double draw_legend(double y) {
    double x = padding;
    const auto place = [&](double item_width) {
      if (x > padding && x + item_width > right_) {
        x = padding;
        y += 18;
      }
      const double start = x;
      x += item_width;
      return start;
    };
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      const std::string name = shortened(harmless(name_of(task)), 24);
      const double start = place(text_width(name) + 34);
      heading_.rectangle({start + 0.5, y - 9.5, 11, 11},
                         fill_and_edge(colour_of(task).fill, colour_of(task).edge));
      heading_.text({start + 17, y}, "start", fill(ink), name);
    }
    const auto add_mark = [&](bool up, std::string_view colour, std::string_view meaning) {
      const double start = place(text_width(meaning) + 28);
      heading_.arrow(start + 5, y - 11, y + 2, up, colour, meaning);
      heading_.text({start + 13, y}, "start", fill(faint_ink), meaning);
    };
    if (std::ranges::any_of(rows_.jobs, [&](const Jobs& jobs) { return !jobs.empty() && !crowded(jobs); })) {
      add_mark(true, ink, "release");
      add_mark(false, ink, "deadline");
    }
    if (missed_ > 0) add_mark(false, miss_colour, "missed deadline");
    const auto add_bound = [&](bool exceeded, std::string_view meaning) {
      if (!has_bound_marks(exceeded)) return;
      const double start = place(text_width(meaning) + 28);
      heading_.diamond({start + 5, y - 6}, y + 2, exceeded, ink, meaning);
      heading_.text({start + 13, y}, "start", fill(faint_ink), meaning);
    };
    add_bound(false, "bound");
    add_bound(true, "exceeded bound");
    return y;
  }

  void draw_panel(double y, double height, std::string_view name) {
    panels_.rectangle({left_, y, right_ - left_, height},
                      fmt::format(R"(rx="3" fill="#ffffff" stroke="{}")", line_colour));
    const auto room = static_cast<std::size_t>((left_ - padding - 8) / letter_width);
    if (height < 9) return;
    panels_.text({left_ - 8, y + height / 2 + 4}, "end", fill(ink), shortened(harmless(name), room));
  }

  double draw_lanes(double y) {
    for (const Lane& lane : rows_.lanes) {
      const double height = row_height_ * static_cast<double>(lane.rows.size()) + 4;
      draw_panel(y, height, lane.name);
      for (std::size_t row = 0; row < lane.rows.size(); ++row) {
        draw_row(lane, lane.rows[row], y + 2 + row_height_ * static_cast<double>(row));
      }
      y += height + (row_height_ < 8 ? 2 : lane_gap);
    }
    if (rows_.left_out > 0) {
      bars_.text({left_, y + 11}, "start", fill(faint_ink) + R"( font-style="italic")",
                 with_thousands(rows_.left_out) + " more rows are not drawn");
      y += 18;
    }
    return y;
  }

  void draw_row(const Lane& lane, const std::vector<Bar>& bars, double y) {
    const SvgBox row{left_, y + 0.5, right_ - left_, row_height_ - 1};
    std::vector<Span> fine;
    for (const Bar& bar : bars) {
      const double start = x_of(bar.start);
      const double bar_width = x_of(bar.end) - start;
      if (bar_width < finest_bar) {
        fine.push_back({bar.start, bar.end, bar.job.task});
        continue;
      }
      const TaskColour& colour = colour_of(bar.job.task);
      const bool outlined = bar_width > 3 && row_height_ > 6;
      bars_.rectangle({start + (outlined ? 0.5 : 0), row.y, outlined ? bar_width - 1 : bar_width, row.height},
                      outlined ? fill_and_edge(colour.fill, colour.edge) : fill(colour.fill),
                      bar_story(lane, bar));
      if (row_height_ < 12) continue;
      const bool has_number = bar.block >= 0 && lane.servers == 1;
      const std::string number = has_number ? std::to_string(bar.block) : std::string{};
      const std::string name = harmless(name_of(bar.job.task));
      const std::string full = number.empty() ? name : fmt::format("{} {}", name, number);
      const std::string& label = text_width(full) + 6 <= bar_width ? full : number;
      if (label.empty() || text_width(label) + 2 > bar_width) continue;
      bars_.text({start + bar_width / 2, y + row_height_ / 2 + 3.6}, "middle",
                 fill(colour.text) + R"( font-size="10.5" pointer-events="none")", label);
    }
    draw_shades(fine, row);
  }

  [[nodiscard]] std::string bar_story(const Lane& lane, const Bar& bar) const {
    std::string part = "copy";
    if (bar.block >= 0)
      part = lane.servers == 1 ? fmt::format("block {}", bar.block) : std::string{"a block each"};
    return fmt::format("{} #{}, segment {}, {}, {}: {} to {}", name_of(bar.job.task), bar.job.number,
                       bar.segment, part, lane.name, to_text(bar.start), to_text(bar.end));
  }

  struct Span {
    Time start{};
    Time end{};
    TaskIndex task = 0;
  };

  // Spans finer than the picture: every pixel in the colour of who used it most, the darker the longer it was
  // used.
  void draw_shades(const std::vector<Span>& spans, const SvgBox& row) {
    if (spans.empty()) return;
    struct Pixel {
      double used = 0;
      double longest = 0;
      TaskIndex task = 0;
    };
    std::vector<Pixel> pixels(static_cast<std::size_t>(std::ceil(row.width)) + 1);
    for (const Span& span : spans) {
      const double start = x_of(span.start) - row.x;
      const double length = x_of(span.end) - row.x - start;
      Pixel& pixel = pixels[static_cast<std::size_t>(std::clamp(start, 0.0, row.width - 1))];
      pixel.used += length;
      if (length > pixel.longest) {
        pixel.longest = length;
        pixel.task = span.task;
      }
    }
    const auto shade_of = [](const Pixel& pixel) {
      if (pixel.used <= 0) return 0;
      return std::clamp(static_cast<int>(std::lround(pixel.used * shades)), 3, shades);
    };
    for (std::size_t first = 0; first < pixels.size();) {
      const int shade = shade_of(pixels[first]);
      std::size_t last = first + 1;
      while (last < pixels.size() && shade_of(pixels[last]) == shade &&
             pixels[last].task == pixels[first].task) {
        ++last;
      }
      if (shade > 0) {
        bars_.rectangle(
            {row.x + static_cast<double>(first), row.y, static_cast<double>(last - first), row.height},
            fmt::format(R"(fill="{}" fill-opacity="{:.2f}" shape-rendering="crispEdges")",
                        colour_of(pixels[first].task).fill, static_cast<double>(shade) / shades));
      }
      first = last;
    }
  }

  double draw_tasks(double y) {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (!rows_.jobs[task].empty()) y = draw_task(task, y) + lane_gap;
    }
    return y;
  }

  double draw_task(TaskIndex task, double y) {
    const Jobs& jobs = rows_.jobs[task];
    trace::Lanes lanes;
    std::vector<std::size_t> row_of;
    for (const trace::JobEnded& job : jobs) {
      row_of.push_back(
          job.start == never
              ? 0
              : lanes.place(job.start, job.completion, most_job_rows).value_or(most_job_rows - 1));
    }
    const double height =
        arrow_room + job_row * static_cast<double>(std::max<std::size_t>(lanes.size(), 1)) + 5;
    const double floor = y + height - 3;
    draw_panel(y, height, name_of(task));
    const bool only_misses = crowded(jobs);
    std::vector<Span> fine;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const trace::JobEnded& job = jobs[i];
      if (only_misses && job.start != never && x_of(job.completion) - x_of(job.start) < finest_bar) {
        fine.push_back({job.start, job.completion, task});
      } else {
        draw_job(job, floor - job_row * static_cast<double>(row_of[i]), floor);
      }
    }
    draw_shades(fine, {left_, floor - job_row + 2, right_ - left_, job_row - 2});
    // What matters most is drawn last, on top.
    if (!only_misses) {
      for (const trace::JobEnded& job : jobs) draw_release(job, y + 2, floor);
      for (const trace::JobEnded& job : jobs) {
        if (!job.missed) draw_deadline(job, y + 2, floor);
      }
    }
    double last_miss = -1;
    for (const trace::JobEnded& job : jobs) {
      if (!job.missed || x_of(job.deadline) < last_miss + 0.5) continue;
      last_miss = x_of(job.deadline);
      draw_deadline(job, y + 2, floor);
    }
    draw_bounds(task, y, floor);
    if (!only_misses) draw_lateness(jobs, floor);
    return y + height;
  }

  void draw_job(const trace::JobEnded& job, double bottom, double floor) {
    const TaskColour& colour = colour_of(job.job.task);
    const auto add = [&](Time start, Time end, double top, double height, const std::string& paint) {
      if (end < rows_.from || start > rows_.to || end <= start) return;
      bars_.rectangle({x_of(start), top, std::max(x_of(end) - x_of(start), 0.5), height}, paint, story(job));
    };
    add(job.release, job.start, floor - 3, 3, fill(colour.fill) + R"( fill-opacity="0.35")");
    if (job.start == never) return;
    const double top = bottom - job_row + 2;
    add(job.start, job.completion, top, job_row - 2, fill_and_edge(colour.fill, colour.edge));
    if (!job.missed) return;
    add(std::max(job.start, job.deadline), job.completion, top, job_row - 2,
        fill_and_edge("url(#late)", miss_colour));
  }

  void draw_release(const trace::JobEnded& job, double top, double floor) {
    if (shows(job.release)) marks_.arrow(x_of(job.release), top, floor, true, ink, "release: " + story(job));
  }

  void draw_deadline(const trace::JobEnded& job, double top, double floor) {
    if (job.deadline == never || !shows(job.deadline)) return;
    marks_.arrow(x_of(job.deadline), top, floor, false, job.missed ? miss_colour : ink,
                 (job.missed ? "missed deadline: " : "deadline: ") + story(job));
  }

  struct ShownBound {
    const trace::JobEnded* job = nullptr;
    double x = 0;
    Duration bound{};
    bool exceeded = false;
  };

  // Like missed deadlines, exceeded bounds are shown however crowded it is, but not on top of each other.
  [[nodiscard]] std::vector<ShownBound> shown_bounds(TaskIndex task) const {
    const Jobs& jobs = rows_.jobs[task];
    const bool only_exceeded = crowded(jobs);
    std::vector<ShownBound> shown;
    for (const trace::JobEnded& job : jobs) {
      const std::optional<trace::BoundMark> mark = trace::bound_mark(bounds_, job);
      if (!mark || !shows(mark->time)) continue;
      const ShownBound next{&job, x_of(mark->time), mark->bound, mark->kept == false};
      if (only_exceeded && (!next.exceeded || (!shown.empty() && next.x < shown.back().x + closest_arrows))) {
        continue;
      }
      shown.push_back(next);
    }
    return shown;
  }

  [[nodiscard]] bool has_bound_marks(bool exceeded) const {
    for (TaskIndex task = 0; task < rows_.jobs.size(); ++task) {
      const std::vector<ShownBound> shown = shown_bounds(task);
      if (std::ranges::find(shown, exceeded, &ShownBound::exceeded) != shown.end()) return true;
    }
    return false;
  }

  // Between the heads of releases, which are above, and those of deadlines, which are below: all three can be
  // told apart where they meet.
  void draw_bounds(TaskIndex task, double top, double floor) {
    for (const ShownBound& mark : shown_bounds(task)) {
      marks_.diamond({mark.x, top + arrow_room}, floor, mark.exceeded, ink,
                     fmt::format("{} of {}: {}", mark.exceeded ? "exceeded bound" : "bound",
                                 to_text(mark.bound), story(*mark.job)));
    }
  }

  // Says how late a job was, behind its bar, where nothing else stands.
  void draw_lateness(const Jobs& jobs, double floor) {
    for (const trace::JobEnded& job : jobs) {
      if (!job.missed || job.completion == never || !shows(job.completion)) continue;
      const std::string late = spaced(to_text(job.completion - job.deadline)) + " late";
      const double x = x_of(job.completion) + 6;
      const double end = x + text_width(late);
      const auto in_the_way = [&](const trace::JobEnded& other) {
        const auto inside = [&](Time time) {
          return time != never && shows(time) && x - 6 < x_of(time) && x_of(time) < end + 4;
        };
        const bool spans = other.release <= job.completion && job.completion < other.completion;
        const std::optional<trace::BoundMark> bound = trace::bound_mark(bounds_, other);
        return spans || inside(other.release) || inside(other.deadline) || inside(other.start) ||
               (bound && inside(bound->time));
      };
      if (end > right_ || std::ranges::any_of(jobs, in_the_way)) continue;
      marks_.text({x, floor - 3}, "start", fill(miss_colour) + R"( font-weight="600" font-size="10.5")",
                  late);
    }
  }

  [[nodiscard]] std::string story(const trace::JobEnded& job) const {
    std::string text =
        fmt::format("{} #{}: released at {}", name_of(job.job.task), job.job.number, to_text(job.release));
    if (job.start != never) text += ", started at " + to_text(job.start);
    text += job.completion == never ? std::string{", not completed"}
                                    : ", completed at " + to_text(job.completion);
    if (job.deadline != never) text += ", deadline " + to_text(job.deadline);
    return text;
  }

  void draw_grid(double top, double bottom) {
    std::string path;
    for (const Time tick : axis_.ticks) path += fmt::format("M{:.2f} {:.2f}V{:.2f}", x_of(tick), top, bottom);
    grid_.path(path, fmt::format("stroke=\"{}\" fill=\"none\"", grid_colour));
  }

  double draw_axis(double y) {
    const std::string stroke = fmt::format("stroke=\"{}\"", faint_ink);
    marks_.path(fmt::format("M{:.2f} {:.2f}H{:.2f}", left_, y, right_), stroke);
    double free_from = 0;
    for (const Time tick : axis_.ticks) {
      const double x = x_of(tick);
      marks_.path(fmt::format("M{:.2f} {:.2f}v4", x, y), stroke);
      const std::string label = axis_.label(tick);
      const double half = text_width(label) / 2;
      if (x - half < free_from || x + half > width_ - 4) continue;
      marks_.text({x, y + 16}, "middle", fill(faint_ink), label);
      free_from = x + half + 4;
    }
    marks_.text({left_ - 10, y + 16}, "end", fill(faint_ink),
                axis_.unit_name == "us" ? "µs" : axis_.unit_name);
    return y + 20;
  }

  const System& system_;
  std::string title_;
  Rows rows_;
  trace::Bounds bounds_;
  double width_;
  double left_ = 0;  // of the time axis
  double right_;
  double row_height_ = 0;
  Axis axis_;
  std::size_t missed_ = 0;
  // In the order in which they are painted.
  SvgPart heading_;
  SvgPart panels_;
  SvgPart grid_;
  SvgPart bars_;
  SvgPart marks_;
};

}  // namespace

std::string timeline_svg(const System& system, const trace::Recording& recording, const SvgOptions& options) {
  return Drawing{system, recording, options}.draw();
}

}  // namespace tactus::report
