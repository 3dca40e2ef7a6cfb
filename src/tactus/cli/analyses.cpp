// tactus analyses: lists the analyses and what they require.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "tactus/analysis/json.hpp"
#include "tactus/analysis/references.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/cli/verb.hpp"

namespace tactus::cli {

namespace {

int run(bool json) {
  if (json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const analysis::Analysis& entry : analysis::registry()) all.push_back(to_json(entry));
    print(all.dump() + "\n");
    return answer_yes;
  }
  for (const analysis::Analysis& entry : analysis::registry()) {
    print_text(fmt::format("{}\n  {}\n  {}, {}{}\n  source: {}\n  needs:  {}\n", entry.id, entry.title,
                           to_string(entry.kind), entry.sound ? "sound" : "NOT sound (as published)",
                           entry.run_time_model.empty() ? "" : fmt::format(", if {}", entry.run_time_model),
                           entry.source, entry.needs));
  }
  print("\nsources\n");
  for (const analysis::Reference& reference : analysis::references()) {
    print_text(fmt::format("  {}: {}.{}\n", reference.name, reference.citation,
                           reference.doi.empty() ? "" : fmt::format(" doi:{}", reference.doi)));
  }
  return answer_yes;
}

}  // namespace

void add_analyses(Verb app) {
  const Verb verb = app.add_verb("analyses", "Which analyses there are, and the model each needs");
  const auto json = std::make_shared<bool>(false);
  verb.add_flag("--json", *json, "JSON for machines");
  verb.footer("\nExample:\n  tactus analyses");
  verb.runs([json] { return run(*json); });
}

}  // namespace tactus::cli
