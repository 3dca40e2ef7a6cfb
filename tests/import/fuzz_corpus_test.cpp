// The promises that the fuzzer checks, over its corpus and over the examples.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "fuzz/model_promises.hpp"
#include "support/source_folder.hpp"
#include "tactus/base/file.hpp"

namespace tactus::import {
namespace {

TEST(ModelCorpus, KeepsEveryPromise) {
  std::size_t files = 0;
  for (const char* folder : {"tests/fuzz/model_corpus", "examples/amalthea"}) {
    for (const auto& entry : std::filesystem::directory_iterator{test::in_repository(folder)}) {
      ++files;
      EXPECT_EQ(test::broken_model_promise(read_file(entry.path())), "") << entry.path();
    }
  }
  EXPECT_GE(files, 8U);
}

}  // namespace
}  // namespace tactus::import
