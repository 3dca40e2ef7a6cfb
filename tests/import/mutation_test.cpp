// Broken models are answered, whatever is wrong with them: never a crash, never a hang. Whatever becomes a
// system is one that can be written and read.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "import/models.hpp"
#include "support/source_folder.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/random.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::import {
namespace {

std::uint64_t draw(std::uint64_t seed, std::uint64_t index) {
  return draw_bits(seed, Purpose::system, 0, index, 0);
}

/// Reads the text with all options that could matter, and looks only at what must always hold.
void expect_answer(const std::string& text) {
  for (const bool open : {false, true}) {
    Options options;
    options.open = open;
    options.loops = 3;
    options.deviations = Rational{3};
    try {
      std::vector<SourceText> sources = sources_of("m.amxmi", text);
      const Imported model = import_model(std::move(sources), "m.amxmi", options);
      EXPECT_NE(model.converted.has_value(), !model.problems.empty());
      if (!model.converted) continue;
      const std::string file = to_commented_file(model);
      const ReadResult read =
          read_system(file, "m.yaml", open ? Completeness::to_be_planned : Completeness::complete);
      EXPECT_TRUE(read.system) << (read.problems.empty() ? "" : read.problems[0].message) << "\n" << file;
    } catch (const InputError& error) {
      EXPECT_FALSE(error.problems().empty());
    }
  }
}

std::vector<std::string> examples() {
  return {read_file(test::in_repository("examples/amalthea/camera.amxmi")),
          read_file(test::in_repository("examples/amalthea/kernels.amxmi"))};
}

/// Words of the format that take another's place.
const std::vector<std::string> words{
    "Task",          "Runnable", "Label",    "PeriodicStimulus", "InterProcessStimulus", "ProcessingUnit",
    "TaskScheduler", "OsEvent",  "am:Ticks", "am:RunnableCall",  "am:WaitEvent",         "am:LabelAccess",
    "value",         "unit",     "name"};
const std::vector<std::string> values{"",
                                      "0",
                                      "-1",
                                      "99999999999999999999",
                                      "1.0E308",
                                      "NaN",
                                      "9223372036854775807",
                                      "1E18",
                                      "0.00001",
                                      "\xc2\xb5",
                                      "&lt;",
                                      "a b",
                                      "%",
                                      "Camera?type=Task"};

std::string mutated(std::string text, std::uint64_t seed) {
  const std::uint64_t changes = 1 + draw(seed, 0) % 3;
  for (std::uint64_t i = 1; i <= changes; ++i) {
    const std::size_t at = draw(seed, 10 * i) % text.size();
    switch (draw(seed, 10 * i + 1) % 6) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text.erase(at, 1 + draw(seed, 10 * i + 2) % 200);
        break;
      case 2: {  // another value of an attribute
        const std::size_t begin = text.find("=\"", at);
        if (begin == std::string::npos) break;
        const std::size_t end = text.find('"', begin + 2);
        if (end == std::string::npos) break;
        text.replace(begin + 2, end - begin - 2, values[draw(seed, 10 * i + 3) % values.size()]);
        break;
      }
      case 3: {  // another word
        const std::string& from = words[draw(seed, 10 * i + 4) % words.size()];
        const std::size_t begin = text.find(from, at);
        if (begin != std::string::npos)
          text.replace(begin, from.size(), words[draw(seed, 10 * i + 5) % words.size()]);
        break;
      }
      case 4: {  // a piece again, somewhere else
        const std::string piece = text.substr(at, draw(seed, 10 * i + 6) % 400);
        text.insert(draw(seed, 10 * i + 7) % text.size(), piece);
        break;
      }
      default:
        text[at] = static_cast<char>(draw(seed, 10 * i + 8) % 128);
        break;
    }
    if (text.empty()) text = "<";
  }
  return text;
}

TEST(MutatedModels, AreAllAnswered) {
  for (const std::string& example : examples()) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      SCOPED_TRACE(seed);
      expect_answer(mutated(example, seed));
    }
  }
}

TEST(MutatedModels, CutAnywhereAreAnswered) {
  for (const std::string& example : examples()) {
    for (std::size_t size = 0; size < example.size(); size += 97) expect_answer(example.substr(0, size));
  }
}

/// Runnables that call the next one twice: as many calls as 2 to the number of them.
TEST(HostileModels, CallsThatMultiplyEnd) {
  std::string runnables;
  for (int i = 0; i < 90; ++i) {
    const std::string next = call("r" + std::to_string(i + 1));
    runnables += "<runnables name=\"r" + std::to_string(i) + "\"><activityGraph>" + next + next +
                 "</activityGraph></runnables>";
  }
  for (
      const std::string& last :
      {runnable("r90", 1, 0),
       std::string{
           R"(<runnables name="r90"><activityGraph><items xsi:type="am:SetEvent"/></activityGraph></runnables>)"}}) {
    expect_answer(model_text("<swModel>" + task("A", "every_10ms?type=PeriodicStimulus", call("r0")) +
                             runnables + last + "</swModel><stimuliModel>" + every(10) + "</stimuliModel>" +
                             small_hardware + small_os + mapping(on_core("A", "C0"))));
  }
}

TEST(HostileModels, ChoicesWithinChoicesEnd) {
  std::string open;
  std::string closed;
  for (int i = 0; i < 60; ++i) {
    open += R"(<items xsi:type="am:Switch"><entries>)";
    closed += "</entries></items>";
  }
  expect_answer(model_text("<swModel>" +
                           task("A", "every_10ms?type=PeriodicStimulus", open + call("r") + closed) +
                           runnable("r", 1000, 0) + "</swModel><stimuliModel>" + every(10) +
                           "</stimuliModel>" + small_hardware + small_os + mapping(on_core("A", "C0"))));
}

}  // namespace
}  // namespace tactus::import
