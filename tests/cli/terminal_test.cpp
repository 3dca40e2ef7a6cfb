// Tables, help and pictures as wide as the terminal, and colours where they are wanted.
#include "tactus/cli/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "support/command.hpp"
#include "tactus/cli/schedule.hpp"
#include "tactus/report/display_text.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of_text(const std::string& text) {
  std::istringstream stream{text};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string& line : lines_of_text(text)) widest = std::max(widest, report::shown_width(line));
  return widest;
}

class AtAWidth : public testing::TestWithParam<const char*> {};

TEST_P(AtAWidth, EveryLineFits) {
  for (const char* width : {"80", "60", "132"}) {
    const Answer answer = tactus_where(std::string{"COLUMNS="} + width, GetParam());
    EXPECT_LE(answer.status, 1) << answer.err;
    EXPECT_LE(widest_line(answer.out), std::stoul(width)) << answer.out;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Command, AtAWidth,
    testing::Values("--help", "check --help", "sim --help", "plan --help", "falsify --help",
                    "generate --help", "sweep --help", "run --help", "measure --help",
                    "measure overheads --help", "measure kernel --help", "measure copy --help",
                    "doctor --help", "analyses --help", "platforms --help", "init --help", "help --help",
                    "completion --help", "platforms", "analyses", "generate --list",
                    "check examples/first.yaml -v", "check examples/federated/upload.yaml",
                    "sim examples/federated/upload.yaml --for 100ms",
                    "sim examples/first.yaml --picture --jobs --blocks", "plan examples/federated/robot.yaml",
                    "plan examples/sharing/to-plan.yaml", "doctor --device host --quick"),
    [](const auto& parameter) { return "Case" + std::to_string(parameter.index); });

TEST(Width, OfAPictureIsTheTerminals) {
  const auto picture = [](const std::string& variables) {
    return widest_line(tactus_where(variables, "sim examples/blocks/order-1234.yaml --picture").out);
  };
  EXPECT_EQ(picture("COLUMNS=132"), 132U);
  EXPECT_EQ(picture("A=b"), 100U) << "where nobody says a width";
}

TEST(Width, OfOutputForProgramsIsNotLimited) {
  const Answer answer = tactus("check examples/sharing/several-streams.yaml");
  EXPECT_THAT(answer.out,
              HasSubstr("in every interval the jobs fit, with the blocks and the last level that may be in "
                        "their way.\n"));
}

TEST(Width, OfHelpIsAHundredColumnsWhereNobodySays) {
  EXPECT_LE(widest_line(tactus("plan --help").out), 100U);
}

TEST(Width, NonsenseInColumnsIsIgnored) {
  EXPECT_EQ(tactus_where("COLUMNS=wide", "plan --help").out, tactus("plan --help").out);
  EXPECT_EQ(tactus_where("COLUMNS=0", "plan --help").out, tactus("plan --help").out);
}

TEST(ColumnsOf, ATerminalIsWhatItSays) {
  ::unsetenv("COLUMNS");
  winsize size{.ws_row = 24, .ws_col = 93, .ws_xpixel = 0, .ws_ypixel = 0};
  int reader = -1;
  int terminal = -1;
  if (::openpty(&reader, &terminal, nullptr, nullptr, &size) != 0) GTEST_SKIP() << "no pseudo terminals here";
  EXPECT_EQ(cli::columns_of(terminal), 93U);
  size.ws_col = 3;
  ::ioctl(terminal, TIOCSWINSZ, &size);
  EXPECT_EQ(cli::columns_of(terminal), 40U) << "nothing is readable below";
  ::close(terminal);
  ::close(reader);
}

TEST(Colour, IsOfferedByEveryVerbAndBeforeIt) {
  const std::string escape = "\x1b[";
  EXPECT_THAT(tactus("check examples/first.yaml").out, Not(HasSubstr(escape))) << "not a terminal";
  EXPECT_THAT(tactus("check examples/first.yaml --color always").out, HasSubstr(escape));
  EXPECT_THAT(tactus("--color always check examples/first.yaml").out, HasSubstr(escape));
  EXPECT_THAT(tactus("--color=always sim examples/first.yaml").out, HasSubstr(escape));
  EXPECT_THAT(tactus("platforms --colour always").out, HasSubstr(escape));
  EXPECT_THAT(tactus("--color always --help").out, HasSubstr(escape));
  EXPECT_THAT(tactus("plan --color always --help").out, HasSubstr(escape));
}

TEST(Colour, IsDecidedByTheOptionBeforeTheEnvironment) {
  const std::string escape = "\x1b[";
  const auto shown = [](const std::string& variables, const std::string& option) {
    return tactus_where(variables, "check examples/first.yaml" + option).out;
  };
  EXPECT_THAT(shown("CLICOLOR_FORCE=1", ""), HasSubstr(escape));
  EXPECT_THAT(shown("CLICOLOR_FORCE=0", ""), Not(HasSubstr(escape)));
  EXPECT_THAT(shown("CLICOLOR_FORCE=1", " --color never"), Not(HasSubstr(escape)));
  EXPECT_THAT(shown("CLICOLOR_FORCE=1 NO_COLOR=1", ""), Not(HasSubstr(escape)));
  EXPECT_THAT(shown("CLICOLOR_FORCE=1 NO_COLOR=", ""), HasSubstr(escape)) << "empty says nothing";
  EXPECT_THAT(shown("NO_COLOR=1", " --color always"), HasSubstr(escape));
}

TEST(Colour, IsRefusedByAWordThatIsNone) {
  const Answer answer = tactus("check examples/first.yaml --color maybe");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("maybe"));
}

