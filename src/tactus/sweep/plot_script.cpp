#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tactus/base/utf8.hpp"
#include "tactus/sweep/plot.hpp"
#include "tactus/sweep/results.hpp"
#include "tactus/sweep/wilson.hpp"

namespace tactus::sweep {

namespace {

/// The position of a value on the axis; words are numbered.
std::string position_of(const generate::ParameterValue& value, std::size_t index) {
  if (const auto* duration = std::get_if<Duration>(&value)) {
    return to_decimal(Rational{duration->count(), 1'000'000}).value_or("0");
  }
  const bool is_number =
      std::holds_alternative<std::int64_t>(value) || std::holds_alternative<Rational>(value);
  return is_number ? generate::to_text(value) : std::to_string(index);
}

bool is_categorical(const generate::ParameterValue& value) {
  return !std::holds_alternative<std::int64_t>(value) && !std::holds_alternative<Rational>(value) &&
         !std::holds_alternative<Duration>(value);
}

std::string readable(std::string_view key) {
  std::string text{key};
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// The axis of one parameter: every panel of a row has the same.
struct Axis {
  std::string key;
  std::vector<generate::ParameterValue> values;
};

Axis first_axis(const Experiment& experiment, const Panel& panel) {
  Axis axis{experiment.varied, {}};
  for (std::size_t i = panel.first; i < panel.first + panel.count; ++i) {
    axis.values.push_back(experiment.points[i].value);
  }
  return axis;
}

Axis second_axis(const Experiment& experiment, const std::vector<Panel>& all) {
  Axis axis{experiment.second, {}};
  for (const Panel& panel : all) axis.values.push_back(*experiment.points[panel.first].second);
  return axis;
}

std::string axis_label(const Axis& axis) {
  return readable(axis.key) + (std::holds_alternative<Duration>(axis.values.front()) ? " (ms)" : "");
}

/// A little wider than the values, so that no mark is cut. Few values are all named.
std::string axis_text(const Axis& axis) {
  constexpr std::size_t few = 11;
  std::string tics;
  for (std::size_t i = 0; i < axis.values.size() && axis.values.size() <= few; ++i) {
    const bool word = is_categorical(axis.values[i]);
    const std::string position = position_of(axis.values[i], i);
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                        in_quotes(word ? generate::to_text(axis.values[i]) : position), position);
  }
  tics = tics.empty() ? "autofreq" : fmt::format("({})", tics);
  if (is_categorical(axis.values.front())) {
    return fmt::format("set xtics {}\nset xrange [-0.5:{}.5]\n", tics, axis.values.size() - 1);
  }
  const auto [least, most] =
      std::minmax_element(axis.values.begin(), axis.values.end(),
                          [](const auto& a, const auto& b) { return number_of(a) < number_of(b); });
  const std::string low = position_of(*least, 0);
  const std::string high = position_of(*most, 0);
  const std::string pad = low == high ? "0.5" : fmt::format("0.03*({}-{})", high, low);
  return fmt::format("set xtics {3}\nset xrange [{0}-{2}:{1}+{2}]\n", low, high, pad, tics);
}

/// The value of a curve at a point, in parts of a million.
struct Mark {
  std::int64_t value = 0;
  RatioInterval interval{};
};

/// Without an interval.
std::optional<Mark> plain_mark(const std::optional<std::int64_t>& value) {
  return value ? std::optional{Mark{*value, {*value, *value}}} : std::nullopt;
}

std::optional<Mark> mark_of(const Experiment& experiment, Measure measure, std::size_t analysis,
                            const Counts& counts) {
  if (measure != Measure::acceptance) return plain_mark(counts.sums.of(measure));
  if (counts.not_applicable == experiment.systems) return std::nullopt;
  const std::int64_t shown = accepted(counts, experiment.analyses[analysis].kind);
  return Mark{ratio_of(shown, experiment.systems), wilson_interval(shown, experiment.systems)};
}

/// The style of a curve. Sound tests are drawn solid, exact ones thick, unsound published forms dashed,
/// necessary ones dotted. Colours are those of Okabe and Ito (2008) but for yellow, which is too faint on
/// white; no two curves of an experiment share colour and mark.
struct Style {
  std::size_t colour = 0;
  std::size_t mark = 0;
  const analysis::Analysis* analysis = nullptr;
  std::optional<std::size_t> dash{};  // instead of the one that tells the kind of the test
};

std::string colour_of(const Style& style) {
  constexpr std::array<const char*, 8> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                               "#e69f00", "#56b4e9", "#222222", "#8a8a8a"};
  return colours.at(style.colour % colours.size());
}

/// Marks are filled: some renderers lose the outlines of open ones.
int mark_of(const Style& style) {
  constexpr std::array<int, 6> marks{7, 5, 9, 13, 11, 15};
  return marks.at(style.mark % marks.size());
}

/// The first marks are the largest, so that the marks of coinciding curves stay visible.
double size_of(const Style& style) {
  constexpr std::size_t sizes = 6;
  return 1.1 - 0.09 * static_cast<double>(std::min(style.mark, sizes - 1));
}

std::string line_of(const Style& style) {
  constexpr std::array<int, 5> dashes{1, 2, 4, 3, 5};
  const analysis::Analysis& entry = *style.analysis;
  const int of_kind = entry.kind == analysis::Kind::necessary ? 3 : (entry.sound ? 1 : 2);
  return fmt::format("lw {} dt {}", entry.kind == analysis::Kind::exact ? 3 : 1.8,
                     style.dash ? dashes.at(*style.dash % dashes.size()) : of_kind);
}

/// A curve of a panel; the script contains its data under its name.
struct Curve {
  std::string data;
  Style style;
  bool marks_vary = false;  // each point has a mark of its own, in the last column
};

struct Frame {
  std::string title;
  std::vector<Curve> curves;
};

/// Frames of one measure side by side, with the same axes.
struct Band {
  Measure measure = Measure::acceptance;
  Axis axis;
  std::vector<Frame> frames;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();  // of all marks, in parts of a million
  std::int64_t most = 0;
};

struct Legend {
  std::string text;
  Style style;
};

/// The contents of a plot.
class Picture {
 public:
  Picture(const Experiment& experiment, const SweepResult& result)
      : experiment_{experiment},
        result_{result},
        panels_{panels(experiment)},
        in_curves_{panels_.size() > 1 && experiment.second_shown == SecondShown::curves} {
    for (const Measure measure : experiment.measures) {
      if (measure != Measure::weighted) {
        add_band(measure);
      } else if (!experiment.second.empty()) {
        add_weighted();
      }
    }
    if (bands_.empty()) add_band(Measure::acceptance);  // no measure with an axis was requested
    add_legend();
  }

