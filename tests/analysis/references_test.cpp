#include "tactus/analysis/references.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/source_folder.hpp"
#include "tactus/analysis/json.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/base/file.hpp"

namespace tactus::analysis {
namespace {

using testing::HasSubstr;

TEST(References, EveryAnalysisThatIsNotOursNamesOne) {
  for (const Analysis& analysis : registry()) {
    if (analysis.source == "ours" || analysis.source == "Tactus") continue;
    EXPECT_FALSE(references_of(analysis).empty()) << analysis.id << ": " << analysis.source;
  }
}

TEST(References, ABaselineNamesItsOwnPaperAndTheOneThatCompares) {
  const Analysis* stgm = find("stgm");
  ASSERT_NE(stgm, nullptr);
  const std::vector<Reference> named = references_of(*stgm);
  ASSERT_EQ(named.size(), 2U);
  EXPECT_EQ(named[0].name, "RTGPU");
  EXPECT_EQ(named[1].name, "STGM");
}

TEST(References, ThePageAndTheCitationFileHaveTheSameIdentifiers) {
  const std::string page = read_file(test::in_repository("docs/analyses.md"));
  const std::string citation = read_file(test::in_repository("CITATION.cff"));
  for (const Reference& reference : references()) {
    if (reference.doi.empty()) continue;
    EXPECT_THAT(page, HasSubstr("https://doi.org/" + std::string{reference.doi}));
  }
  EXPECT_THAT(citation, HasSubstr("doi: 10.1145/3394810.3394826"));
  EXPECT_THAT(citation, HasSubstr("doi: 10.1109/TPDS.2023.3235439"));
}

TEST(References, AreJson) {
  const nlohmann::ordered_json json = to_json(*find("np-edf"));
  ASSERT_EQ(json["references"].size(), 2U);
  EXPECT_EQ(json["references"][0]["name"], "PRUDA");
  EXPECT_EQ(json["references"][0]["doi"], "10.1145/3394810.3394826");
  EXPECT_EQ(json["references"][1]["name"], "Jeffay, Stanat and Martel");
}

}  // namespace
}  // namespace tactus::analysis
