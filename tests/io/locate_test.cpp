// Findings of the model lead to the right value of the document.
#include "tactus/io/locate.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tactus::io {
namespace {

class LocateTest : public testing::Test {
 protected:
  std::string text_ = R"(
tasks:
  - {name: a, rate: 5Hz}
  - graph:
      nodes:
        x: {cpu: 1ms}
        "a.b[0]\"\\": {kernel: {registers_per_thread: 4}}
policy: {virtual_sms: {t1: 1}}
)";
  ProblemList problems_;
  Reader reader_{problems_};
  std::optional<Value> root_ = parse_document(text_, TextPositions{text_}, problems_);
  Locator locator_{*root_, reader_};

  std::string at(std::string_view path) {
    const std::size_t offset = locator_.find(path).offset;
    return text_.substr(offset, text_.find_first_of("\n", offset) - offset);
  }
};

TEST_F(LocateTest, FollowsKeysAndIndices) {
  EXPECT_EQ(at("tasks[0].name"), "a, rate: 5Hz}");
  EXPECT_EQ(at("tasks[1].graph.nodes.x.cpu"), "1ms}");
  EXPECT_EQ(at("policy.virtual_sms.t1"), "1}}");
}

TEST_F(LocateTest, FollowsNamesInBrackets) {
  EXPECT_EQ(at("tasks[1].graph.nodes[\"a.b[0]\\\"\\\\\"].kernel"), "{registers_per_thread: 4}}");
  EXPECT_EQ(at("tasks[1].graph.nodes[\"x\"].cpu"), "1ms}");
}

TEST_F(LocateTest, KnowsOtherNamesOfTheSameThing) {
  EXPECT_EQ(at("tasks[0].period"), "5Hz}");
  EXPECT_EQ(at("tasks[1].graph.nodes[\"a.b[0]\\\"\\\\\"].kernel.registers"), "4}}");
}

TEST_F(LocateTest, StopsAtTheInnermostValueThatIsThere) {
  EXPECT_EQ(at("tasks[0].deadline"), "{name: a, rate: 5Hz}");
  EXPECT_EQ(at("tasks[0].name.more[3]"), "a, rate: 5Hz}");
  EXPECT_EQ(at("tasks[7].name"), "- {name: a, rate: 5Hz}");
  EXPECT_EQ(at("platform.gpu.sms"), "tasks:");
  EXPECT_EQ(at(""), "tasks:");
}

TEST_F(LocateTest, LeadsToWhatWasMostLikelyMeant) {
  const Value& task = root_->find("tasks")->items.at(0);
  reader_.note_misspelt(task, "deadline", *task.find("rate"));
  EXPECT_EQ(at("tasks[0].deadline"), "5Hz}");
  EXPECT_TRUE(reader_.is_rejected(locator_.find("tasks[0].deadline")));
}

TEST_F(LocateTest, FindsEveryKeyOfALargeMap) {
  std::string large;
  for (int i = 0; i < 100; ++i) large.append("k").append(std::to_string(i)).append(": v\n");
  const std::optional<Value> root = parse_document(large, TextPositions{large}, problems_);
  ASSERT_TRUE(root);
  Locator locator{*root, reader_};
  for (const Value::Entry& entry : root->entries) EXPECT_EQ(&locator.find(entry.key), &entry.value);
  EXPECT_EQ(&locator.find("k100"), &*root);
}

}  // namespace
}  // namespace tactus::io
