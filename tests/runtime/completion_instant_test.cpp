// A completion is never known before it was seen.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <vector>

#include "support/recording.hpp"
#include "tactus/runtime/executive.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;

/// Its clock goes on with every look at it, and work ends while the engine looks for what has ended.
class Ticking final : public device::Device {
 public:
  [[nodiscard]] sched::Capabilities capabilities(const System& /*system*/) const override {
    return {.engine = "a ticking device"};
  }
  void open(const device::Setup& /*setup*/) override {}
  [[nodiscard]] Time now() noexcept override { return now_ += 1us; }
  void wait(Time until) override {
    if (submitted_.empty() && until != never) now_ = std::max(now_, until);
  }
  void poll(sched::Events& events) override {
    for (const sched::SubmissionId& submission : submitted_) {
      now_ += 50us;
      ended.push_back(now_);
      events.emplace_back(sched::Finished{submission});
    }
    submitted_.clear();
  }
  void submit(const device::Request& request) override { submitted_.push_back(request.id); }
  void request_stop(sched::SubmissionId /*operation*/) override {}
  Time job_over(sched::JobId /*job*/) noexcept override { return origin; }
  void close() override {}

  std::vector<Time> ended;

 private:
  Time now_ = origin;
  std::vector<sched::SubmissionId> submitted_;
};

TEST(Executive, NoCompletionIsStampedBeforeItWasSeen) {
  System system;
  system.policy.strategy = strategy_named("single-stream");
  Task task;
  task.name = "ticks";
  task.period = task.deadline = 1ms;
  task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(50us)}});
  system.tasks.push_back(task);
  Recorder recorder{Recorder::Blocks::wanted};
  const std::array<trace::Observer*, 1> observers{&recorder};
  Ticking device;
  runtime::ExecutiveOptions options;
  options.horizon = 20ms;
  options.max_pending = 8;
  runtime::Executive{system, device, options, observers}.run();
  ASSERT_GT(device.ended.size(), 10U);
  for (std::size_t i = 0; i < device.ended.size(); ++i) {
    EXPECT_GE(recorder.recording.ends[i].completion, device.ended[i]) << "job " << i;
  }
}

}  // namespace
}  // namespace tactus::test
