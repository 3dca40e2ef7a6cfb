#include "tactus/plan/node_trials.hpp"

#include <algorithm>
#include <limits>

#include "tactus/plan/node_judge.hpp"

namespace tactus::plan {

bool is_nearer(const NodeJudgement& a, const NodeJudgement& b) {
  if (a.ruled_out != b.ruled_out) return !a.ruled_out;
  if (a.excess != b.excess) return a.excess < b.excess;
  return a.load < b.load;
}

bool NodeTrials::all_ruled_out() const {
  return std::all_of(known_.begin(), known_.end(), [](const auto& known) { return known.second.ruled_out; });
}

NodeJudgement NodeTrials::judge(const NodeCandidate& candidate) {
  if (const auto known = known_.find(candidate); known != known_.end()) return known->second;
  stop_if_asked(watch_);
  const std::optional<System> system = choices_.complete(candidate);
  if (!system) return impossible();
  count();
  NodeJudgement judgement = judge_nodes(*system, watch_);
  known_.emplace(candidate, judgement);
  note_reason(judgement);
  if (judgement.holds || !has_best_ || is_nearer(judgement, result_.judgement)) note(candidate, judgement);
  if (judgement.holds) {
    result_.found = true;
    throw SearchOver{};
  }
  return judgement;
}

NodeJudgement NodeTrials::judge_apart(const NodeCandidate& candidate, const std::vector<bool>& apart) {
  stop_if_asked(watch_);
  if (std::find(apart.begin(), apart.end(), true) == apart.end()) return judge(candidate);
  const std::optional<System> system = choices_.with_cores_apart(candidate, apart);
  if (!system) return impossible();
  count();
  NodeJudgement judgement = judge_nodes(*system, watch_);
  note_reason(judgement);
  const bool is_nearest = !has_best_ || is_nearer(judgement, result_.judgement);
  if (judgement.ruled_out && is_nearest) note(candidate, judgement);
  return judgement;
}

void NodeTrials::note(const NodeCandidate& candidate, const NodeJudgement& judgement) {
  result_.best = candidate;
  result_.judgement = judgement;
  has_best_ = true;
}

void NodeTrials::note_reason(const NodeJudgement& judgement) {
  if (!judgement.ruled_out) return;
  if (reason_.empty()) reason_ = judgement.why_ruled_out;
  if (reason_ != judgement.why_ruled_out) result_.has_several_reasons = true;
}

void NodeTrials::count() {
  if (result_.tried == limit_) throw SearchOver{};
  ++result_.tried;
  constexpr std::int64_t seldom = 16;
  if (result_.tried % seldom == 0) watch_.show(-1);
}

NodeJudgement NodeTrials::impossible() const {
  NodeJudgement judgement;
  judgement.excess = std::numeric_limits<std::int64_t>::max();
  judgement.tasks.resize(choices_.system().tasks.size());
  judgement.past.resize(choices_.system().tasks.size());
  return judgement;
}

}  // namespace tactus::plan
