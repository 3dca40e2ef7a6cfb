#include "tactus/report/timeline.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

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

std::vector<std::string> split_lines(const std::string& text) {
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
  EXPECT_EQ(rows.to, time_at(12ms));
  EXPECT_EQ(rows.blocks, 16U);
}

TEST(TimelineRows, ReachesToDeadlinesSoonAfterTheEnd) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording.ends[0].deadline = time_at(15ms);
  schedule.recording.ends[1].deadline = time_at(500ms);
  schedule.recording.ends[2].deadline = never;
  EXPECT_EQ(rows_of(schedule.system, schedule.recording, {}, 100).to, time_at(15ms));
}

std::vector<std::string> lane_names(const Rows& rows) {
  std::vector<std::string> names;
  for (const Track& lane : rows.lanes) names.push_back(lane.name);
  return names;
}

// A block of the first task on every SM for which there is a length, one after the other from 0.
Rows rows_of_blocks(const std::vector<std::vector<Duration>>& lengths, std::size_t max_rows) {
  System system = test::four_kernels().system;
  system.platform.gpu.sms = static_cast<std::int32_t>(lengths.size());
  trace::Recording recording;
  for (std::size_t sm = 0; sm < lengths.size(); ++sm) {
    for (const Duration length : lengths[sm]) {
      recording.blocks.push_back({.job = {0, 0},
                                  .block = static_cast<std::int64_t>(sm),
                                  .sm = static_cast<std::int32_t>(sm),
                                  .start = origin,
                                  .end = time_at(length)});
    }
  }
  return rows_of(system, recording, {}, max_rows);
}

TEST(TimelineRows, FoldsIdleServersIntoOneLane) {
  const Rows rows = rows_of_blocks({{2ms}, {2ms}, {}, {}, {}}, 40);
  EXPECT_THAT(lane_names(rows), ElementsAre("SM 0", "SM 1", "SM 2-4"));
  EXPECT_EQ(rows.lanes[2].form, TrackForm::idle);
  EXPECT_EQ(rows.lanes[2].servers, 3U);
  EXPECT_TRUE(rows.lanes[2].rows.empty());
  EXPECT_THAT(lane_names(rows_of_blocks({{}, {2ms}, {}, {2ms}}, 40)), ElementsAre("SM 1", "SM 3", "2 SMs"));
}

TEST(TimelineRows, CallsAServerIdleThatWorksOutsideTheRange) {
  const test::Schedule schedule = test::four_kernels();
  const Rows rows =
      rows_of(schedule.system, schedule.recording, {.from = time_at(12ms), .to = time_at(20ms)}, 40);
  EXPECT_THAT(lane_names(rows), ElementsAre("SM 0-1"));
  EXPECT_EQ(rows.lanes[0].form, TrackForm::idle);
}

TEST(TimelineRows, LeaveOutJobsOfWhichNothingIsInTheRange) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording.ends[1].deadline = time_at(40ms);
  schedule.recording.ends[2].deadline = time_at(18ms);
  const Rows rows =
      rows_of(schedule.system, schedule.recording, {.from = time_at(14ms), .to = time_at(20ms)}, 40);
  EXPECT_TRUE(rows.jobs[1].empty()) << "done before it, due behind it";
  EXPECT_EQ(rows.jobs[2].size(), 1U) << "its deadline is inside";
}

TEST(TimelineRows, JoinsEqualSmsWhenThereAreMany) {
  std::vector<std::vector<Duration>> lengths(132, {2ms});
  for (std::size_t sm = 100; sm < 110; ++sm) lengths[sm] = {3ms};
  for (std::size_t sm = 120; sm < 132; ++sm) lengths[sm] = {};
  const Rows rows = rows_of_blocks(lengths, 40);
  EXPECT_THAT(lane_names(rows), ElementsAre("SM 0-99", "SM 100-109", "SM 110-119", "SM 120-131"));
  EXPECT_EQ(rows.lanes[0].form, TrackForm::same);
  EXPECT_EQ(rows.lanes[0].servers, 100U);
  EXPECT_EQ(rows.blocks, 120U);
}

