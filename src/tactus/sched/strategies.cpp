#include "tactus/sched/strategies.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "tactus/base/error.hpp"

namespace tactus {

namespace sched {

namespace {

std::vector<const StrategyEntry*>& entries() {
  static std::vector<const StrategyEntry*> all{&as_submitted, &single_stream, &multi_stream, &sm_cores,
                                               &federated,    &time_sliced,   &graph};
  return all;
}

}  // namespace

std::vector<SmSetId> Strategy::sm_sets_of(TaskIndex /*task*/, std::uint32_t /*segment*/) const {
  std::vector<SmSetId> sets;
  for (const Lane& lane : lanes()) {
    if (std::find(sets.begin(), sets.end(), lane.sms) == sets.end()) sets.push_back(lane.sms);
  }
  return sets;
}

const StrategyEntry* find_strategy(StrategyRef strategy) {
  const auto found = std::find_if(entries().begin(), entries().end(), [&](const StrategyEntry* entry) {
    return StrategyRef{entry->facts} == strategy;
  });
  return found == entries().end() ? nullptr : *found;
}

void add_strategy(const StrategyEntry& entry) {
  for (const StrategyRef known : known_strategies()) {
    if (known->name == entry.facts.name) {
      throw InputError{"there is already a strategy " + std::string{known->name}, "names are unique"};
    }
  }
  if (entry.facts.streams_of_tasks && entry.facts.stream_names == nullptr) {
    throw InputError{
        "the strategy " + std::string{entry.facts.name} + " has no names for the streams of tasks",
        "give its facts `stream_names`, or leave `streams_of_tasks` out"};
  }
  entries().push_back(&entry);
}

}  // namespace sched

StrategyRef::StrategyRef() : StrategyRef{sched::as_submitted.facts} {}

std::vector<StrategyRef> known_strategies() {
  std::vector<StrategyRef> all;
  for (const sched::StrategyEntry* entry : sched::entries()) all.emplace_back(entry->facts);
  return all;
}

StrategyRef strategy_named(std::string_view name) {
  const std::vector<StrategyRef> all = known_strategies();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](StrategyRef strategy) { return strategy->name == name; });
  if (found == all.end()) throw InputError{"there is no strategy " + std::string{name}};
  return *found;
}

}  // namespace tactus
