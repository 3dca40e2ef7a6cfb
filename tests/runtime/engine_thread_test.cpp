#include "tactus/runtime/engine_thread.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "tactus/base/threads.hpp"
#include "tactus/machine/real_time.hpp"

namespace tactus::runtime {
namespace {

const machine::KernelFacts::Throttling usual_share{std::chrono::milliseconds{950},
                                                   std::chrono::milliseconds{1000}};

bool names_class(const std::vector<std::string>& refused) {
  return std::any_of(refused.begin(), refused.end(),
                     [](const std::string& what) { return what.starts_with("SCHED_FIFO"); });
}

TEST(EngineThread, OthersKeepOffItsCore) {
  const std::vector<int> before = available_cpus();
  if (before.size() < 2) GTEST_SKIP() << "there is one CPU only";
  const int core = before.back();
  std::vector<int> of_another;
  std::vector<int> of_the_engine;
  {
    EngineThread engine{{.core = core}};
    std::thread{[&] { of_another = available_cpus(); }}.join();
    engine.take();
    of_the_engine = available_cpus();
  }
  EXPECT_EQ(of_another, std::vector<int>(before.begin(), before.end() - 1));
  EXPECT_EQ(of_the_engine, std::vector<int>{core});
  EXPECT_EQ(available_cpus(), before);
}

TEST(EngineThread, TellsWhatWasRefused) {
  EngineThread engine{{.core = 1'000'000, .waits_busily = true, .throttling = usual_share}};
  std::vector<std::string> expected;
  if (const Refusal memory = machine::lock_memory()) expected.push_back(*memory);
  expected.emplace_back("core 1000000: there is no such core");
  const std::vector<std::string> refused = engine.take();
  ASSERT_EQ(refused.size(), expected.size() + 1);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), refused.begin()));
  EXPECT_TRUE(names_class(refused));
}

TEST(EngineThread, AClassThatWouldStopItIsNotTaken) {
  EngineThread engine{{.waits_busily = true, .throttling = usual_share}};
  const std::vector<std::string> refused = engine.take();
  EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
  ASSERT_TRUE(names_class(refused));
  const auto why = std::find_if(refused.begin(), refused.end(),
                                [](const std::string& what) { return what.starts_with("SCHED_FIFO"); });
  EXPECT_NE(why->find("50ms of every 1s"), std::string::npos) << *why;
}

/// It never sleeps: on a core that it shares with the threads of the device it would take it from them.
TEST(EngineThread, WithoutTheClassItTakesALargerShareOfItsOwnCoreForTheRun) {
  const auto nice_value = [] { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())); };
  const int before = nice_value();
  const bool may = [] {
    bool granted = false;
    std::thread{[&] { granted = !take_lowest_nice_value(); }}.join();
    return granted;
  }();
  const bool has_others = available_cpus().size() > 1;
  for (const std::optional<int> core : {std::optional<int>{}, std::optional{available_cpus().front()}}) {
    const bool takes_it = may && has_others && core;
    {
      EngineThread engine{{.core = core, .waits_busily = true, .throttling = usual_share}};
      const std::vector<std::string> refused = engine.take();
      EXPECT_EQ(nice_value(), takes_it ? -20 : before);
      const bool says_so = std::any_of(refused.begin(), refused.end(), [](const std::string& what) {
        return what.find("nice value -20") != std::string::npos;
      });
      EXPECT_EQ(says_so, takes_it);
    }
    EXPECT_EQ(nice_value(), before);
  }
}

TEST(EngineThread, TheClassIsTakenWhereNothingStopsIt) {
  if (!may_take_real_time_class(80)) GTEST_SKIP() << "SCHED_FIFO is not permitted here";
  for (const bool busily : {false, true}) {
    std::optional<machine::KernelFacts::Throttling> share;
    if (!busily) share = usual_share;
    {
      EngineThread engine{{.waits_busily = busily, .throttling = share}};
      EXPECT_FALSE(names_class(engine.take()));
      EXPECT_EQ(::sched_getscheduler(0), SCHED_FIFO);
    }
    EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
  }
}

}  // namespace
}  // namespace tactus::runtime