  [[nodiscard]] const std::string& data() const { return data_; }
  [[nodiscard]] const std::vector<Band>& bands() const { return bands_; }
  [[nodiscard]] const std::vector<Legend>& legend() const { return legend_; }

 private:
  /// In one frame the analyses have the colours, and the values of the second parameter marks and dashes.
  [[nodiscard]] Style style_of(std::size_t analysis, std::size_t panel) const {
    const analysis::Analysis* entry = &experiment_.analyses[analysis];
    if (!in_curves_) return {analysis, analysis, entry};
    return {experiment_.analyses.size() == 1 ? panel : analysis, panel, entry, panel};
  }

  [[nodiscard]] bool marks_vary(const Band& band) const {
    return in_curves_ && band.measure == Measure::weighted;
  }

  void add_curve(Band& band, Frame& frame, std::size_t analysis, std::size_t panel,
                 const std::vector<std::optional<Mark>>& marks) {
    std::string text;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (!marks[i]) continue;
      band.least = std::min(band.least, marks[i]->interval.low);
      band.most = std::max(band.most, marks[i]->interval.high);
      text += fmt::format("{} {} {} {}", position_of(band.axis.values[i], i), ratio_text(marks[i]->value),
                          ratio_text(marks[i]->interval.low), ratio_text(marks[i]->interval.high));
      // Where values of the second parameter have marks, they keep them on its own axis.
      if (marks_vary(band)) text += fmt::format(" {}", mark_of(style_of(analysis, i)));
      text += '\n';
    }
    if (text.empty()) return;
    const std::string name = fmt::format("$data{}", curves_++);
    data_ += fmt::format("{} << END\n{}END\n", name, text);
    Style style = style_of(analysis, panel);
    if (marks_vary(band)) {
      constexpr std::size_t neutral = 6;
      if (experiment_.analyses.size() == 1) style.colour = neutral;
      style.dash.reset();
    }
    frame.curves.push_back({name, style, marks_vary(band)});
    if (!marks_vary(band)) shown_.insert({analysis, in_curves_ ? panel : 0});
  }

