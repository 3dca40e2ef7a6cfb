// The words of system files for the enumerations of the model; reading and writing use the same lists.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "tactus/model/effect_chain.hpp"
#include "tactus/model/platform.hpp"
#include "tactus/model/policy.hpp"
#include "tactus/model/segment.hpp"
#include "tactus/model/task.hpp"

namespace tactus::io {

/// Word and value of an enumeration.
template <typename T>
struct Choice {
  std::string_view word;
  T value;
};

namespace words {

/// Strategies have no fixed list: programs may register their own.
inline std::vector<Choice<StrategyRef>> strategies() {
  std::vector<Choice<StrategyRef>> all;
  for (const StrategyRef strategy : known_strategies()) all.push_back({strategy->name, strategy});
  return all;
}

inline constexpr std::array<Choice<SmChoice>, 4> sm_choices{{{"most-free", SmChoice::most_free},
                                                             {"first-fit", SmChoice::first_fit},
                                                             {"best-fit", SmChoice::best_fit},
                                                             {"round-robin", SmChoice::round_robin}}};

inline constexpr std::array<Choice<Order>, 3> orders{
    {{"edf", Order::edf}, {"fp", Order::fp}, {"fl", Order::fair_lateness}}};
inline constexpr std::array<Choice<Refill>, 2> refills{
    {{"lazy", Refill::lazy}, {"immediate", Refill::immediate}}};
inline constexpr std::array<Choice<ClusterMode>, 2> cluster_modes{
    {{"global", ClusterMode::global}, {"per-cluster", ClusterMode::per_cluster}}};

inline constexpr std::array<Choice<CpuScope>, 3> cpu_scopes{{{"partitioned", CpuScope::partitioned},
                                                             {"global", CpuScope::global},
                                                             {"clustered", CpuScope::clustered}}};
inline constexpr std::array<Choice<CopyOrder>, 3> copy_orders{
    {{"fp", CopyOrder::fp}, {"edf", CopyOrder::edf}, {"fifo", CopyOrder::fifo}}};
inline constexpr std::array<Choice<Waiting>, 2> waiting{
    {{"suspend", Waiting::suspend}, {"busy", Waiting::busy}}};

inline constexpr std::array<Choice<Dispatch>, 3> dispatches{
    {{"launch", Dispatch::launch}, {"doorbell", Dispatch::doorbell}, {"resident", Dispatch::resident}}};

inline constexpr std::array<Choice<Arrival>, 4> arrivals{{{"periodic", Arrival::periodic},
                                                          {"sporadic", Arrival::sporadic},
                                                          {"once", Arrival::once},
                                                          {"best-effort", Arrival::best_effort}}};
inline constexpr std::array<Choice<OnOverrun>, 4> overrun_actions{{{"continue", OnOverrun::proceed},
                                                                   {"skip-next", OnOverrun::skip_next},
                                                                   {"abort", OnOverrun::abort},
                                                                   {"demote", OnOverrun::demote}}};
inline constexpr std::array<Choice<OnMiss>, 3> miss_actions{
    {{"continue", OnMiss::proceed}, {"skip-next", OnMiss::skip_next}, {"stop", OnMiss::stop}}};
inline constexpr std::array<Choice<OnFull>, 3> full_actions{
    {{"drop-newest", OnFull::drop_newest}, {"drop-oldest", OnFull::drop_oldest}, {"block", OnFull::block}}};
inline constexpr std::array<Choice<CopyDirection>, 2> directions{
    {{"to-device", CopyDirection::to_device}, {"from-device", CopyDirection::from_device}}};

inline constexpr std::array<Choice<Communication>, 4> communications{
    {{"register", Communication::latest_value},
     {"queue", Communication::queue},
     {"let", Communication::let},
     {"let-period", Communication::let_period}}};

}  // namespace words

/// The word for a value; empty for one that no file can name.
template <typename Choices, typename T>
constexpr std::string_view word_of(const Choices& choices, T value) {
  const auto found =
      std::find_if(choices.begin(), choices.end(), [&](const auto& choice) { return choice.value == value; });
  return found == choices.end() ? std::string_view{} : found->word;
}

}  // namespace tactus::io
