#include "tactus/cli/select.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "tactus/analysis/registry.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"

namespace tactus::cli {

std::vector<const analysis::Analysis*> select_analyses(const std::vector<std::string>& ids) {
  std::vector<const analysis::Analysis*> selected;
  std::vector<Problem> problems;
  std::vector<std::string_view> known;
  for (const analysis::Analysis& entry : analysis::registry()) known.push_back(entry.id);
  for (const std::string& id : ids) {
    const analysis::Analysis* found = analysis::find(id);
    if (found != nullptr) {
      selected.push_back(found);
      continue;
    }
    const std::string_view near = nearest_name(id, known);
    problems.push_back(
        {.file = {},
         .line = 0,
         .column = 0,
         .message = "unknown analysis '" + id + "'",
         .hint = near.empty() ? "`tactus analyses` lists them" : fmt::format("did you mean '{}'?", near),
         .id = ProblemId::unknown_analysis});
  }
  if (!problems.empty()) throw InputError{std::move(problems)};
  return selected;
}

}  // namespace tactus::cli
