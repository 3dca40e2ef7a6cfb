// Data in effect chains of a run: what the simulator sees, and what the report makes of it.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "support/effect_chain_systems.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "tactus/device/sim/sim_device.hpp"
#include "tactus/runtime/runtime.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/data_flow.hpp"

namespace tactus::test {
namespace {

RunReport run_of(const System& system, Duration length) {
  RuntimeOptions options;
  options.real_time = false;
  options.sporadic_by_call = false;
  return Runtime{std::make_unique<device::SimDevice>(), system, options}.run_for(length);
}

TEST(EffectChainsOfARun, AreThoseOfTheSimulator) {
  constexpr Duration length = nanoseconds(700);
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(150); ++seed) {
    System system = effect_chain_system(seed);
    system.platform.overheads = {};  // of a machine, which a run does not imitate
    for (Task& task : system.tasks) task.jitter = {};
    trace::DataFlow flow{system};
    const std::array<trace::Observer*, 1> observers{&flow};
    sim::SimulationOptions options;
    options.horizon = length;
    options.max_pending = enough_pending;
    flow.finish(sim::simulate(system, options, observers).reached);
    const RunReport report = run_of(system, length);
    ASSERT_EQ(report.chains, flow.all()) << "seed " << seed << "\n" << describe(system);
    ASSERT_EQ(report.chain_bounds.size(), system.chains.size());
  }
}

TEST(EffectChainsOfARun, ALimitThatIsPassedIsANo) {
  System system = effect_chain_system(1);
  system.platform.overheads = {};
  system.tasks.resize(1);
  Task& task = system.tasks.front();
  task.arrival = Arrival::periodic;
  task.period = task.deadline = nanoseconds(20);
  task.jitter = task.offset = {};
  task.work.nodes = {{.name = {}, .segment = CpuSegment{Interval::exactly(nanoseconds(5))}}};
  system.chains = {{.name = "c", .tasks = {0}, .communication = {}, .reaction = nanoseconds(25), .age = {}}};
  EXPECT_TRUE(run_of(system, nanoseconds(200)).holds());
  system.chains.front().reaction = nanoseconds(24);
  const RunReport late = run_of(system, nanoseconds(200));
  EXPECT_FALSE(late.holds());
  EXPECT_EQ(late.chains.front().reaction.max, nanoseconds(25));
  EXPECT_EQ(late.misses, 0U);
}

}  // namespace
}  // namespace tactus::test
