#include "tactus/report/timeline.hpp"

#include <algorithm>
#include <map>

#include "support/example_schedule.hpp"
#include "support/xml.hpp"
#include "tactus/report/timeline_rows.hpp"

namespace tactus::report {
namespace {

using namespace std::chrono_literals;
using test::XmlElement;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> texts(const std::vector<XmlElement>& elements, const std::string& name) {
  std::vector<std::string> result;
  for (const XmlElement& element : elements) {
    if (element.name == name) result.push_back(element.text);
  }
  return result;
}

// Tips of bars name them: "lidar #0, segment 0, block 3, SM 1: 0ns to 6ms".
std::vector<std::string> block_tips(const std::vector<XmlElement>& elements) {
  std::vector<std::string> tips = texts(elements, "title");
  std::erase_if(tips, [](const std::string& tip) { return tip.find(", block ") == std::string::npos; });
  std::sort(tips.begin(), tips.end());
  return tips;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> result;
  for (const Time tick : axis.ticks) result.push_back(axis.label(tick));
  return result;
}

TEST(TimelineRows, GivesBlocksTheLowestFreeSlot) {
  const test::Schedule schedule = test::four_kernels();
  const Rows rows = rows_of(schedule.system, schedule.recording, {}, 100);
  ASSERT_EQ(rows.lanes.size(), 2U);
  EXPECT_EQ(rows.lanes[0].name, "SM 0");
  ASSERT_EQ(rows.lanes[0].rows.size(), 4U);
  ASSERT_EQ(rows.lanes[0].rows[0].size(), 2U);
  EXPECT_EQ(rows.lanes[0].rows[0][0].job.task, 0U);
  EXPECT_EQ(rows.lanes[0].rows[0][1].job.task, 1U) << "the last block of the second kernel follows the first";
  EXPECT_EQ(rows.to, at(12ms));
  EXPECT_EQ(rows.blocks, 16U);
  EXPECT_EQ(rows.left_out, 0U);
}

TEST(TimelineRows, ReachesToDeadlinesSoonAfterTheEnd) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording.ends[0].deadline = at(15ms);
  schedule.recording.ends[1].deadline = at(500ms);
  schedule.recording.ends[2].deadline = never;
  EXPECT_EQ(rows_of(schedule.system, schedule.recording, {}, 100).to, at(15ms));
}

TEST(TimelineRows, JoinsEqualSmsWhenThereAreTooMany) {
  System system = test::four_kernels().system;
  system.platform.gpu.sms = 6;
  trace::Recording recording;
  for (std::int32_t sm = 1; sm < 5; ++sm) {
    recording.blocks.push_back(
        {.job = {0, 0}, .block = sm, .sm = sm, .start = origin, .end = at(sm < 4 ? 2ms : 3ms)});
  }
  EXPECT_EQ(rows_of(system, recording, {}, 6).lanes.size(), 6U) << "as long as there is room all are shown";
  const Rows rows = rows_of(system, recording, {}, 5);
  std::vector<std::string> names;
  for (const Lane& lane : rows.lanes) names.push_back(lane.name);
  EXPECT_THAT(names, ElementsAre("SM 0", "SM 1-3", "SM 4", "SM 5"));
  EXPECT_EQ(rows.lanes[1].servers, 3U);
  EXPECT_EQ(rows.blocks, 4U);
  EXPECT_EQ(rows.left_out, 0U);
  EXPECT_EQ(rows_of(system, recording, {}, 3).left_out, 1U);
}

TEST(Axis, HasRoundTicks) {
  EXPECT_THAT(labels(axis_of(origin, at(12ms), 12)), ElementsAre("0", "2", "4", "6", "8", "10", "12"));
  EXPECT_THAT(labels(axis_of(origin, at(1500us), 4)), ElementsAre("0", "0.5", "1", "1.5"));
  EXPECT_THAT(labels(axis_of(at(19ms), at(35ms), 4)), ElementsAre("20", "25", "30", "35"));
  EXPECT_EQ(axis_of(origin, at(12ms), 13).unit_name, "ms");
  EXPECT_EQ(axis_of(origin, at(999us), 13).unit_name, "us");
  EXPECT_EQ(axis_of(at(5s), at(5s + 1ns), 10).unit_name, "ns");
  EXPECT_THAT(labels(axis_of(origin, at(1s), 2)), ElementsAre("0", "1"));
}

TEST(Axis, ReachesToTheEndOfTime) {
  const Axis axis = axis_of(origin, never, 12);
  EXPECT_EQ(axis.unit_name, "s");
  EXPECT_EQ(axis.ticks.size(), 10U);
  EXPECT_EQ(axis.label(axis.ticks.back()), "9000000000");
}

TEST(TimelineSvg, IsWellFormedAndHoldsEveryBlock) {
  const test::Schedule schedule = test::four_kernels();
  const std::string svg = timeline_svg(schedule.system, schedule.recording);
  const std::vector<XmlElement> elements = test::parse_xml(svg);
  EXPECT_EQ(elements.front().name, "svg");
  EXPECT_EQ(elements.front().attributes.at("xmlns"), "http://www.w3.org/2000/svg");
  EXPECT_EQ(elements.front().attributes.at("width"), "900");

  const std::vector<std::string> tips = block_tips(elements);
  EXPECT_EQ(tips.size(), 16U);
  EXPECT_EQ(std::adjacent_find(tips.begin(), tips.end()), tips.end()) << "each block once";
  EXPECT_THAT(tips, ::testing::Contains("planner #0, segment 0, block 1, SM 0: 6ms to 12ms"));
  const std::vector<std::string> shown = texts(elements, "text");
  for (const char* text : {"SM 0", "SM 1", "detector", "lidar", "planner", "mapper", "by hand", "ms", "12"}) {
    EXPECT_THAT(shown, ::testing::Contains(text));
  }
}

TEST(TimelineSvg, PlacesBarsByTime) {
  const test::Schedule schedule = test::four_kernels();
  const std::vector<XmlElement> elements = test::parse_xml(timeline_svg(schedule.system, schedule.recording));
  std::map<std::string, std::pair<double, double>> bars;  // tip -> left and right edge
  for (std::size_t i = 0; i + 1 < elements.size(); ++i) {
    if (elements[i].name != "rect" || elements[i + 1].name != "title") continue;
    const double x = std::stod(elements[i].attributes.at("x"));
    bars[elements[i + 1].text] = {x, x + std::stod(elements[i].attributes.at("width"))};
  }
  const auto first = bars.at("detector #0, segment 0, block 0, SM 0: 0ns to 4ms");
  const auto second = bars.at("lidar #0, segment 0, block 6, SM 0: 4ms to 10ms");
  EXPECT_NEAR(second.first - first.second, 1.0, 0.05) << "neighbours with a gap of a pixel";
  EXPECT_NEAR((second.second - second.first + 1) / (first.second - first.first + 1), 6.0 / 4.0, 0.01);
}

TEST(TimelineSvg, MarksMissesAlone) {
  test::Schedule schedule = test::four_kernels();
  const std::string with_miss = timeline_svg(schedule.system, schedule.recording);
  EXPECT_THAT(with_miss, HasSubstr("1 deadline missed"));
  EXPECT_THAT(with_miss,
              HasSubstr("<title>missed deadline: planner #0: released at 0ns, started at 4ms, completed "
                        "at 12ms, deadline 11ms</title>"));
  EXPECT_THAT(with_miss, HasSubstr("url(#late)"));
  for (trace::JobEnded& job : schedule.recording.ends) job.missed = false;
  const std::string without = timeline_svg(schedule.system, schedule.recording);
  EXPECT_THAT(without, Not(HasSubstr("missed")));
  EXPECT_THAT(without, Not(HasSubstr("url(#late)")));
}

TEST(TimelineSvg, ShowsOnlyItsRange) {
  const test::Schedule schedule = test::four_kernels();
  const std::string svg =
      timeline_svg(schedule.system, schedule.recording, {.range = {.from = at(10ms), .to = at(12ms)}});
  const std::vector<XmlElement> elements = test::parse_xml(svg);
  EXPECT_EQ(block_tips(elements).size(), 6U) << "five of the mapper, one of the planner";
  for (const XmlElement& element : elements) {
    if (element.name != "rect" || element.parent != "svg" || !element.attributes.contains("x")) continue;
    const double right = std::stod(element.attributes.at("x")) + std::stod(element.attributes.at("width"));
    EXPECT_LE(right, 900.0);
    EXPECT_GE(std::stod(element.attributes.at("x")), 0.0);
  }
  EXPECT_THAT(svg, HasSubstr("10 ms to 12 ms"));
}

TEST(TimelineSvg, EscapesText) {
  test::Schedule schedule = test::four_kernels();
  schedule.system.tasks[0].name = "<b> & \"c\"\x01";
  const std::vector<XmlElement> elements =
      test::parse_xml(timeline_svg(schedule.system, schedule.recording, {.range = {}, .title = "1 < 2"}));
  EXPECT_THAT(texts(elements, "text"), ::testing::Contains("1 < 2"));
  EXPECT_THAT(texts(elements, "text"), ::testing::Contains("<b> & \"c\"\\x01"));
}

TEST(TimelineSvg, ShadesWhatIsFinerThanAPixel) {
  System system = test::four_kernels().system;
  trace::Recording recording;
  for (int i = 0; i < 20'000; ++i) {
    const Time start = at(10us * i);
    recording.blocks.push_back({.job = {0, 0}, .block = i, .sm = 0, .start = start, .end = start + 5us});
  }
  const std::string svg = timeline_svg(system, recording);
  const std::vector<XmlElement> elements = test::parse_xml(svg);
  EXPECT_TRUE(block_tips(elements).empty());
  EXPECT_LT(elements.size(), 2000U);
  const auto shaded = std::count_if(elements.begin(), elements.end(), [](const XmlElement& element) {
    return element.attributes.contains("fill-opacity") &&
           std::stod(element.attributes.at("fill-opacity")) == 0.5;
  });
  EXPECT_GT(shaded, 0) << "used half of the time";
}

TEST(TimelineSvg, DrawsCopiesAndJobsThatWereCutOff) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording.copies.push_back(
      {.job = {3, 0}, .segment = 0, .engine = 1, .start = at(1ms), .end = at(3ms)});
  schedule.recording.ends[3].completion = never;
  const std::string svg = timeline_svg(schedule.system, schedule.recording);
  const std::vector<XmlElement> elements = test::parse_xml(svg);
  EXPECT_THAT(texts(elements, "text"), ::testing::Contains("copy 1"));
  EXPECT_THAT(texts(elements, "title"),
              ::testing::Contains("mapper #0, segment 0, copy, copy 1: 1ms to 3ms"));
  EXPECT_THAT(svg, HasSubstr("started at 6ms, not completed"));
}

