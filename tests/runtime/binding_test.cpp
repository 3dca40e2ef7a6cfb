// What may be bound to what.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

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

/// Counts its calls, and can only be moved.
struct MoveOnlyCounter {
  std::unique_ptr<std::atomic<int>> calls = std::make_unique<std::atomic<int>>(0);
  std::atomic<int>* seen;
  void operator()(Job& /*job*/) const { seen->store(calls->fetch_add(1) + 1); }
};

TEST(Binding, AFunctorThatCanOnlyBeMovedIsKeptOnce) {
  std::atomic<int> of_task{0};
  std::atomic<int> of_kernel{0};
  Runtime runtime{device::make_host_device(test::plain_host()), chain(), plain()};
  runtime.bind("chain", MoveOnlyCounter{.seen = &of_task});
  runtime.bind_blocks("chain", MoveOnlyCounter{.seen = &of_kernel}, 2);
  for (int i = 1; i <= 2; ++i) {
    const RunReport report = run_once(runtime);
    EXPECT_EQ(report.outcome.completed, 1U);
    EXPECT_EQ(of_task, 2 * i) << "a CPU segment and a copy, and one state over both and over runs";
    EXPECT_EQ(of_kernel, 2 * i) << "two blocks";
  }
}

TEST(Binding, AFunctorWithAStateIsNeverCopied) {
  struct Counter {
    std::atomic<int>* copies;
    int calls = 0;
    explicit Counter(std::atomic<int>& counted) : copies{&counted} {}
    Counter(const Counter& other) : copies{other.copies}, calls{other.calls} { ++*copies; }
    Counter(Counter&&) = default;
    Counter& operator=(const Counter&) = delete;
    Counter& operator=(Counter&&) = delete;
    ~Counter() = default;
    void operator()(Job& /*job*/) { ++calls; }
  };
  std::atomic<int> copies{0};
  Runtime runtime{device::make_host_device(test::plain_host()), chain(), plain()};
  runtime.bind("chain", Counter{copies});
  run_once(runtime);
  EXPECT_EQ(copies, 0);
}

TEST(Binding, ACopysBuffersMayBeAskedOfWhatCanOnlyBeMoved) {
  Runtime runtime{device::make_host_device(test::plain_host()), chain(), plain()};
  const std::vector<char> source(8, 'x');
  std::vector<char> sink(8, ' ');
  auto asked = std::make_unique<std::atomic<int>>(0);
  const std::atomic<int>& seen = *asked;
  runtime.bind_copy("chain", 1, [&, asked = std::move(asked)](const Job& /*job*/) {
    ++*asked;
    return MemoryCopy{.to = sink.data(), .from = source.data(), .bytes = source.size()};
  });
  run_once(runtime);
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(sink, source);
}

TEST(Binding, ACallbacksStateIsOneOverAllRuns) {
  Runtime runtime{device::make_host_device(test::plain_host()), chain(), plain()};
  int runs = 0;
  runtime.on_progress([&runs, called = std::make_unique<int>(0)](Time /*now*/) {
    if (++*called == 1) ++runs;  // a copy would begin at 0 again
  });
  run_once(runtime);
  run_once(runtime);
  EXPECT_EQ(runs, 1);
}

/// A device with jobs of its own: it hands them to what is bound.
struct SpecialJob : Job {
  using Job::Job;
  int stream = 7;
};

bool enqueue(SpecialJob& job) { return job.stream == 7; }
int work_on_cpu(Job& job) { return static_cast<int>(job.number()); }
struct MoveOnlyNetwork {
  std::unique_ptr<int> calls = std::make_unique<int>(0);
  void operator()(SpecialJob& job) const { *calls += job.stream; }
};
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
      captured = captured || binding.captured;
      SpecialJob job{Job::Facts{}};
      binding.work(job);
    }
  }
  [[nodiscard]] Time now() noexcept override { return origin; }
  void wait(Time /*until*/) override {}
  void poll(sched::Events& /*events*/) override {}
  void submit(const device::Request& /*request*/) override {}
  void request_stop(sched::SubmissionId /*operation*/) override {}
  Time job_over(sched::JobId /*job*/) noexcept override { return never; }
  void close() override {}

  bool captured = false;  // some binding is to be captured

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

TEST(Binding, WhatIsCapturedSaysSo) {
  for (const bool wanted : {false, true}) {
    std::vector<device::Binding::Kind> kinds;
    System system = chain();
    system.tasks[0].work.nodes.resize(1);
    auto probe = std::make_unique<BindingProbe>(kinds);
    const BindingProbe& seen = *probe;
    Runtime runtime{std::move(probe), system, plain()};
    const auto work = [](SpecialJob& job) { return enqueue(job); };
    if (wanted) {
      runtime.bind_captured("chain", work);
    } else {
      runtime.bind("chain", work);
    }
    runtime.start(1ms);
    EXPECT_EQ(kinds, std::vector{device::Binding::Kind::calls});
    EXPECT_EQ(seen.captured, wanted);
  }
}

TEST(Binding, CapturedWorkHasNoLauncher) {
  System system = chain();
  system.tasks[0].work.nodes.erase(system.tasks[0].work.nodes.begin(),
                                   system.tasks[0].work.nodes.begin() + 2);
  system.tasks[0].launcher = true;
  std::vector<device::Binding::Kind> kinds;
  Runtime runtime{std::make_unique<BindingProbe>(kinds), system, plain()};
  runtime.bind_captured("chain", [](SpecialJob& job) { return enqueue(job); });
  try {
    runtime.start(1ms);
    FAIL() << "the engine would launch it, and no bound counts that";
  } catch (const InputError& error) {
    EXPECT_NE(std::string{error.what()}.find("task 'chain': the engine launches captured work"),
              std::string::npos);
  }
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
  EXPECT_EQ(kind_of(MoveOnlyNetwork{}), Kind::calls);
}

}  // namespace
}  // namespace tactus
