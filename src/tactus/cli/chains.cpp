#include "tactus/cli/chains.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "tactus/base/text.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/words.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

using analysis::EffectResult;
using trace::ChainStatistics;
using trace::FlowTimes;

namespace {

/// Reaction and age are shown alike.
struct Aspect {
  const char* name;
  std::optional<Duration> EffectResult::*limit;
  std::optional<Duration> EffectResult::*bound;
  FlowTimes ChainStatistics::*times;
};
constexpr std::array<Aspect, 2> aspects{
    {{"reaction", &EffectResult::reaction_limit, &EffectResult::reaction_bound, &ChainStatistics::reaction},
     {"age", &EffectResult::age_limit, &EffectResult::age_bound, &ChainStatistics::age}}};

std::string text_or_dash(const std::optional<Duration>& time) { return time ? to_text(*time) : "-"; }
std::string up_or_dash(const std::optional<Duration>& time, const std::optional<Duration>& limit) {
  return time ? rounded_up_text(*time, limit) : "-";
}

std::vector<report::Cell> first_cells(const EffectResult& chain, const Aspect& aspect) {
  return {chain.name, std::string{io::word_of(io::words::communications, chain.communication)}, aspect.name};
}

}  // namespace

std::string chain_bounds_text(std::span<const EffectResult> chains) {
  if (chains.empty()) return {};
  report::Table table{{"chain", "communication", "time"}, {"limit", "bound", "slack"}};
  std::string reasons;
  for (const EffectResult& chain : chains) {
    if (chain.latency_bound) {
      reasons += fmt::format("chain '{}': {} from the release that samples to the output.\n", chain.name,
                             to_text(*chain.latency_bound));
    }
    for (const Aspect& aspect : aspects) {
      const std::optional<Duration>& limit = chain.*aspect.limit;
      const std::optional<Duration>& bound = chain.*aspect.bound;
      std::vector<report::Cell> row = first_cells(chain, aspect);
      row.emplace_back(text_or_dash(limit));
      row.emplace_back(up_or_dash(bound, limit));
      row.emplace_back(limit && bound ? rounded_text(*limit - *bound, Rounding::down) : "-",
                       limit && bound && *bound > *limit ? report::Tone::bad : report::Tone::plain);
      table.add_row(std::move(row));
    }
    if (!chain.reason.empty()) {
      reasons += fmt::format("chain '{}': {}{}.\n", chain.name,
                             chain.ok() ? "" : std::string{to_string(chain.verdict)} + "; ", chain.reason);
    }
  }
  return table.to_text(wants_colour(), text_width()) + (reasons.empty() ? "" : "\n" + reasons);
}

std::string chain_times_text(std::span<const EffectResult> chains, std::span<const ChainStatistics> seen) {
  if (chains.empty()) return {};
  report::Table table{{"chain", "communication", "time"}, {"seen", "misses", "max", "limit", "bound"}};
  std::string lines;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const EffectResult& chain = chains[i];
    for (const Aspect& aspect : aspects) {
      const FlowTimes& times = seen[i].*aspect.times;
      const std::optional<Duration>& limit = chain.*aspect.limit;
      std::vector<report::Cell> row = first_cells(chain, aspect);
      row.emplace_back(with_thousands(times.seen));
      row.emplace_back(with_thousands(times.misses),
                       times.misses > 0 ? report::Tone::bad : report::Tone::plain);
      row.emplace_back(up_or_dash(times.max, limit));
      row.emplace_back(text_or_dash(limit));
      row.emplace_back(up_or_dash(chain.*aspect.bound, limit));
      table.add_row(std::move(row));
      if (times.misses == 0) continue;
      const std::string open =
          times.open_misses == 0
              ? ""
              : fmt::format(" ({} of them not over at the end, and so not seen)", times.open_misses);
      lines += fmt::format("Chain '{}': its {} passed its limit of {} {}{}, up to {}{}.\n", chain.name,
                           aspect.name, to_text(*limit), plural(times.misses, "time"), open,
                           to_text(*times.longest_known), times.longest_known > times.max ? " or more" : "");
    }
    if (!seen[i].complete) {
      lines += fmt::format(
          "Chain '{}' was followed only in part: too many jobs were pending, or events were "
          "lost.\n",
          chain.name);
    }
  }
  return table.to_text(wants_colour(), text_width()) + "\n" + lines;
}

}  // namespace tactus::cli