TEST(TimelineSvg, SurvivesAnEmptySchedule) {
  const test::Schedule schedule = test::four_kernels();
  const std::vector<XmlElement> elements = test::parse_xml(timeline_svg(schedule.system, {}));
  EXPECT_THAT(texts(elements, "text"), ::testing::Contains("SM 1"));
}

TEST(TimelineText, ShowsTheExample) {
  const test::Schedule schedule = test::four_kernels();
  const std::string text =
      timeline_text(schedule.system, schedule.recording, {.range = {}, .width = 11 + 24});
  EXPECT_EQ(text,
            "SM 0       AAAAAAAABBBBBBBBBBBB....\n"
            "           BBBBBBBBBBBBCCCCCCCCCCCC\n"
            "           BBBBBBBBBBBBDDDDDDDDDD..\n"
            "           BBBBBBBBBBBBDDDDDDDDDD..\n"
            "SM 1       AAAAAAAACCCCCCCCCCCC....\n"
            "           BBBBBBBBBBBBDDDDDDDDDD..\n"
            "           BBBBBBBBBBBBDDDDDDDDDD..\n"
            "           BBBBBBBBBBBBDDDDDDDDDD..\n"
            "           +-------------------+---\n"
            "ms         0                   10\n"
            "A detector ^=======              v\n"
            "B lidar    ^===================  v\n"
            "C planner  ^-------==============!=\n"
            "D mapper   ^-----------==========v\n"
            "^ release   v deadline   + both   ! missed   - waiting   = from start to completion\n");
}

