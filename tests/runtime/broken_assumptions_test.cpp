// Work that takes longer than declared is named, also where overheads would hide it.
#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "support/faulty_device.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/runtime/executive.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using device::Assumption;

System system_from(const std::string& policy, const std::string& task) {
  ReadResult read = read_system(
      "tactus: 1\n"
      "platform: {base: h200, overheads: {release: 1us, launch: 50ms, completion: 1us,\n"
      "           resident: {release: 2us, completion: 1us}}}\n" +
          policy + "\ntasks:\n  - " + task + "\n",
      "test.yaml");
  if (!read.system) throw InputError{std::move(read.problems)};
  return std::move(*read.system);
}

/// A run in virtual time in which all work takes `factor` times as long as declared.
device::AssumptionsSeen run(const System& declared, int factor, const Faults& faults = {}) {
  System truth = declared;
  for (Task& task : truth.tasks) {
    for (Node& node : task.work.nodes) {
      Interval& time = drawn_time(node.segment);
      time = {factor * time.best, factor * time.worst};
    }
  }
  FaultyDevice device{faults, truth, Execution::worst, 1};
  runtime::ExecutiveOptions options;
  options.horizon = 1s;
  options.plays_overheads = true;
  options.max_pending = 16;
  runtime::Executive executive{declared, device, options, {}};
  return executive.run().assumptions;
}

TEST(BrokenAssumptions, ALongLaunchDoesNotHideALongSegment) {
  const System system =
      system_from("policy: {strategy: single-stream}", "{name: a, period: 200ms, exclusive: 10ms}");
  EXPECT_FALSE(run(system, 1).first);
  const device::AssumptionsSeen seen = run(system, 2);  // 20 ms, still less than a launch may take
  ASSERT_TRUE(seen.first);
  EXPECT_EQ(seen.first->what, Assumption::segment);
  EXPECT_EQ(seen.segments[0][0].runs.longest, 50ms + 20ms + 1us);
}

TEST(BrokenAssumptions, AResidentJobCountsFromItsRelease) {
  const System system = system_from("policy: {strategy: federated, virtual_sms: {a: 8}}",
                                    "{name: a, period: 200ms, exclusive: 10ms, dispatch: resident}");
  Faults faults;
  faults.releases_jobs = true;
  const device::AssumptionsSeen in_time = run(system, 1, faults);
  EXPECT_FALSE(in_time.first);
  EXPECT_GE(in_time.segments[0][0].runs.longest, 10ms);
  const device::AssumptionsSeen late = run(system, 2, faults);
  ASSERT_TRUE(late.first);
  EXPECT_EQ(late.first->what, Assumption::segment);
}

}  // namespace
}  // namespace tactus::test