  void add_band(Measure measure) {
    Band band{.measure = measure, .axis = first_axis(experiment_, panels_.front()), .frames = {}};
    for (std::size_t panel = 0; panel < panels_.size(); ++panel) {
      if (panel == 0 || !in_curves_) {
        const std::string title =
            experiment_.second.empty() || in_curves_
                ? ""
                : fmt::format("{} = {}", readable(experiment_.second), panels_[panel].value);
        band.frames.push_back({title, {}});
      }
      for (std::size_t i = 0; i < experiment_.analyses.size(); ++i) {
        std::vector<std::optional<Mark>> marks;
        for (std::size_t point = 0; point < panels_[panel].count; ++point) {
          const std::optional<PointCounts>& counts = result_.points[panels_[panel].first + point];
          marks.push_back(counts ? mark_of(experiment_, measure, i, (*counts)[i]) : std::nullopt);
        }
        add_curve(band, band.frames.back(), i, panel, marks);
      }
    }
    bands_.push_back(std::move(band));
  }

  void add_weighted() {
    Band band{.measure = Measure::weighted, .axis = second_axis(experiment_, panels_), .frames = {}};
    band.frames.emplace_back();
    for (std::size_t i = 0; i < experiment_.analyses.size(); ++i) {
      std::vector<std::optional<Mark>> marks;
      for (const Panel& panel : panels_) {
        marks.push_back(is_finished(result_, panel) ? plain_mark(weighted_of(experiment_, result_, panel, i))
                                                    : std::nullopt);
      }
      add_curve(band, band.frames.back(), i, 0, marks);
    }
    bands_.push_back(std::move(band));
  }

  void add_legend() {
    for (const auto& [analysis, panel] : shown_) {
      std::string text = curve_name(experiment_, analysis);
      if (in_curves_) text += fmt::format(", {} = {}", readable(experiment_.second), panels_[panel].value);
      legend_.push_back({text, style_of(analysis, panel)});
    }
    if (experiment_.second.empty() && experiment_.measures_also(Measure::weighted)) add_weights();
  }

  /// Measures with one number for each curve need no axis.
  void add_weights() {
    std::size_t at = 0;
    for (const auto& [analysis, panel] : shown_) {
      const std::optional<std::int64_t> value =
          is_finished(result_, panels_[panel]) ? weighted_of(experiment_, result_, panels_[panel], analysis)
                                               : std::nullopt;
      if (value)
        legend_[at].text +=
            fmt::format(", weighted {}", ratio_text((*value + 500) / 1000 * 1000).substr(0, 5));
      ++at;
    }
  }

  const Experiment& experiment_;
  const SweepResult& result_;
  std::vector<Panel> panels_;
  bool in_curves_;
  std::vector<Band> bands_;
  std::vector<Legend> legend_;
  std::set<std::pair<std::size_t, std::size_t>> shown_;  // analysis and panel of curves that have data
  std::string data_;
  std::size_t curves_ = 0;
};

std::string_view label_of(Measure measure) {
  constexpr std::array<std::string_view, 4> labels{"acceptance ratio", "weighted schedulability",
                                                   "mean bound / deadline", "mean bound / observed"};
  return labels.at(static_cast<std::size_t>(measure));
}

/// Lays everything out in pixels, from the top down, and converts to gnuplot's fractions of the canvas.
class Layout {
 public:
  explicit Layout(const Picture& picture)
      : picture_{picture}, columns_{columns_for(picture)}, width_{columns_ == 3 ? 1200 : 900} {
    std::size_t longest = 1;
    for (const Legend& entry : picture.legend()) longest = std::max(longest, count_characters(entry.text));
    entry_width_ = sample_width + gap + static_cast<int>(longest) * character_width + 24;
    const int entries = static_cast<int>(picture.legend().size());
    if (entries > 0) {
      const int fit = std::max(1, (width_ - 2 * gap) / entry_width_);
      const int rows = (entries + fit - 1) / fit;
      legend_columns_ = (entries + rows - 1) / rows;
      legend_height_ = rows * line_height;
    }
    frame_height_ = columns_ == 1 && picture.bands().size() == 1 ? 400 : 270;
    height_ = top + legend_height_ + 2 * gap;
    for (const Band& band : picture.bands()) height_ += rows_of(band) * (frame_height_ + head(band)) + foot;
  }

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