TEST(TimelineText, KeepsToItsWidthAndRange) {
  test::Schedule schedule = test::four_kernels();
  schedule.system.tasks[0].name = "a name that is much too long for a label";
  const std::string text = timeline_text(schedule.system, schedule.recording,
                                         {.range = {.from = at(10ms), .to = at(14ms)}, .width = 61});
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) EXPECT_LE(lines[i].size(), 61U + 2) << lines[i];
  EXPECT_EQ(lines[0], "SM 0                 ........................................");
  EXPECT_EQ(lines[1], "                     CCCCCCCCCCCCCCCCCCCC....................");
  EXPECT_EQ(lines[2], "                     DDDDDDDDDD..............................");
  EXPECT_THAT(text, HasSubstr("A a name that is mu\u2026 "));
}

TEST(TimelineText, MarksADeadlineThatMeetsARelease) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording = {};
  schedule.recording.ends = {
      {.job = {0, 0}, .release = origin, .start = origin, .completion = at(1ms), .deadline = at(5ms)},
      {.job = {0, 1}, .release = at(5ms), .start = at(6ms), .completion = at(7ms), .deadline = at(10ms)}};
  const std::string text = timeline_text(schedule.system, schedule.recording,
                                         {.range = {.from = origin, .to = at(10ms)}, .width = 31});
  EXPECT_THAT(text, HasSubstr("A detector ^=        +-==     v\n"));
}

TEST(TimelineText, LeavesOutWhatDoesNotFit) {
  test::Schedule schedule = test::four_kernels();
  const std::string text =
      timeline_text(schedule.system, schedule.recording, {.range = {}, .width = 40, .most_rows = 3});
  EXPECT_THAT(text, HasSubstr("...        5 more rows\n"));
  EXPECT_THAT(text, HasSubstr("...        1 more tasks\n"));
}

TEST(TimelineText, ShowsEachColumnsLongestUser) {
  System system = test::four_kernels().system;
  system.platform.gpu.sms = 1;
  trace::Recording recording;
  recording.blocks = {{.job = {0, 0}, .start = origin, .end = at(4ms)},
                      {.job = {1, 0}, .start = at(4ms), .end = at(10ms)},
                      {.job = {2, 0}, .start = at(19ms), .end = at(20ms)}};
  const std::string text =
      timeline_text(system, recording, {.range = {.from = origin, .to = at(100ms)}, .width = 11 + 10});
  EXPECT_EQ(lines_of(text)[0], "SM 0       BC........");
}

}  // namespace
}  // namespace tactus::report
