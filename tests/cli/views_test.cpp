// Pictures of schedules, as the command draws them.
#include <filesystem>

#include "support/command.hpp"
#include "support/xml.hpp"
#include "tactus/base/file.hpp"

namespace tactus::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> texts_of(const std::string& file) {
  std::vector<std::string> result;
  for (const XmlElement& element : parse_xml(read_file(file))) {
    if (element.name == "text") result.push_back(element.text);
  }
  return result;
}

TEST(Views, TheAxisOfAPictureIsThatOfTheRun) {
  const std::string picture = temporary_path("axis.svg");
  const Answer answer = tactus("sim examples/first.yaml --picture --timeline " + picture);
  EXPECT_EQ(answer.status, 0);
  // Nothing happens after 80 ms.
  EXPECT_THAT(texts_of(picture), Contains("100 ms"));
  EXPECT_THAT(texts_of(picture), Contains("2 SMs · 6 jobs · 60 blocks · 0 to 100 ms"));
  EXPECT_THAT(answer.out, HasSubstr(" 100 ms\n"));
  EXPECT_EQ(tactus("sim examples/first.yaml --for 2s --timeline " + picture).status, 0);
  EXPECT_THAT(texts_of(picture), Contains("2 s"));
}

TEST(Views, AScheduleThatEndsByItselfIsDrawnWithTheNextDeadlines) {
  const std::string file = write_temporary("once.yaml", R"(
tactus: 1
platform: jetson-tx2
tasks:
  - {name: a, arrival: once, deadline: 12ms, kernel: {grid: 1, block: 512, block_time: 10ms}}
)");
  const std::string picture = temporary_path("once.svg");
  EXPECT_EQ(tactus("sim " + file + " --timeline " + picture).status, 0);
  EXPECT_THAT(texts_of(picture), Contains(HasSubstr("0 to 12 ms")));
}

TEST(Views, APictureCanShowAPartOfARun) {
  const std::string picture = temporary_path("part.svg");
  EXPECT_EQ(tactus("sim examples/first.yaml --from 40ms --to 60ms --timeline " + picture).status, 0);
  EXPECT_THAT(texts_of(picture), Contains(HasSubstr("40 ms to 60 ms")));
  EXPECT_THAT(texts_of(picture), Contains("50 ms"));
  EXPECT_THAT(texts_of(picture), Not(Contains("20 ms")));
}

TEST(Views, ARangeThatCannotBeDrawnIsRefused) {
  const std::string picture = temporary_path("refused.svg");
  const Answer alone = tactus("sim examples/first.yaml --from 10ms");
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.err, HasSubstr("--picture"));
  const Answer backwards = tactus("sim examples/first.yaml --from 60ms --to 40ms --timeline " + picture);
  EXPECT_EQ(backwards.status, 2);
  EXPECT_THAT(backwards.err, HasSubstr("nothing to draw from 60ms to 40ms"));
  const Answer bare = tactus("sim examples/first.yaml --picture --to 40");
  EXPECT_EQ(bare.status, 2);
  EXPECT_THAT(bare.err, HasSubstr("--to"));
  EXPECT_FALSE(std::filesystem::exists(picture));
}

TEST(Views, ARangeBehindTheEndOfARunIsEmptyAndSaidToBe) {
  const Answer answer = tactus("sim examples/first.yaml --picture --from 5s");
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.err, HasSubstr("the schedule ended at 100ms"));
}

}  // namespace
}  // namespace tactus::test
