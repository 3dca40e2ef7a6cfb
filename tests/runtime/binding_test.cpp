// What may be bound to what.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>

#include "support/host_run.hpp"
#include "tactus/runtime/runtime.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;

/// A job of three segments, once.
System chain() {
  System system = test::small_host_system();
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  system.virtual_sms = {2};
  Task& task = test::add_task(system, "chain",
                              {test::host_cpu(10us), test::host_copy(10us), test::host_kernel(2, 10us)});
  task.deadline = 10s;
  return system;
}

RuntimeOptions plain() {
  RuntimeOptions options;
  options.real_time = false;
  return options;
}

/// Runs until the job is done.
RunReport run_once(Runtime& runtime) {
  runtime.start(60s);
  while (runtime.step()) {
    if (runtime.statistics().at(0).completed > 0) runtime.stop();
  }
  return runtime.finish();
}

TEST(Binding, ASegmentsOwnFunctionComesBeforeThatOfItsTaskInAnyOrder) {
  for (const bool own_first : {false, true}) {
    Runtime runtime{device::make_host_device(test::plain_host()), chain(), plain()};
    std::atomic<int> own{0};
    std::atomic<int> all{0};
    if (own_first) runtime.bind("chain", 1, [&](Job& /*job*/) { ++own; });
    runtime.bind("chain", [&](Job& /*job*/) { ++all; });
    if (!own_first) runtime.bind("chain", 1, [&](Job& /*job*/) { ++own; });
    run_once(runtime);
    EXPECT_EQ(own, 1) << own_first;
    EXPECT_EQ(all, 2) << own_first;
  }
}

/// A device with jobs of its own: it hands them to what is bound.
struct SpecialJob : Job {
  using Job::Job;
  int stream = 7;
};

bool enqueue(SpecialJob& job) { return job.stream == 7; }
int work_on_cpu(Job& job) { return static_cast<int>(job.number()); }
struct Network {
  int calls = 0;
  bool operator()(SpecialJob& job) noexcept { return job.stream > calls++; }
};

/// The kind of the binding that a device gets to see.
class BindingProbe final : public device::Device {
 public:
  explicit BindingProbe(std::vector<device::Binding::Kind>& kinds) : kinds_{kinds} {}

  [[nodiscard]] sched::Capabilities capabilities(const System& /*system*/) const override {
    return {.engine = "the probe", .priority_levels = 1, .preemptive_cpu = true};
  }
  void open(const device::Setup& setup) override {
    for (const device::Binding& binding : setup.bindings->at(0)) {
      kinds_.push_back(binding.kind);
      SpecialJob job{Job::Facts{}};
      binding.work(job);
    }
  }
  [[nodiscard]] Time now() override { return origin; }
  void wait(Time /*until*/) override {}
  void poll(sched::Events& /*events*/) override {}
  void submit(const device::Request& /*request*/) override {}
  void request_stop(sched::Operation /*operation*/) override {}
  Time job_over(sched::JobId /*job*/) override { return never; }
  void close() override {}

 private:
  std::vector<device::Binding::Kind>& kinds_;
};

template <class Function>
device::Binding::Kind kind_of(Function function) {
  std::vector<device::Binding::Kind> kinds;
  System system = chain();
  system.tasks[0].work.nodes.resize(1);
  Runtime runtime{std::make_unique<BindingProbe>(kinds), system, plain()};
  runtime.bind("chain", std::move(function));
  runtime.start(1ms);
  return kinds.at(0);
}

TEST(Binding, TakesWhateverCanBeCalled) {
  using Kind = device::Binding::Kind;
  EXPECT_EQ(kind_of(work_on_cpu), Kind::function);
  EXPECT_EQ(kind_of([](Job& /*job*/) { return 3; }), Kind::function);
  EXPECT_EQ(kind_of([](auto& job) { return job.number(); }), Kind::function);
  EXPECT_EQ(kind_of(enqueue), Kind::calls);
  EXPECT_EQ(kind_of(&enqueue), Kind::calls);
  EXPECT_EQ(kind_of([](SpecialJob& job) { return enqueue(job); }), Kind::calls);
  EXPECT_EQ(kind_of([calls = 0](SpecialJob& job) mutable { calls += job.stream; }), Kind::calls);
  EXPECT_EQ(kind_of([](const SpecialJob& /*job*/) noexcept {}), Kind::calls);
  EXPECT_EQ(kind_of(std::function<bool(SpecialJob&)>{enqueue}), Kind::calls);
  EXPECT_EQ(kind_of(Network{}), Kind::calls);
}

}  // namespace
}  // namespace tactus
