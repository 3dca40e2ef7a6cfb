#include "tactus/io/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::io {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Outline, TellsSystemFilesFromOthers) {
  for (const char* system : {"tactus: 1\n", "{tactus: 1, tasks: []}", "# first\ntactus: 1\nplatform: [",
                             "platform: h200\ntasks: []\n", "tactus: one\n"}) {
    EXPECT_TRUE(is_meant_as_system(system)) << system;
  }
  for (const char* other : {"", "name: tactus\n", "jobs: {build: 1}\n", "tactus-experiment: 1\nname: x\n",
                            "platform: h200\n", "{{ helm }} tactus", "# tactus: 1\n",
                            "tactus-experiment: 1\nplatform: h200\ntasks: 3\n", "- tactus: 1\n"}) {
    EXPECT_FALSE(is_meant_as_system(other)) << other;
  }
}

TEST(Outline, FindsTheTasks) {
  EXPECT_THAT(task_places("tasks:\n  - {period: 1ms, name: a}\n  - name: b\n  - period: 2ms\n"),
              ElementsAre(TextPosition{2, 25}, TextPosition{3, 11}, TextPosition{4, 5}));
  EXPECT_THAT(task_places("tasks: 5\n"), IsEmpty());
  EXPECT_THAT(task_places("{"), IsEmpty());
}

}  // namespace
}  // namespace tactus::io