TEST(TimelineRows, ShowsSlotsTogetherBeforeItGroupsSms) {
  std::vector<std::vector<Duration>> lengths;
  for (int sm = 0; sm < 12; ++sm) lengths.push_back(std::vector<Duration>(8, 1ms * (sm + 1)));
  const Rows rows = rows_of_blocks(lengths, 40);
  EXPECT_EQ(rows.number_of_rows(), 12U);
  EXPECT_EQ(rows.lanes[3].name, "SM 3");
  EXPECT_EQ(rows.lanes[3].form, TrackForm::together);
  EXPECT_EQ(rows.lanes[3].servers, 1U);
  EXPECT_EQ(rows.lanes[3].rows[0].size(), 8U);
}

TEST(TimelineRows, GroupsSmsThatDifferAndLosesNothing) {
  std::vector<std::vector<Duration>> lengths;
  for (int sm = 0; sm < 132; ++sm) lengths.push_back({1ms * (sm + 1), 2ms * (sm + 1)});
  const Rows rows = rows_of_blocks(lengths, 40);
  EXPECT_EQ(rows.number_of_rows(), 33U);
  EXPECT_EQ(rows.lanes[0].name, "SM 0-3");
  EXPECT_EQ(rows.lanes[32].name, "SM 128-131");
  EXPECT_EQ(rows.lanes[0].servers, 4U);
  std::size_t bars = 0;
  for (const Track& lane : rows.lanes) {
    for (const std::vector<Bar>& row : lane.rows) bars += row.size();
  }
  EXPECT_EQ(bars, 264U);
}

TEST(TimelineRows, KnowWhenAJobExecutesAndWhenItWaits) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording = {};
  const trace::JobName job{0, 3};
  schedule.recording.cpus = {{.job = job, .core = 0, .start = time_at(1ms), .end = time_at(2ms)}};
  schedule.recording.blocks = {
      {.job = job, .segment = 1, .block = 0, .start = time_at(4ms), .end = time_at(6ms)},
      {.job = job, .segment = 1, .block = 1, .start = time_at(5ms), .end = time_at(7ms)}};
  schedule.recording.copies = {{.job = job, .segment = 2, .start = time_at(7ms), .end = time_at(8ms)}};
  schedule.recording.ends = {
      {.job = job, .release = origin, .start = time_at(1ms), .completion = time_at(8ms)}};
  const auto executing = [&] {
    const Rows rows = rows_of(schedule.system, schedule.recording, {}, 40);
    std::vector<std::pair<Time, Time>> stretches;
    for (const Stretch& stretch : rows.jobs.at(0).at(0).executing)
      stretches.emplace_back(stretch.start, stretch.end);
    return stretches;
  };
  EXPECT_THAT(executing(),
              ElementsAre(std::pair{time_at(1ms), time_at(2ms)}, std::pair{time_at(4ms), time_at(8ms)}));
  schedule.recording.truncated.blocks = true;
  EXPECT_THAT(executing(), ElementsAre(std::pair{time_at(1ms), time_at(8ms)}))
      << "what is not recorded is not waiting";
}

TEST(TimelineRows, KnowHowMuchOfAnSmABlockTakes) {
  System system = test::four_kernels().system;
  system.platform.gpu.threads_per_sm = 2048;
  EXPECT_DOUBLE_EQ(share_of_sm(system, 0, 0), 0.25) << "512 threads of 2048";
  std::get<KernelSegment>(system.tasks[0].work.nodes[0].segment).shared_memory =
      system.platform.gpu.shared_memory_per_sm;
  EXPECT_DOUBLE_EQ(share_of_sm(system, 0, 0), 1) << "no other block fits beside it";
  system.tasks[1].work.nodes[0].segment = GpuSegment{};
  EXPECT_DOUBLE_EQ(share_of_sm(system, 1, 0), 0.5) << "one of two virtual SMs";
  system.tasks[2].work.nodes[0].segment = ExclusiveSegment{};
  EXPECT_DOUBLE_EQ(share_of_sm(system, 2, 0), 1);
}

