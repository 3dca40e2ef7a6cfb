// The candidates of a search that were judged, the nearest of them, and the limit.
#pragma once

#include <map>
#include <vector>

#include "tactus/plan/node_search.hpp"

namespace tactus::plan {

/// Thrown when a candidate holds, and when the limit is reached.
struct SearchOver {};

bool is_nearer(const NodeJudgement& a, const NodeJudgement& b);

class NodeTrials {
 public:
  NodeTrials(const NodeChoices& choices, std::int64_t limit, const Watch& watch)
      : choices_{choices}, watch_{watch}, limit_{limit} {
    result_.best = choices.first();
  }

  [[nodiscard]] const NodeChoices& choices() const { return choices_; }
  [[nodiscard]] std::int64_t limit() const { return limit_; }
  [[nodiscard]] std::int64_t tried() const { return result_.tried; }
  [[nodiscard]] bool is_known(const NodeCandidate& candidate) const { return known_.contains(candidate); }
  [[nodiscard]] bool all_ruled_out() const;
  [[nodiscard]] NodeSearchResult& result() { return result_; }

  NodeJudgement judge(const NodeCandidate& candidate);
  /// With the CPU work of some tasks, by dimension, on cores of their own. Where that is ruled out and
  /// nothing nearer was judged, it is kept as the reason.
  NodeJudgement judge_apart(const NodeCandidate& candidate, const std::vector<bool>& apart);

 private:
  void count();
  [[nodiscard]] NodeJudgement impossible() const;
  void note(const NodeCandidate& candidate, const NodeJudgement& judgement);
  void note_reason(const NodeJudgement& judgement);

  const NodeChoices& choices_;
  const Watch& watch_;
  std::int64_t limit_;
  NodeSearchResult result_;
  std::map<NodeCandidate, NodeJudgement> known_;
  bool has_best_ = false;
  std::string reason_;  // why the first was ruled out
};

}  // namespace tactus::plan
