// Proven bounds in the pictures of a schedule.
#include <algorithm>
#include <optional>
#include <sstream>

#include "support/example_schedule.hpp"
#include "support/xml.hpp"
#include "tactus/report/timeline.hpp"

namespace tactus::report {
namespace {

using namespace std::chrono_literals;
using test::XmlElement;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Mark {
  std::string tip;
  double x = 0;
  std::string fill;  // of its head
};

// Marks are groups of a tip, a stem and a head: "M<x> <y>...".
std::vector<Mark> marks(const std::string& svg, const std::string& tip_begins) {
  const std::vector<XmlElement> elements = test::parse_xml(svg);
  std::vector<Mark> found;
  for (std::size_t i = 0; i + 2 < elements.size(); ++i) {
    if (elements[i].name != "title" || elements[i].parent != "g" ||
        !elements[i].text.starts_with(tip_begins)) {
      continue;
    }
    found.push_back({elements[i].text, std::stod(elements[i + 1].attributes.at("d").substr(1)),
                     elements[i + 2].attributes.at("fill")});
  }
  return found;
}

std::string svg_with(const test::Schedule& schedule, const trace::Bounds& bounds, TimelineRange range = {}) {
  SvgOptions options;
  options.range = range;
  options.bounds = bounds;
  return timeline_svg(schedule.system, schedule.recording, options);
}

std::string text_with(const test::Schedule& schedule, const trace::Bounds& bounds) {
  TextOptions options;
  options.width = 11 + 24;
  options.bounds = bounds;
  return timeline_text(schedule.system, schedule.recording, options);
}

std::string line_of(const std::string& text, const std::string& begins) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(begins)) return line;
  }
  return {};
}

TEST(TimelineSvgBounds, AreMarkedAndExplained) {
  const test::Schedule schedule = test::four_kernels();
  const std::string svg = svg_with(schedule, {5ms, std::nullopt});
  const std::vector<Mark> bounds = marks(svg, "bound of ");
  ASSERT_EQ(bounds.size(), 1U);
  EXPECT_EQ(bounds[0].tip,
            "bound of 5ms: detector #0: released at 0ns, started at 0ns, completed at 4ms, deadline 11ms");
  const double release = marks(svg, "release: detector").at(0).x;
  const double deadline = marks(svg, "deadline: detector").at(0).x;
  EXPECT_NEAR((bounds[0].x - release) / (deadline - release), 5.0 / 11.0, 0.001);
  EXPECT_THAT(svg, HasSubstr(">bound</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("exceeded")));
}

TEST(TimelineSvgBounds, AreAbsentWhereNothingIsProven) {
  const std::string svg = svg_with(test::four_kernels(), {std::nullopt, std::nullopt});
  EXPECT_THAT(svg, Not(HasSubstr("bound")));
}

TEST(TimelineSvgBounds, ThatWereExceededAreFilled) {
  const std::string svg = svg_with(test::four_kernels(), {3ms, 10ms});
  const std::vector<Mark> exceeded = marks(svg, "exceeded bound of 3ms: detector");
  const std::vector<Mark> kept = marks(svg, "bound of 10ms: lidar");
  ASSERT_EQ(exceeded.size(), 1U);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_NE(exceeded[0].fill, kept[0].fill);
  EXPECT_THAT(svg, HasSubstr(">bound</text>"));
  EXPECT_THAT(svg, HasSubstr(">exceeded bound</text>"));
}

TEST(TimelineSvgBounds, MeetADeadlineWithoutHidingIt) {
  const std::string svg = svg_with(test::four_kernels(), {11ms});
  const std::vector<Mark> bounds = marks(svg, "bound of ");
  const std::vector<Mark> deadlines = marks(svg, "deadline: detector");
  ASSERT_EQ(bounds.size(), 1U);
  ASSERT_EQ(deadlines.size(), 1U);
  EXPECT_EQ(bounds[0].x, deadlines[0].x);
  // The diamond is above the bars, the deadline's head below, and neither covers the other.
  const std::vector<XmlElement> elements = test::parse_xml(svg);
  const auto head_of = [&](const std::string& tip) {
    const auto title = std::ranges::find(elements, tip, &XmlElement::text);
    const std::string path = (title + 2)->attributes.at("d");
    return std::stod(path.substr(path.find(' ')));
  };
  EXPECT_LT(head_of(bounds[0].tip) + 8, head_of(deadlines[0].tip));
}

TEST(TimelineSvgBounds, OutsideTheShownTimeAreLeftOut) {
  EXPECT_THAT(svg_with(test::four_kernels(), {5s}), Not(HasSubstr("bound")));
  EXPECT_THAT(svg_with(test::four_kernels(), {5ms}, {.from = time_at(6ms), .to = time_at(12ms)}),
              Not(HasSubstr("bound")));
}

TEST(TimelineSvgBounds, OfCrowdedJobsAreThinnedUnlessExceeded) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording = {};
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Time release = time_at(1ms * static_cast<std::int64_t>(i));
    schedule.recording.ends.push_back(
        {.job = {0, i}, .release = release, .start = release, .completion = release + 200us});
  }
  const std::size_t kept = marks(svg_with(schedule, {300us}), "bound of").size();
  EXPECT_GT(kept, 5U);
  EXPECT_LT(kept, 40U) << "they would cover each other";
  schedule.recording.ends[501].completion = time_at(501ms) + 400us;
  EXPECT_EQ(marks(svg_with(schedule, {300us}), "exceeded bound of 300us: detector #501").size(), 1U);
  const std::size_t all = marks(svg_with(schedule, {100us}), "exceeded bound of").size();
  EXPECT_GT(all, 20U);
  EXPECT_LT(all, 120U) << "they would cover each other";
}

TEST(TimelineTextBounds, HaveSignsOfTheirOwn) {
  const std::string text = text_with(test::four_kernels(), {5ms, 11ms, 8ms, std::nullopt});
  EXPECT_EQ(line_of(text, "A"), "A detector ^#0=====  |           v");
  EXPECT_EQ(line_of(text, "B"), "B lidar    ^#0=================  *") << "the deadline's place";
  EXPECT_EQ(line_of(text, "C"), "C planner  ^-------=#0=====x=====!=");
  EXPECT_EQ(line_of(text, "D"), "D mapper   ^-----------=#0=======v");
  EXPECT_THAT(text, HasSubstr("\n| bound\n* bound and release or deadline\nx exceeded bound\n"));
}

TEST(TimelineTextBounds, DoNotHideAMiss) {
  EXPECT_EQ(line_of(text_with(test::four_kernels(), {std::nullopt, std::nullopt, 11ms}), "C"),
            "C planner  ^-------=#0===========!=");
}

TEST(TimelineTextBounds, LeaveAPictureWithoutThemAsItIs) {
  const test::Schedule schedule = test::four_kernels();
  EXPECT_EQ(text_with(schedule, {std::nullopt}), text_with(schedule, {}));
  EXPECT_EQ(line_of(text_with(schedule, {5s}), "A"), line_of(text_with(schedule, {}), "A"))
      << "beyond the shown time";
}

}  // namespace
}  // namespace tactus::report