TEST(Timeline, ThinsByRoundNumbers) {
  EXPECT_EQ(every_which(80, 80), 1U);
  EXPECT_EQ(every_which(81, 80), 2U);
  EXPECT_EQ(every_which(200, 80), 5U);
  EXPECT_EQ(every_which(10'000, 80), 200U);
  EXPECT_EQ(every_which(0, 0), 1U);
  EXPECT_EQ(ordinal(2), "every 2nd");
  EXPECT_EQ(ordinal(50), "every 50th");
}

TEST(Axis, HasRoundTicks) {
  EXPECT_THAT(labels(axis_of(origin, time_at(12ms), 12)),
              ElementsAre("0", "2 ms", "4 ms", "6 ms", "8 ms", "10 ms", "12 ms"));
  EXPECT_THAT(labels(axis_of(origin, time_at(1500us), 4)), ElementsAre("0", "0.5 ms", "1 ms", "1.5 ms"));
  EXPECT_THAT(labels(axis_of(time_at(19ms), time_at(35ms), 4)),
              ElementsAre("20 ms", "25 ms", "30 ms", "35 ms"));
  EXPECT_EQ(axis_of(origin, time_at(12ms), 13).unit_name, "ms");
  EXPECT_EQ(axis_of(origin, time_at(999us), 13).unit_name, "us");
  EXPECT_EQ(axis_of(time_at(5s), time_at(5s + 1ns), 10).unit_name, "ns");
  EXPECT_THAT(labels(axis_of(origin, time_at(1s), 2)), ElementsAre("0", "1 s"));
}

TEST(Axis, ReachesToTheEndOfTime) {
  const Axis axis = axis_of(origin, never, 12);
  EXPECT_EQ(axis.unit_name, "s");
  EXPECT_EQ(axis.ticks.size(), 10U);
  EXPECT_EQ(axis.label(axis.ticks.back()), "9000000000 s");
}

TEST(TimelineSvg, IsWellFormedAndHoldsEveryBlock) {
  const test::Schedule schedule = test::four_kernels();
  const std::string svg = timeline_svg(schedule.system, schedule.recording);
  const std::vector<XmlElement> elements = test::parse_xml(svg);
  EXPECT_EQ(elements.front().name, "svg");
  EXPECT_EQ(elements.front().attributes.at("xmlns"), "http://www.w3.org/2000/svg");
  EXPECT_EQ(elements.front().attributes.at("width"), "860");

  const std::vector<std::string> tips = block_tips(elements);
  EXPECT_EQ(tips.size(), 16U);
  EXPECT_EQ(std::adjacent_find(tips.begin(), tips.end()), tips.end()) << "each block once";
  EXPECT_THAT(tips, ::testing::Contains("planner #0, segment 0, block 1, SM 0: 6ms to 12ms"));
  const std::vector<std::string> shown = texts(elements, "text");
  for (const char* text : {"SM 0", "SM 1", "detector", "lidar", "planner", "mapper", "by hand", "12 ms",
                           "waiting", "release", "deadline", "missed deadline", "#0"}) {
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
  const std::string svg = timeline_svg(schedule.system, schedule.recording,
                                       {.range = {.from = time_at(10ms), .to = time_at(12ms)}});
  const std::vector<XmlElement> elements = test::parse_xml(svg);
  EXPECT_EQ(block_tips(elements).size(), 6U) << "five of the mapper, one of the planner";
  for (const XmlElement& element : elements) {
    if (element.name != "rect" || element.parent != "svg" || !element.attributes.contains("x")) continue;
    const double right = std::stod(element.attributes.at("x")) + std::stod(element.attributes.at("width"));
    EXPECT_LE(right, 860.0);
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

// Heights of the rectangles of a path "M<x> <y>h<width>v<height>h-<width>z...".
std::vector<double> heights(const std::string& path) {
  std::vector<double> result;
  for (std::size_t at = path.find('v'); at != std::string::npos; at = path.find('v', at + 1)) {
    result.push_back(std::stod(path.substr(at + 1)));
  }
  return result;
}

std::vector<XmlElement> share_paths(const std::vector<XmlElement>& elements) {
  std::vector<XmlElement> result;
  std::ranges::copy_if(elements, std::back_inserter(result), [](const XmlElement& element) {
    return element.name == "path" && element.attributes.contains("shape-rendering");
  });
  return result;
}

TEST(TimelineSvg, DrawsWhatIsFinerThanAPixelAsShares) {
  const System system = test::four_kernels().system;
  trace::Recording recording;
  for (int i = 0; i < 20'000; ++i) {
    const Time start = time_at(10us * i);
    recording.blocks.push_back({.job = {0, 0}, .block = i, .sm = 0, .start = start, .end = start + 5us});
  }
  const std::vector<XmlElement> elements = test::parse_xml(timeline_svg(system, recording));
  EXPECT_TRUE(block_tips(elements).empty());
  EXPECT_LT(elements.size(), 200U);
  const std::vector<XmlElement> paths = share_paths(elements);
  ASSERT_EQ(paths.size(), 1U);
  const std::vector<double> found = heights(paths[0].attributes.at("d"));
  ASSERT_FALSE(found.empty());
  for (const double height : found) EXPECT_NEAR(height, 9, 1) << "used half of the time";
}

TEST(TimelineSvg, StacksTasksThatShareManySms) {
  System system = test::four_kernels().system;
  system.platform.gpu.sms = 132;
  trace::Recording recording;
  for (std::int32_t sm = 0; sm < 132; ++sm) {
    for (std::uint32_t task = 0; task < 3; ++task) {  // a quarter of the SM each
      recording.blocks.push_back(
          {.job = {task, 0}, .block = sm, .sm = sm, .start = origin, .end = time_at(20ms + 10us * sm)});
    }
  }
  const std::string svg = timeline_svg(system, recording);
  const std::vector<XmlElement> elements = test::parse_xml(svg);
  EXPECT_THAT(texts(elements, "text"), ::testing::Contains("SM 0-3"));
  EXPECT_THAT(texts(elements, "text"), ::testing::Contains("SM 128-131"));
  EXPECT_THAT(svg, HasSubstr("the height is the part of it that is in use"));
  const std::vector<XmlElement> paths = share_paths(elements);
  ASSERT_EQ(paths.size(), 3U * 33U);
  EXPECT_NEAR(heights(paths[0].attributes.at("d")).at(0), 11 * 0.25, 0.1);
  EXPECT_LT(std::stod(elements.front().attributes.at("height")), 800.0);
}

// Jobs of the first task, every millisecond, each executing for 200 us.
test::Schedule many_jobs(std::uint64_t jobs) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording = {};
  for (std::uint64_t i = 0; i < jobs; ++i) {
    const Time release = time_at(1ms * static_cast<std::int64_t>(i));
    schedule.recording.ends.push_back({.job = {0, i},
                                       .release = release,
                                       .start = release,
                                       .completion = release + 200us,
                                       .deadline = release + 1ms});
  }
  return schedule;
}

std::ptrdiff_t tips_that_begin(const std::vector<XmlElement>& elements, const std::string& text) {
  return std::ranges::count_if(elements, [&](const XmlElement& element) {
    return element.name == "title" && element.text.starts_with(text);
  });
}

TEST(TimelineSvg, ThinsMarksAndSaysSo) {
  const test::Schedule schedule = many_jobs(5000);
  const std::string svg = timeline_svg(schedule.system, schedule.recording);
  const std::vector<XmlElement> elements = test::parse_xml(svg);
  EXPECT_GT(tips_that_begin(elements, "release: "), 5);
  EXPECT_LT(tips_that_begin(elements, "release: "), 40);
  EXPECT_LT(tips_that_begin(elements, "deadline: "), 40);
  EXPECT_THAT(svg, HasSubstr("Marks are thinned, by jobs: detector every 500th."));
  EXPECT_LT(svg.size(), 60'000U);
  const test::Schedule few = many_jobs(20);
  EXPECT_THAT(timeline_svg(few.system, few.recording), Not(HasSubstr("thinned")));
}

TEST(TimelineSvg, MarksMissesInACrowd) {
  test::Schedule schedule = many_jobs(5000);
  schedule.recording.ends[2501].missed = true;
  std::vector<XmlElement> elements = test::parse_xml(timeline_svg(schedule.system, schedule.recording));
  EXPECT_EQ(tips_that_begin(elements, "missed deadline: detector #2501"), 1);
  for (trace::JobEnded& job : schedule.recording.ends) job.missed = true;
  const std::string all = timeline_svg(schedule.system, schedule.recording);
  elements = test::parse_xml(all);
  EXPECT_LT(tips_that_begin(elements, "missed deadline: detector"), 60) << "no red block";
  EXPECT_THAT(all, HasSubstr("A red line below a row: deadlines missed"));
}

TEST(TimelineSvg, DrawsWaiting) {
  const test::Schedule schedule = test::four_kernels();
  const std::vector<XmlElement> elements = test::parse_xml(timeline_svg(schedule.system, schedule.recording));
  std::map<std::string, double> waited;  // pixels, by the story of the job
  for (std::size_t i = 0; i + 1 < elements.size(); ++i) {
    if (elements[i].name == "rect" && elements[i].attributes.contains("fill-opacity") &&
        elements[i + 1].name == "title") {
      waited[elements[i + 1].text.substr(0, 6)] = std::stod(elements[i].attributes.at("width"));
    }
  }
  // From the release on; what executes is drawn on top of it.
  EXPECT_NEAR(waited.at("planne") / waited.at("mapper"), 12.0 / 11.0, 0.01);
  EXPECT_THAT(texts(elements, "text"), ::testing::Contains("waiting"));
}

TEST(TimelineSvg, DrawsJobsThatArePendingSideBySideAboveEachOther) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording = {};
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Time start = time_at(10ms * static_cast<std::int64_t>(i));
    schedule.recording.ends.push_back(
        {.job = {0, i}, .release = origin, .start = start, .completion = start + 10ms});
  }
  const std::vector<XmlElement> elements = test::parse_xml(timeline_svg(schedule.system, schedule.recording));
  std::vector<double> tops;
  for (const XmlElement& element : elements) {
    if (element.name == "text" && element.text.starts_with("#"))
      tops.push_back(std::stod(element.attributes.at("y")));
  }
  ASSERT_EQ(tops.size(), 3U);
  EXPECT_GT(tops[0], tops[1]);
  EXPECT_GT(tops[1], tops[2]);
}

TEST(TimelineSvg, FollowsTheReadersColoursAndNeedsNoStyleSheet) {
  test::Schedule schedule = test::four_kernels();
  for (int i = 0; i < 46; ++i) schedule.system.tasks.push_back(schedule.system.tasks[0]);
  for (std::uint32_t task = 4; task < 50; ++task) {
    schedule.recording.ends.push_back(
        {.job = {task, 0}, .start = origin, .completion = time_at(1ms), .deadline = time_at(5ms)});
  }
  const std::string svg = timeline_svg(schedule.system, schedule.recording);
  const std::vector<XmlElement> elements = test::parse_xml(svg);
  const auto style = std::ranges::find(elements, "style", &XmlElement::name);
  ASSERT_NE(style, elements.end());
  EXPECT_THAT(style->text, HasSubstr("@media (prefers-color-scheme:dark){"));
  for (const XmlElement& element : elements) {
    if (!element.attributes.contains("class")) continue;
    std::istringstream classes{element.attributes.at("class")};
    for (std::string one; classes >> one;) {
      EXPECT_TRUE(element.attributes.contains(one.ends_with("-line") ? "stroke" : "fill")) << one;
    }
  }
  // Every pattern that is used is there.
  std::set<std::string> ids;
  for (const XmlElement& element : elements) {
    if (element.attributes.contains("id")) ids.insert("url(#" + element.attributes.at("id") + ")");
  }
  for (const XmlElement& element : elements) {
    if (!element.attributes.contains("fill")) continue;
    const std::string& fill = element.attributes.at("fill");
    EXPECT_TRUE(!fill.starts_with("url") || ids.contains(fill)) << fill;
  }
}

TEST(TimelineSvg, TellsTasksApartBeyondTheLastColour) {
  test::Schedule schedule = test::four_kernels();
  while (schedule.system.tasks.size() < 20) schedule.system.tasks.push_back(schedule.system.tasks[0]);
  std::set<std::string> fills;
  const std::vector<XmlElement> elements = test::parse_xml(timeline_svg(schedule.system, {}));
  for (const XmlElement& element : elements) {
    if (element.name == "rect" && element.parent == "svg" && element.attributes.at("width") == "11.00") {
      fills.insert(element.attributes.at("fill"));
    }
  }
  EXPECT_EQ(fills.size(), 20U);
}

TEST(TimelineSvg, HasNoTextTooSmallToRead) {
  const test::Schedule schedule = many_jobs(5000);
  const std::vector<XmlElement> elements = test::parse_xml(timeline_svg(schedule.system, schedule.recording));
  for (const XmlElement& element : elements) {
    if (element.attributes.contains("font-size")) {
      EXPECT_GE(std::stod(element.attributes.at("font-size")), 11.0) << element.text;
    }
  }
}

TEST(TimelineSvg, DrawsCopiesAndJobsThatWereCutOff) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording.copies.push_back(
      {.job = {3, 0}, .segment = 0, .engine = 1, .start = time_at(1ms), .end = time_at(3ms)});
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
  EXPECT_THAT(texts(elements, "text"), ::testing::Contains("SM 0-1 idle"));
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
            "           0                  10 ms\n"
            "A detector ^#0=====              v\n"
            "B lidar    ^#0=================  v\n"
            "C planner  ^-------=#0===========!=\n"
            "D mapper   ^-----------=#0=======v\n"
            "^ release   v deadline   + both\n"
            "! missed   - waiting   = executing\n");
}

TEST(TimelineText, KeepsToItsWidthAndRange) {
  test::Schedule schedule = test::four_kernels();
  schedule.system.tasks[0].name = "a name that is much too long for a label";
  const std::string text =
      timeline_text(schedule.system, schedule.recording,
                    {.range = {.from = time_at(10ms), .to = time_at(14ms)}, .width = 61});
  const std::vector<std::string> lines = split_lines(text);
  for (const std::string& line : lines) EXPECT_LE(line.size(), 61U + 2) << line;
  EXPECT_EQ(lines[0], "SM 0                 ........................................");
  EXPECT_EQ(lines[1], "                     CCCCCCCCCCCCCCCCCCCC....................");
  EXPECT_EQ(lines[2], "                     DDDDDDDDDD..............................");
  EXPECT_THAT(text, HasSubstr("A a name that is mu\u2026 "));
}

TEST(TimelineText, MarksADeadlineThatMeetsARelease) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording = {};
  schedule.recording.ends = {{.job = {0, 0},
                              .release = origin,
                              .start = origin,
                              .completion = time_at(1ms),
                              .deadline = time_at(5ms)},
                             {.job = {0, 1},
                              .release = time_at(5ms),
                              .start = time_at(6ms),
                              .completion = time_at(7ms),
                              .deadline = time_at(10ms)}};
  const std::string text = timeline_text(schedule.system, schedule.recording,
                                         {.range = {.from = origin, .to = time_at(10ms)}, .width = 31});
  EXPECT_THAT(text, HasSubstr("A detector ^=        +-==     v\n"));
}