TEST(Colour, ChangesNothingButColours) {
  std::string coloured = tactus("sim examples/first.yaml --color always").out;
  for (std::size_t at = 0; (at = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, tactus("sim examples/first.yaml").out);
}

TEST(ShownTasks, AreAllOfThemInFileOrderUpToForty) {
  std::vector<cli::Standing> standings(40);
  standings[7].in_order = false;
  const cli::ShownTasks shown = cli::shown_tasks(standings, false);
  EXPECT_EQ(shown.tasks.size(), 40U);
  EXPECT_EQ(shown.tasks.front(), 0U);
  EXPECT_EQ(shown.note, "");
}

TEST(ShownTasks, AreTheWorstOfMore) {
  std::vector<cli::Standing> standings;
  for (int i = 0; i < 1000; ++i) standings.push_back({.in_order = true, .slack = Duration{1ms} * (1000 - i)});
  standings[3] = {.in_order = false, .slack = 5s};
  standings[999] = {};  // nothing to lose
  const cli::ShownTasks shown = cli::shown_tasks(standings, false);
  ASSERT_EQ(shown.tasks.size(), 20U);
  EXPECT_EQ(shown.tasks[0], 3U);
  EXPECT_EQ(shown.tasks[1], 998U);
  EXPECT_EQ(shown.note, "These are the 20 worst by slack; 980 more tasks: --all shows them.\n");
  EXPECT_EQ(cli::shown_tasks(standings, true).tasks.size(), 1000U);
}

/// Fifty tasks; the later ones have less slack.
std::string fifty_tasks() {
  std::string text =
      "tactus: 1\nname: fifty\nplatform: jetson-tx2\npolicy: {strategy: single-stream, order: fp}\ntasks:\n";
  for (int i = 0; i < 50; ++i) {
    text += "  - {name: t" + std::to_string(i) + ", period: 100ms, deadline: " + std::to_string(100 - i) +
            "ms, kernel: {grid: 1, block: 64, block_time: 10us}}\n";
  }
  return write_temporary("fifty.yaml", text);
}

TEST(LongTables, ShowTheWorstAndSayHowManyMore) {
  const std::string file = fifty_tasks();
  for (const std::string verb : {"check ", "sim ", "plan "}) {
    const Answer cut = tactus(verb + file);
    EXPECT_THAT(cut.out, HasSubstr("These are the 20 worst by slack; 30 more tasks: --all shows them.\n"))
        << verb;
    EXPECT_THAT(cut.out, HasSubstr("\nt49 ")) << verb;
    EXPECT_THAT(cut.out, Not(HasSubstr("\nt0 "))) << verb;
    const Answer whole = tactus(verb + file + " --all");
    EXPECT_THAT(whole.out, HasSubstr("\nt0 ")) << verb;
    EXPECT_THAT(whole.out, Not(HasSubstr("--all"))) << verb;
  }
}

TEST(Messages, FitTheTerminal) {
  const std::string file = write_temporary("no-plan.yaml", R"(tactus: 1
platform: jetson-tx2
policy: {strategy: federated}
tasks:
  - {name: camera, period: 100ms, segments: [{cpu: 1ms}, {gpu: {work: 1ms}}]}
)");
  for (const std::string& arguments : {"sim " + file, "sim " + file + " --strategy single-stream",
                                       std::string{"platforms jetson-orin-agx"}}) {
    const Answer answer = tactus_where("COLUMNS=60", arguments);
    EXPECT_EQ(answer.status, 2);
    for (const std::string& line : lines_of_text(answer.err)) {
      const bool has_path = line.find('/') != std::string::npos;  // which is not broken
      EXPECT_TRUE(has_path || line.size() <= 60U) << line;
    }
    EXPECT_GT(lines_of_text(answer.err).size(), lines_of_text(tactus(arguments).err).size());
  }
}

TEST(Messages, LeaveTheLineAndItsCaretAlone) {
  const std::string file = write_temporary("wrong.yaml", R"(tactus: 1
platform: jetson-tx2
tasks: [{name: a, period: 10Hz, kernel: {grid: 1, block: 64, block_time: 1ms}}]
)");
  EXPECT_THAT(tactus_where("COLUMNS=60", "check " + file).err,
              testing::ContainsRegex("\n    3 \\| tasks: .*\n      \\|  *\\^\n    write `rate: 10Hz`"));
}

TEST(LongTables, AreNeverCutInJson) {
  const std::string json = tactus("check " + fifty_tasks() + " --json").out;
  EXPECT_THAT(json, HasSubstr("\"t0\""));
  EXPECT_THAT(json, HasSubstr("\"t49\""));
}

TEST(Durations, AreRoundedForPeopleAndExactForMachines) {
  const Answer text = tactus("plan examples/federated/robot.yaml");
  EXPECT_THAT(text.out, HasSubstr(" 38.392ms   1.608ms     1.608ms\n"));
  EXPECT_THAT(tactus("plan examples/federated/robot.yaml --json").out, HasSubstr("38391667"));
}

TEST(Durations, MayBeMinutesAndHours) {
  EXPECT_THAT(tactus("sim examples/first.yaml --for 0.001min").out, HasSubstr("0 to 60ms\n"));
  EXPECT_THAT(tactus("sim examples/first.yaml --for 0.0001h").out, HasSubstr("0 to 360ms\n"));
}

TEST(Durations, ABoundIsNotShownBeyondADeadlineItKeeps) {
  const std::string file = write_temporary("sixty-hertz.yaml", R"(tactus: 1
name: sixty
platform: jetson-tx2
policy: {strategy: single-stream, order: edf}
tasks:
  - {name: camera, rate: 60Hz, kernel: {grid: 1, block: 64, block_time: 1ms}}
)");
  EXPECT_THAT(tactus("check " + file).out, Not(HasSubstr("16.667ms")));
}

}  // namespace
}  // namespace tactus::test
