// Plans of federated systems against plain enumerations: every division, every total, every order, every
// factor that is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "support/effort.hpp"
#include "support/generator_settings.hpp"
#include "support/random_systems.hpp"
#include "support/small_federated.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/plan/plan.hpp"
#include "tactus/plan/planned_allocation.hpp"
#include "tactus/plan/priorities.hpp"
#include "tactus/plan/rate_search.hpp"

namespace tactus::test {
namespace {

using analysis::Verdict;
using testing::IsEmpty;

bool accepts(const System& system) {
  return analysis::rtgpu(system).verdict == Verdict::schedulable ||
         analysis::rtgpu_tight(system).verdict == Verdict::schedulable;
}

void expect_complete(const System& system, const plan::Plan& planned) {
  EXPECT_THAT(validate(planned.planned), IsEmpty());
  EXPECT_THAT(find_missing_parameters(planned.planned), IsEmpty());
  EXPECT_EQ(analysis::check(planned.planned).verdict, Verdict::schedulable);
  const std::string file = to_system_file(planned.planned);
  const ReadResult again = read_system(file, planned.planned.name + ".yaml");
  ASSERT_TRUE(again.system);
  EXPECT_EQ(to_system_file(*again.system), file);
  EXPECT_EQ(again.system->virtual_sms, planned.planned.virtual_sms);
  EXPECT_EQ(analysis::check(*again.system).verdict, Verdict::schedulable);
  for (std::size_t i = 0; i < system.virtual_sms.size(); ++i) {
    if (system.virtual_sms[i]) {
      EXPECT_EQ(planned.planned.virtual_sms[i], system.virtual_sms[i]);
    }
  }
  EXPECT_EQ(planned.sms->used, plan::given_sms(planned.planned));
  EXPECT_LE(planned.sms->used, planned.sms->available);
}

/// What came of many plans.
struct Tally {
  int found = 0;
  int not_found = 0;
  int other_orders = 0;  // than that of the deadlines
};

/// Whether only the composed tests accept it.
bool is_composed(const plan::Plan& planned) {
  return planned.accepted_by.starts_with("chain") || planned.accepted_by.starts_with("plain");
}

void plan_and_judge(const System& system, Tally& tally) {
  SCOPED_TRACE(describe(system));
  const plan::Plan planned = plan::plan(system);
  if (planned.found) {
    ++tally.found;
    expect_complete(system, planned);
    const bool reordered = plan::gives_priorities(planned.planned);
    if (is_composed(planned)) {
      EXPECT_FALSE(accepts(system));
      return;
    }
    if (reordered) ++tally.other_orders;
    // Other orders are for systems that the order of deadlines does not make hold.
    EXPECT_EQ(reordered, !accepts(system));
  } else {
    ++tally.not_found;
    EXPECT_FALSE(accepts(system));
    EXPECT_NE(planned.why_not, "");
  }
}

TEST(FederatedPlans, OfGeneratedSystemsPassTheCheckAndNoneIsLost) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < tries(100U); ++seed) {
    const std::uint64_t tenths = 5 + seed % 10;
    const std::string utilisation = std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
    const Settings settings{{"tasks", "4"},
                            {"subtasks", "3"},
                            {"utilisation", utilisation},
                            {"length_ratio", seed % 2 == 0 ? "1:1" : "1:4"},
                            {"copies", seed % 3 == 0 ? "one" : "two"},
                            {"sms", "6"}};
    System system = make_system("rtgpu", settings, seed);
    system.name = "generated";
    plan_and_judge(system, tally);
  }
  if constexpr (is_watched) return;  // too few for rates
  EXPECT_GE(tally.found, 30);
  EXPECT_GE(tally.not_found, 10);
}

TEST(FederatedPlans, OfSmallSystemsPassTheCheckAndNoneIsLost) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < tries(400U); ++seed)
    plan_and_judge(small_federated_system(seed), tally);
  if constexpr (is_watched) return;
  EXPECT_GE(tally.found, 50);
  EXPECT_GE(tally.not_found, 20);
  EXPECT_GE(tally.other_orders, 3);
}

/// Calls with every division of at most `left` SMs for the tasks from `place` on that have none yet.
bool any_division(System& system, const std::vector<TaskIndex>& open, std::size_t place, std::int64_t left,
                  const std::function<bool(const System&)>& holds) {
  if (place == open.size()) return holds(system);
  for (std::int64_t sms = 1; sms <= left; ++sms) {
    system.virtual_sms[open[place]] = sms * system.platform.gpu.virtual_sms_per_sm;
    if (any_division(system, open, place + 1, left - sms, holds)) return true;
  }
  return false;
}