TEST(TimelineText, ShowsSlotsTogetherWhereTheyDoNotFit) {
  test::Schedule schedule = test::four_kernels();
  const std::string text =
      timeline_text(schedule.system, schedule.recording, {.range = {}, .width = 11 + 24, .max_rows = 3});
  EXPECT_EQ(split_lines(text)[0], "SM 0       BBBBBBBBBBBBDDDDDDDDDDCC");
  EXPECT_EQ(split_lines(text)[1].substr(0, 4), "SM 1");
  EXPECT_THAT(text, HasSubstr("...        1 more tasks\n"));
}

TEST(TimelineText, ThinsMarksAndSaysSo) {
  const test::Schedule schedule = many_jobs(1000);
  const std::string text = timeline_text(schedule.system, schedule.recording, {.range = {}, .width = 91});
  EXPECT_THAT(text, HasSubstr("Marks are thinned, by jobs: detector every 50th. Every miss is marked.\n"));
  const std::vector<std::string> lines = split_lines(text);
  const auto line =
      std::ranges::find_if(lines, [](const std::string& one) { return one.starts_with("A detector"); });
  ASSERT_NE(line, lines.end());
  EXPECT_EQ(std::ranges::count(*line, '+'), 20) << "deadlines meet releases: " << *line;
}

TEST(TimelineText, NamesIdleServersOnce) {
  System system = test::four_kernels().system;
  system.platform.gpu.sms = 132;
  trace::Recording recording;
  recording.blocks = {{.job = {0, 0}, .start = origin, .end = time_at(4ms)}};
  const std::string text = timeline_text(system, recording, {.range = {}, .width = 40});
  EXPECT_EQ(split_lines(text)[0], "SM 0       AAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
  EXPECT_EQ(split_lines(text)[1], "SM 1-131   idle");
}

TEST(TimelineText, ShowsEachColumnsLongestUser) {
  System system = test::four_kernels().system;
  system.platform.gpu.sms = 1;
  trace::Recording recording;
  recording.blocks = {{.job = {0, 0}, .start = origin, .end = time_at(4ms)},
                      {.job = {1, 0}, .start = time_at(4ms), .end = time_at(10ms)},
                      {.job = {2, 0}, .start = time_at(19ms), .end = time_at(20ms)}};
  const std::string text =
      timeline_text(system, recording, {.range = {.from = origin, .to = time_at(100ms)}, .width = 11 + 10});
  EXPECT_EQ(split_lines(text)[0], "SM 0       BC........");
}

}  // namespace
}  // namespace tactus::report
