#include "tactus/analysis/composition.hpp"

#include <utility>

#include "tactus/analysis/composition_state.hpp"
#include "tactus/analysis/composition_task.hpp"
#include "tactus/analysis/effort.hpp"

namespace tactus::analysis {

namespace {

constexpr int max_sweeps = 5000;

std::optional<Duration> duration(const std::optional<std::int64_t>& count) {
  return count ? std::optional{Duration{*count}} : std::nullopt;
}

ChainBound bound_of(const ChainUnknowns& unknowns) {
  ChainBound bound;
  bound.response = duration(unknowns.response);
  bound.calm = unknowns.calm && unknowns.response;
  for (const NodeUnknowns& node : unknowns.nodes) {
    NodeBound& known = bound.nodes.emplace_back();
    if (!unknowns.response) continue;
    known = {duration(node.ready), duration(node.end), duration(node.response)};
  }
  return bound;
}

}  // namespace

ChainBounds bound_chains(const ChainSystem& system, ChainForm form) {
  struct Reason {
    NoBound why = NoBound::none;
    std::size_t because_of = 0;
    std::vector<ServerStay> stays{};
  };
  foresee_pairs(system.tasks.size());
  CompositionState state{system, form};
  std::vector<Reason> reasons(system.tasks.size());
  ChainBounds bounds;
  bounds.gave_up = true;
  while (bounds.gave_up && bounds.sweeps < max_sweeps) {
    ++bounds.sweeps;
    bounds.gave_up = false;
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      if (!state.unknowns(i).response) continue;
      ChainStep step = next_unknowns(state, i);
      if (step.unknowns == state.unknowns(i)) continue;
      bounds.gave_up = true;  // not yet at the fixed point
      reasons[i] = {step.why, step.because_of, std::move(step.stays)};
      state.set(i, std::move(step.unknowns));
    }
  }
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    ChainUnknowns unknowns = state.unknowns(i);
    if (bounds.gave_up && unknowns.response) {
      unknowns.response.reset();
      reasons[i].why = NoBound::gave_up;
    }
    if (system.tasks[i].best_effort) reasons[i].why = NoBound::best_effort;
    ChainBound& bound = bounds.tasks.emplace_back(bound_of(unknowns));
    bound.why = reasons[i].why;
    bound.because_of = reasons[i].because_of;
    bound.stays = std::move(reasons[i].stays);
  }
  return bounds;
}

}  // namespace tactus::analysis