/// The fewest SMs of all tasks with which a test accepts the system; by trying.
std::optional<std::int64_t> fewest_by_trying(System system) {
  std::int64_t given = plan::given_sms(system);
  system.virtual_sms.resize(system.tasks.size());
  std::vector<TaskIndex> open;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    if (uses_gpu(system.tasks[i].work) && !system.virtual_sms[i]) open.push_back(i);
  }
  for (std::int64_t total = given; total <= system.platform.gpu.sms; ++total) {
    if (any_division(system, open, 0, total - given, accepts)) return total;
  }
  return std::nullopt;
}

TEST(FewestSms, AgreesWithTryingEveryTotal) {
  int found = 0;
  int saved = 0;
  for (std::uint64_t seed = 1000; seed < 1000 + tries(80U); ++seed) {
    System system = small_federated_system(seed);
    // An order of its own: this is about SMs.
    plan::set_priorities(system, plan::deadline_monotonic_order(system));
    SCOPED_TRACE(describe(system));
    const plan::Plan planned = plan::plan(system, {}, {.fewest_sms = true});
    const std::optional<std::int64_t> fewest = fewest_by_trying(system);
    ASSERT_EQ(planned.found, fewest.has_value()) << planned.why_not;
    if (!planned.found) continue;
    ++found;
    expect_complete(system, planned);
    EXPECT_EQ(planned.sms->used, *fewest);
    EXPECT_EQ(planned.sms->fewest, true);
    if (*fewest < plan::plan(system).sms->used) ++saved;
  }
  if constexpr (is_watched) return;
  EXPECT_GE(found, 25);
  EXPECT_GE(saved, 3);
}

TEST(FederatedOrders, FindAnOrderWheneverThereIsOne) {
  int reordered = 0;
  int none = 0;
  for (std::uint64_t seed = 2000; seed < 2000 + tries(800U); ++seed) {
    const System system = small_federated_system(seed, 3);
    if (accepts(system)) continue;
    SCOPED_TRACE(describe(system));
    std::vector<TaskIndex> order = plan::order_of_file(system);
    std::sort(order.begin(), order.end());
    bool any = false;
    do {
      System ordered = system;
      plan::set_priorities(ordered, order);
      any = any || analysis::rtgpu(ordered).verdict == Verdict::schedulable;
    } while (std::next_permutation(order.begin(), order.end()));
    const plan::Plan planned = plan::plan(system);
    EXPECT_TRUE(planned.found || !any);
    EXPECT_TRUE(any || planned.accepted_by != "rtgpu");  // other tests may accept what this one does not
    ++(any ? reordered : none);
  }
  if constexpr (is_watched) return;
  EXPECT_GE(reordered, 3);
  EXPECT_GE(none, 10);
}

TEST(Fastest, HoldsAtTheFactorAndNotAtThoseThatAreTold) {
  int faster = 0;
  int slower = 0;
  for (std::uint64_t seed = 3000; seed < 3020; ++seed) {
    System system = small_federated_system(seed);
    plan::set_priorities(system, plan::deadline_monotonic_order(system));
    SCOPED_TRACE(describe(system));
    const plan::Plan planned = plan::plan(system, {}, {.fastest = true});
    if (!planned.found) continue;
    expect_complete(system, planned);
    ASSERT_TRUE(planned.rate);
    const System expected = *plan::at_rate(system, planned.rate->factor);
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      EXPECT_EQ(planned.planned.tasks[i].period, expected.tasks[i].period);
      EXPECT_EQ(planned.planned.tasks[i].deadline, expected.tasks[i].deadline);
    }
    for (std::int64_t factor = planned.rate->factor + 1; factor <= planned.rate->fails_to; ++factor) {
      const std::optional<System> beyond = plan::at_rate(system, factor);
      EXPECT_FALSE(beyond && accepts(*beyond)) << factor;
    }
    EXPECT_TRUE(planned.rate->largest || planned.rate->fails_to > planned.rate->factor);
    if (planned.rate->factor > plan::unchanged_rate) ++faster;
    if (planned.rate->factor < plan::unchanged_rate) ++slower;
    if (accepts(system)) {
      EXPECT_GE(planned.rate->factor, plan::unchanged_rate);
    }
  }
  EXPECT_GE(faster, 5);
  EXPECT_GE(slower, 2);
}

}  // namespace
}  // namespace tactus::test