  [[nodiscard]] std::string text(std::string_view title) const {
    std::string script = fmt::format(
        "set label 1 {} at screen 0.5, screen {} center noenhanced font ',15' textcolor rgb '#1f2328'\n",
        in_quotes(title), down(top / 2));
    int y = top;
    for (const Band& band : picture_.bands()) script += band_text(band, y);
    return script + legend_text();
  }

 private:
  static constexpr int top = 44;
  static constexpr int left = 78;
  static constexpr int right = 24;
  static constexpr int gap = 14;
  static constexpr int foot = 72;
  static constexpr int line_height = 24;
  static constexpr int sample_width = 44;
  static constexpr int character_width = 8;

  [[nodiscard]] static int columns_for(const Picture& picture) {
    std::size_t most = 1;
    for (const Band& band : picture.bands()) most = std::max(most, band.frames.size());
    return most <= 3 ? static_cast<int>(most) : (most == 4 ? 2 : 3);
  }
  [[nodiscard]] int columns_of(const Band& band) const {
    return std::min(columns_, static_cast<int>(band.frames.size()));
  }
  [[nodiscard]] int rows_of(const Band& band) const {
    const int frames = static_cast<int>(band.frames.size());
    return (frames + columns_of(band) - 1) / columns_of(band);
  }
  /// Room for the title of a frame.
  [[nodiscard]] static int head(const Band& band) { return band.frames.front().title.empty() ? gap : 34; }

  [[nodiscard]] std::string across(int x) const {
    return fmt::format("{:.5f}", static_cast<double>(x) / width_);
  }
  [[nodiscard]] std::string down(int y) const {
    return fmt::format("{:.5f}", 1.0 - static_cast<double>(y) / height_);
  }

  [[nodiscard]] static std::string range_of(const Band& band) {
    const std::string plain = "unset logscale y\nset ytics autofreq\n";
    if (band.measure != Measure::bound_observed) return plain + "set yrange [-0.02:1.02]\n";
    // With differences of a factor of ten a linear axis would show only the largest values.
    if (band.least > 0 && band.most / 10 >= band.least) {
      return fmt::format(
          "set logscale y\nset ytics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000, 100000)\n"
          "set yrange [0.8*{}:1.25*{}]\n",
          ratio_text(band.least), ratio_text(band.most));
    }
    return plain +
           fmt::format("set yrange [0:1.05*{}]\n", ratio_text(std::max<std::int64_t>(band.most, 1'000'000)));
  }

  [[nodiscard]] std::string band_text(const Band& band, int& y) const {
    std::string script = range_of(band) + axis_text(band.axis);
    const int columns = columns_of(band);
    const int frames = static_cast<int>(band.frames.size());
    const int frame_width = (width_ - left - right - (columns - 1) * gap * 2) / columns;
    for (int i = 0; i < frames; ++i) {
      const Frame& frame = band.frames[static_cast<std::size_t>(i)];
      const int column = i % columns;
      if (column == 0) y += head(band);
      const int x = left + column * (frame_width + 2 * gap);
      const bool lowest = i + columns >= frames;
      script += fmt::format(
          "set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\nset bmargin at "
          "screen {}\n",
          across(x), across(x + frame_width), down(y), down(y + frame_height_));
      script += fmt::format("set title {} noenhanced\n", in_quotes(frame.title));
      script += column == 0
                    ? fmt::format("set ylabel {}\nset format y '%g'\n", in_quotes(label_of(band.measure)))
                    : "unset ylabel\nset format y ''\n";
      script += lowest ? fmt::format("set xlabel {} noenhanced\n", in_quotes(axis_label(band.axis)))
                       : "unset xlabel\n";
      script += plot_text(band, frame);
      // The title of the picture is drawn once.
      script += "unset label 1\n";
      if (column == columns - 1 || i + 1 == frames) y += frame_height_;
    }
    y += foot;
    return script;
  }

