// Generator `pruda`: the task sets of PRUDA, section 7.1, for the strategy `sm-cores` on two cores.
//
// Utilisations of the tasks of core 0, of core 1 and of both cores come from UUniFast. Each period is one of
// a list, C = T * u (at least 1 ns), D is uniform in [0.75 T, T]. The period of the reservations is one of a
// list too. The local window opens first and takes the share U(T_1) / (U(T_1) + U(T_B)) of it; the window for
// both cores takes the rest. The paper prints this share without the factor period: we read it as a share.
// The harmonic variant (Figure 8) draws task periods only from those that divide the period of the
// reservations or are multiples of it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "tactus/base/random.hpp"
#include "tactus/base/text.hpp"
#include "tactus/generate/generator.hpp"
#include "tactus/generate/job_tasks.hpp"
#include "tactus/generate/periods.hpp"
#include "tactus/generate/utilisations.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::generate {

namespace {

/// Tasks that share a core, or both of them.
struct Group {
  std::uint64_t number;  // distinguishes its draws
  std::string_view tasks_key;
  std::string_view utilisation_key;
  std::string_view prefix;  // of the names of its tasks
  SmAffinity sm;
};

constexpr std::array<Group, 3> groups{
    {{0, "tasks_1", "utilisation_1", "core0", {SmAffinity::Kind::one, 0}},
     {1, "tasks_2", "utilisation_2", "core1", {SmAffinity::Kind::one, 1}},
     {2, "tasks_all", "utilisation_all", "all", {SmAffinity::Kind::all, 0}}}};

constexpr Range group_sizes{0, 10'000};
constexpr Range at_least_2ns{2, Duration::max().count()};

std::span<const Parameter> specification() {
  using Kind = ParameterKind;
  static const std::array<Parameter, 13> all{{
      {"tasks_1", Kind::integer, "3", "tasks of core 0", optional, group_sizes},
      {"tasks_2", Kind::integer, "3", "tasks of core 1", optional, group_sizes},
      {"tasks_all", Kind::integer, "2", "tasks of both cores at once", optional, group_sizes},
      {"utilisation_1", Kind::decimal, "", "of all tasks of core 0 together; 0: there are none", required,
       at_most_1},
      {"utilisation_2", Kind::decimal, "", "the same for core 1; default: utilisation_1", optional,
       at_most_1},
      {"utilisation_all", Kind::decimal, "", "the same for tasks of both cores", required, at_most_1},
      {"periods", Kind::durations, "", "task periods to choose from", required, at_least_1ns},
      {"reservation_periods", Kind::durations, "",
       "periods of the reservations to choose from; default: periods", optional, at_least_2ns},
      {"harmonic", Kind::boolean, "false",
       "only task periods that divide the reservations' period or are multiples of it"},
      {"deadline_least", Kind::decimal, "0.75",
       "deadlines are uniform from this share of the period to all of it", optional, at_most_1},
      {"arrival", Kind::word, "periodic", "of all tasks", optional, anything, arrival_words()},
      {"order", Kind::word, "edf", "inside the windows", optional, anything, order_words()},
      {"block_share", Kind::decimal, "0",
       "longest block as a share of the job; 0: it can be preempted anywhere", optional, at_most_1},
  }};
  return all;
}

const Rational& utilisation_of(const Parameters& parameters, const Group& group) {
  const bool given = parameters.has(group.utilisation_key);
  return parameters.decimal(given ? group.utilisation_key : "utilisation_1");
}

const std::vector<Duration>& reservation_periods(const Parameters& parameters) {
  return parameters.durations(parameters.has("reservation_periods") ? "reservation_periods" : "periods");
}

/// The task periods that are harmonic with a reservation period.
std::vector<Duration> periods_beside(const Parameters& parameters, Duration reservation) {
  const std::vector<Duration>& all = parameters.durations("periods");
  if (!parameters.boolean("harmonic")) return all;
  std::vector<Duration> result;
  std::copy_if(all.begin(), all.end(), std::back_inserter(result), [&](Duration period) {
    return period % reservation == Duration{} || reservation % period == Duration{};
  });
  return result;
}

/// The local window's share of every reservation period. Needs work somewhere. Decimals of 64 bits that are
/// at most 1 have at most 18 digits, so this stays in 64 bits.
Rational local_share(const Parameters& parameters) {
  const Rational& local = parameters.decimal("utilisation_1");
  return local / (local + parameters.decimal("utilisation_all"));
}

/// The local window first, then the one for both cores; a window nobody needs is left out.
Reservations make_reservations(const Parameters& parameters, Duration period) {
  Reservations reservations;
  reservations.period = period;
  const Rational share = local_share(parameters);
  const bool has_local = share > Rational{0};
  const bool has_all = share < Rational{1};
  const Int128 exact = static_cast<Int128>(period.count()) * share.numerator() / share.denominator();
  Duration local{static_cast<std::int64_t>(exact)};
  if (has_local) local = std::max(local, Duration{1});
  if (has_all) local = std::min(local, period - Duration{1});
  if (has_local) reservations.local = Window{.offset = Duration{}, .budget = local};
  if (has_all) reservations.all = Window{.offset = local, .budget = period - local};
  return reservations;
}

std::vector<ParameterProblem> check(const Parameters& parameters) {
  std::vector<ParameterProblem> problems;
  const Rational none{0};
  bool some_work = false;
  for (const Group& group : groups) {
    const Rational& utilisation = utilisation_of(parameters, group);
    if (utilisation == none) continue;
    some_work = true;
    if (parameters.integer(group.tasks_key) > 0) continue;
    problems.push_back({group.tasks_key,
                        fmt::format("{} is 0, but its tasks are to have the utilisation {}", group.tasks_key,
                                    to_text(ParameterValue{utilisation})),
                        fmt::format("write at least 1, or {}: 0", group.utilisation_key)});
  }
  if (!some_work) {
    problems.push_back({"utilisation_1", "no task has any utilisation", "make one of them more than 0"});
    return problems;
  }
  const bool second_only =
      parameters.decimal("utilisation_1") == none && utilisation_of(parameters, groups[1]) > none;
  if (second_only) {
    problems.push_back({"utilisation_1", "utilisation_1 is 0, but utilisation_2 is not",
                        "the local window is as large as utilisation_1 needs: swap the two"});
  }
  for (const Duration period : reservation_periods(parameters)) {
    if (period < Duration{2}) {
      problems.push_back({"periods", "a reservation period of 1ns cannot be shared",
                          "use periods of 2ns or more, or give reservation_periods"});
    } else if (periods_beside(parameters, period).empty()) {
      problems.push_back(
          {"periods",
           fmt::format("no task period divides {} or is a multiple of it", tactus::to_text(period)),
           "harmonic: true needs one for every period of the reservations"});
    }
  }
  return problems;
}

System make(const Parameters& parameters, std::uint64_t seed) {
  System system;
  system.platform = find_preset("jetson-tx2").value();
  system.policy.strategy = strategy_named("sm-cores");
  system.policy.order = parameters.word("order") == "fp" ? Order::fp : Order::edf;
  system.policy.levels = system.platform.gpu.priority_levels;
  const Duration reservation =
      pick_from(reservation_periods(parameters), draw_bits(seed, Purpose::reservation, 0, 0));
  system.policy.reservations = make_reservations(parameters, reservation);
  const std::vector<Duration> periods = periods_beside(parameters, reservation);
  const Arrival arrival = arrival_of(parameters.word("arrival"));
  const BlockShare blocks{parameters.decimal("block_share")};
  for (const Group& group : groups) {
    const Rational& total = utilisation_of(parameters, group);
    if (total == Rational{0}) continue;
    const auto tasks = static_cast<std::size_t>(parameters.integer(group.tasks_key));
    const std::vector<Utilisation> shares = uunifast(tasks, Utilisation::of(total), seed, group.number);
    for (std::size_t i = 0; i < tasks; ++i) {
      const Duration period = pick_from(periods, draw_bits(seed, Purpose::period, group.number, i));
      const Duration deadline = uniform_deadline(period, parameters.decimal("deadline_least"),
                                                 draw_bits(seed, Purpose::deadline, group.number, i));
      Task task =
          make_job_task(fmt::format("{}-{}", group.prefix, i), arrival, period, deadline, shares[i], blocks);
      task.sm = group.sm;
      system.tasks.push_back(std::move(task));
    }
  }
  return system;
}

}  // namespace

Generator pruda() {
  return {.id = "pruda",
          .title = "GPU jobs on two SMs and on both at once, in time-triggered windows",
          .source = "PRUDA, section 7.1.1",
          .parameters = specification(),
          .check = check,
          .make = make};
}

}  // namespace tactus::generate
