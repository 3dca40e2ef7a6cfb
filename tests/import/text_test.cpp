// Words and numbers of reports.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "import/models.hpp"
#include "tactus/import/json.hpp"
#include "tactus/import/loads.hpp"

namespace tactus::import {
namespace {

TEST(Text, ModeLabelsAreCountedBesideLabels) {
  EXPECT_EQ(
      labels_text(
          imported("<swModel><labels name=\"a\"/><modeLabels name=\"m\"/><modeLabels name=\"n\"/></swModel>")
              .census),
      "1 label, 2 mode labels");
  EXPECT_EQ(labels_text(Census{}), "0 labels");
}

TEST(Text, AveragesAreRoundedToTheNearestTenth) {
  EXPECT_EQ(average_percent(Rational{3651, 10'000}), "36.5 %");
  EXPECT_EQ(average_percent(Rational{3655, 10'000}), "36.6 %");
  EXPECT_EQ(average_percent(Rational{99'996, 100'000}), "100.0 %");
  EXPECT_EQ(average_percent(Rational{1}), "100.0 %");
  EXPECT_EQ(average_percent(Rational{100'001, 100'000}), "100.1 %");
  EXPECT_EQ(average_percent(Rational{}), "0.0 %");
}

TEST(Text, JsonHasAveragesToTheNearestPartInAMillionToo) {
  const Imported model =
      imported("<swModel>" + task("A", "every_10ms?type=PeriodicStimulus", call("r")) +
               runnable("r", 1001, 0) + "</swModel><stimuliModel>" + every(10) + "</stimuliModel>" +
               small_hardware + small_os + mapping(on_core("A", "C0")));
  const nlohmann::ordered_json unit = to_json(model)["units"][0];
  EXPECT_EQ(unit["average_ppm"], 100);
  EXPECT_EQ(unit["worst_ppm"], 101);
}

TEST(Text, KernelsOfSeveralBlocksSayHowMany) {
  const auto part = [](PartKind kind, std::int64_t milliseconds, std::optional<std::int64_t> blocks) {
    const Rational time{milliseconds * 1'000'000};
    Part made{.kind = kind, .time = {time, time, time}, .from = {}};
    made.grid.blocks = blocks;
    return made;
  };
  EXPECT_EQ(work_text({part(PartKind::cpu, 2, {}), part(PartKind::copy, 1, {}), part(PartKind::gpu, 6, 7),
                       part(PartKind::gpu, 5, 1), part(PartKind::gpu, 4, {})}),
            "cpu 2ms, copy 1ms, gpu 7 x 6ms, gpu 5ms, gpu 4ms");
}

}  // namespace
}  // namespace tactus::import
