// What the importer promises for every text, however broken. The fuzzer and an ordinary test over its corpus
// check the same promises.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/system_file_promises.hpp"
#include "tactus/import/import.hpp"

namespace tactus::test {

inline std::string broken_model_promise(const import::Imported& model, bool open) {
  if (model.converted.has_value() == !model.problems.empty()) return "not exactly one of system and problems";
  for (const Problem& one : model.problems) {
    if (!is_one_printable_line(one.message)) return "a message that cannot be printed: " + one.message;
  }
  for (const import::Finding& one : model.findings) {
    if (!is_one_printable_line(one.message)) return "a finding that cannot be printed: " + one.message;
  }
  if (!model.converted) return {};
  const ReadResult read = read_system(to_commented_file(model), "fuzz.yaml",
                                      open ? Completeness::to_be_planned : Completeness::complete);
  if (!read.system) return "a system that cannot be read: " + to_string(read.problems.front());
  return *read.system == model.converted->system ? "" : "a system that is read differently";
}

/// The first promise that is not kept for the text of a model; empty when all are.
inline std::string broken_model_promise(std::string_view text) {
  for (const bool open : {false, true}) {
    auto options = import::Options{};
    options.open = open;
    options.loops = 3;
    options.deviations = Rational{3};
    try {
      std::vector<import::SourceText> sources = import::sources_of("fuzz.amxmi", std::string{text});
      const import::Imported model = import::import_model(std::move(sources), "fuzz.amxmi", options);
      if (std::string broken = broken_model_promise(model, open); !broken.empty()) return broken;
    } catch (const InputError& error) {
      if (error.problems().empty()) return "a refusal without a problem";
    }
  }
  return {};
}

}  // namespace tactus::test