  [[nodiscard]] static std::string plot_text(const Band& band, const Frame& frame) {
    std::string curves;
    for (const Curve& curve : frame.curves) {
      const std::string colour = colour_of(curve.style);
      if (!curves.empty()) curves += ", ";
      if (band.measure == Measure::acceptance) {
        curves += fmt::format("{} using 1:3:(0):($4-$3) with vectors nohead lc rgb '{}' lw 1 notitle, ",
                              curve.data, colour);
      }
      curves += fmt::format("{} using {} with linespoints lc rgb '{}' pt {} ps {:.2f} {} notitle", curve.data,
                            curve.marks_vary ? "1:2:5" : "1:2", colour,
                            curve.marks_vary ? "variable" : std::to_string(mark_of(curve.style)),
                            size_of(curve.style), line_of(curve.style));
    }
    // Nothing to draw: an empty frame.
    return fmt::format("plot {}\n", curves.empty() ? "NaN notitle" : curves);
  }

  /// Below the frames, so that it never covers a curve.
  [[nodiscard]] std::string legend_text() const {
    std::string script;
    const int begin = (width_ - legend_columns_ * entry_width_ + 24) / 2;
    int number = 2;
    for (std::size_t i = 0; i < picture_.legend().size(); ++i) {
      const Legend& entry = picture_.legend()[i];
      const int x = begin + static_cast<int>(i) % legend_columns_ * entry_width_;
      const std::string y =
          down(height_ - legend_height_ + static_cast<int>(i) / legend_columns_ * line_height);
      script += fmt::format(
          "set arrow from screen {0}, screen {2} to screen {1}, screen {2} nohead {3} lc rgb '{4}'\n"
          "set label {5} '' at screen {6}, screen {2} point pt {7} ps {11:.2f} lc rgb '{4}'\n"
          "set label {8} {9} at screen {10}, screen {2} left noenhanced textcolor rgb '#1f2328'\n",
          across(x), across(x + sample_width), y, line_of(entry.style), colour_of(entry.style), number,
          across(x + sample_width / 2), mark_of(entry.style), number + 1, in_quotes(entry.text),
          across(x + sample_width + gap / 2), size_of(entry.style));
      number += 2;
    }
    // gnuplot draws labels only with a plot: one that shows nothing else.
    return script +
           "unset logscale y\nunset border\nunset tics\nunset grid\nunset xlabel\nunset ylabel\nunset title\n"
           "plot [0:1][0:1] NaN notitle\nunset label\nunset arrow\n";
  }

  const Picture& picture_;
  int columns_;
  int width_;
  int height_ = 0;
  int entry_width_ = 0;
  int legend_columns_ = 1;
  int legend_height_ = 0;
  int frame_height_ = 0;
};

}  // namespace

std::string gnuplot_script(const Experiment& experiment, const SweepResult& result) {
  const Picture picture{experiment, result};
  const Layout layout{picture};
  const std::string& title = experiment.title.empty() ? experiment.name : experiment.title;
  return fmt::format(
      "# Draws the results of an experiment: gnuplot plot.gp\n"
      "{}"
      "if (!exists('name')) name = 'plot'\n"
      "do for [kind in 'svg png'] {{\n"
      "reset\n"
      "if (kind eq 'svg') {{ set terminal svg size {},{} background '#ffffff' font 'Helvetica,13' }}\n"
      "if (kind eq 'png' && strstrt(GPVAL_TERMINALS, ' pngcairo ') > 0) "
      "{{ set terminal pngcairo size {},{} background '#ffffff' font 'sans,10' pointscale 1.2 }}\n"
      "if (kind eq 'png' && strstrt(GPVAL_TERMINALS, ' pngcairo ') == 0) {{ set terminal png size {},{} }}\n"
      "set output name.'.'.kind\n"
      "set border 3 lc rgb '#57606a'\n"
      "set tics nomirror out scale 0.6 textcolor rgb '#1f2328'\n"
      "set grid lt 1 lw 0.6 lc rgb '#d8dee4'\n"
      "set xlabel offset 0,0.2 textcolor rgb '#1f2328'\n"
      "set ylabel textcolor rgb '#1f2328'\n"
      "set title offset 0,-0.5 textcolor rgb '#1f2328'\n"
      "set format x '%g'\n"
      "unset key\n"
      "set multiplot\n"
      "{}"
      "unset multiplot\n"
      "unset output\n"
      "}}\n",
      picture.data(), layout.width(), layout.height(), layout.width(), layout.height(), layout.width(),
      layout.height(), layout.text(title));
}

}  // namespace tactus::sweep
