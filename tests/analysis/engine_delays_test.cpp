// The delays that the engine adds: worked examples, and a step by step search for each fixed point.
#include "tactus/analysis/engine_delays.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "support/engine_examples.hpp"

namespace tactus::analysis {
namespace {

using testing::ElementsAre;

/// V, V0, then S of every real-time task; -1: no bound.
std::vector<std::int64_t> delays(const EngineLoad& load) {
  const auto number = [](std::optional<Duration> time) { return time ? time->count() : -1; };
  std::vector<std::int64_t> result{number(until_decided(load, load.longest)),
                                   number(until_decided(load, Duration{}))};
  for (std::size_t i = 0; i < load.tasks.size() && !load.tasks[i].best_effort; ++i) {
    const std::int64_t queue = number(until_last_submission(load, i, load.tasks[i].deadline));
    result.push_back(queue < 0 ? -1 : queue + load.tasks[i].last.count());
  }
  return result;
}

TEST(EngineDelays, OneStream) {
  EXPECT_THAT(delays(engine_load(test::three_in_one_stream(), EngineUnit::job)), ElementsAre(6, 4, 2, 2, 2));
}

TEST(EngineDelays, TwoLevels) {
  const EngineLoad load = engine_load(test::three_on_two_levels(), EngineUnit::job);
  EXPECT_THAT(delays(load), ElementsAre(7, 5, 2, 13, 18));
  EXPECT_EQ(once_below(load, 0, 1), Duration{3});
  EXPECT_EQ(once_below(load, 2, 1), Duration{});
}

TEST(EngineDelays, SmsOfTheirOwn) {
  EXPECT_THAT(delays(engine_load(test::two_with_own_sms(400), EngineUnit::segment)),
              ElementsAre(404, 4, 4, 413));
  EXPECT_THAT(delays(engine_load(test::two_with_own_sms(10), EngineUnit::segment)),
              ElementsAre(14, 4, 4, 23));
}

TEST(EngineDelays, FourTasksWithSmsOfTheirOwn) {
  EXPECT_THAT(delays(engine_load(test::four_with_own_sms(), EngineUnit::segment)),
              ElementsAre(12, 8, 4, 16, 20, 24));
}

TEST(EngineDelays, Chains) {
  const EngineLoad load = engine_load(test::two_chains("{event: 1ns, submit: 3ns}"), EngineUnit::segment);
  EXPECT_EQ(until_decided(load, load.longest), Duration{7});
  EXPECT_EQ(load.tasks[0].units, 5);
  EXPECT_EQ(load.tasks[0].least_time, Duration{2});
  EXPECT_EQ(longest_below(load, 0), Duration{3});
  EXPECT_EQ(longest_below(load, 1), Duration{});
}

TEST(EngineDelays, AllAreZeroWithoutEngineTime) {
  const System system =
      test::system_with_engine("{}", "strategy: multi-stream, order: edf",
                               "  - {name: a, period: 60ns, longest_block: 1ns, exclusive: 3ns}\n"
                               "  - {name: b, period: 80ns, longest_block: 2ns, exclusive: 6ns}\n"
                               "  - {name: bg, arrival: best-effort, exclusive: 6ns}\n");
  EXPECT_THAT(delays(engine_load(system, EngineUnit::job)), ElementsAre(0, 0, 0, 0));
}

TEST(EngineDelays, EventsThatComeTooFastHaveNoBound) {
  const System system = test::system_with_engine("{event: 10ns}", "strategy: single-stream, order: fp",
                                                 "  - {name: a, period: 20ns, exclusive: 3ns}\n"
                                                 "  - {name: b, period: 20ns, exclusive: 5ns}\n");
  EXPECT_EQ(until_decided(engine_load(system, EngineUnit::job), Duration{}), std::nullopt);
}

/// The least V and q, found by trying every length from 0 on.
TEST(EngineDelays, EqualTheirSlowTwins) {
  std::mt19937_64 random{1};
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>{from, to}(random);
  };
  for (int trial = 0; trial < 2000; ++trial) {
    EngineLoad load{.event = Duration{draw(0, 3)}, .longest = Duration{draw(0, 20)}};
    load.under_way = draw(1, 4);
    load.first_releases = draw(0, 2);
    load.by_priority = draw(0, 1) == 0;
    load.one_server = draw(0, 4) == 0;
    for (std::int64_t left = draw(1, 5); left > 0; --left) {
      EngineTask task{.period = Duration{draw(20, 80)}, .jitter = Duration{draw(0, 30)}};
      task.deadline = task.period;
      task.units = draw(1, 3);
      task.operations = draw(1, 2);
      task.last = Duration{draw(0, 4)};
      task.submission = task.last + Duration{task.operations > 1 ? draw(0, 3) : 0};
      task.least_time = Duration{draw(0, 20)};
      load.sources.push_back({task.period, task.jitter});
      load.tasks.push_back(task);
    }
    const auto handling = [&](std::int64_t length) {
      std::int64_t events = 0;
      for (const EngineSource& source : load.sources) {
        events += (length + source.jitter.count()) / source.period.count() + 1;
      }
      return load.event.count() * events;
    };
    constexpr std::int64_t limit = 2000;
    const auto least = [&](auto&& needed) -> std::optional<Duration> {
      for (std::int64_t length = 0; length <= limit; ++length) {
        if (needed(length) <= length) return Duration{length};
      }
      return std::nullopt;
    };
    const auto burst = least([&](std::int64_t length) {
      return load.longest.count() + handling(length) +
             load.event.count() * (load.under_way + load.first_releases);
    });
    const auto found = until_decided(load, load.longest);
    EXPECT_EQ(found && found->count() <= limit ? found : std::nullopt, burst);
    for (std::size_t i = 0; i < load.tasks.size(); ++i) {
      bool is_free = load.tasks[i].submission == load.tasks[i].last;
      for (std::size_t j = 0; j < load.tasks.size(); ++j) {
        const bool is_hep = j != i && !load.one_server && (!load.by_priority || j < i);
        if (is_hep && load.tasks[j].submission > Duration{}) is_free = false;
      }
      const auto queue = least([&](std::int64_t length) {
        if (is_free) return std::int64_t{0};
        std::int64_t sum = (load.tasks[i].submission - load.tasks[i].last).count() + handling(length) +
                           load.event.count() * (load.tasks[i].operations + load.first_releases);
        for (std::size_t j = 0; j < load.tasks.size() && !load.one_server; ++j) {
          if (j == i) continue;
          const EngineTask& task = load.tasks[j];
          std::int64_t units = 1;
          if (!load.by_priority || j < i) {
            units = task.units * ((length + task.deadline.count()) / task.period.count() + 1);
            if (task.least_time > Duration{}) units = std::min(units, length / task.least_time.count() + 1);
            sum += units * task.submission.count();
          }
          sum += units * task.operations * load.event.count();
        }
        return sum;
      });
      EXPECT_EQ(until_last_submission(load, i, Duration{limit}), queue);
    }
  }
}

// ------------------------------------------------------------------------------- the engine, played plainly

/// The longest times seen: V, and S by task.
struct Seen {
  std::int64_t decided = 0;
  std::vector<std::int64_t> submitted;
};

/// The rule as it is said, for tasks that each have a server of their own: drain, decide on one submission,
/// make it. Work takes at least `least_time`, every third time longer.
Seen play_engine(const EngineLoad& load, std::vector<std::vector<std::int64_t>> releases) {
  struct State {
    std::int64_t waiting = 0;  // jobs
    bool is_free = true;       // its server is known to be
    std::optional<std::int64_t> can_take;
    std::optional<std::int64_t> ends;
    std::int64_t made = 0;
    std::size_t next = 0;  // release
  };
  constexpr std::int64_t end = 3000;
  Seen seen{.submitted = std::vector<std::int64_t>(load.tasks.size())};
  std::vector<State> tasks(load.tasks.size());
  std::int64_t now = 0;
  while (now < end) {
    const std::int64_t burst_from = now;
    std::vector<std::int64_t> visible;
    for (bool found = true; found;) {
      found = false;
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        State& task = tasks[i];
        if (task.ends && *task.ends <= now) {
          visible.push_back(*std::exchange(task.ends, std::nullopt));
          task.is_free = true;
        } else if (task.next < releases[i].size() && releases[i][task.next] <= now) {
          visible.push_back(releases[i][task.next++]);
          ++task.waiting;
        } else {
          continue;
        }
        now += load.event.count();
        found = true;
      }
    }
    for (const std::int64_t since : visible) seen.decided = std::max(seen.decided, now - since);
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      State& task = tasks[i];
      if (task.waiting == 0 || !task.is_free) continue;
      if (!task.can_take) task.can_take = now;
      if (!best) best = i;
    }
    if (best) {
      State& task = tasks[*best];
      now += load.tasks[*best].last.count();
      const std::int64_t from = *std::exchange(task.can_take, std::nullopt);
      seen.submitted[*best] = std::max(seen.submitted[*best], now - from);
      task.is_free = false;
      --task.waiting;
      const std::int64_t least_time = load.tasks[*best].least_time.count();
      task.ends = now + (++task.made % 3 == 0 ? 2 * least_time : least_time);
    } else if (now == burst_from) {
      std::int64_t next = end;
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (tasks[i].ends) next = std::min(next, *tasks[i].ends);
        if (tasks[i].next < releases[i].size()) next = std::min(next, releases[i][tasks[i].next]);
      }
      now = next;
    }
  }
  return seen;
}

/// No burst is longer than V, and no submission waits longer than S; without any of their terms some do.
TEST(EngineDelays, AreKeptByTheEngineAndNeedEveryTerm) {
  using Drop = void (*)(EngineLoad&);
  struct Dropped {
    const char* what;
    Drop drop;
    bool of_burst;
    int broken = 0;
  };
  std::vector<Dropped> mutants{
      {"e_max", [](EngineLoad& load) { load.longest = {}; }, true},
      {"releases in V", [](EngineLoad& load) { load.sources.clear(); }, true},
      {"out", [](EngineLoad& load) { load.under_way = 0; }, true},
      {"releases in q", [](EngineLoad& load) { load.sources.clear(); }, false},
      {"1 + floor(q/g)",
       [](EngineLoad& load) {
         for (EngineTask& task : load.tasks) task.least_time = Duration::max();
       },
       false},
      {"completions in q",
       [](EngineLoad& load) {
         for (EngineTask& task : load.tasks) task.operations = 0;
       },
       false},
  };
  std::mt19937_64 random{3};
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>{from, to}(random);
  };
  for (int trial = 0; trial < 20'000; ++trial) {
    EngineLoad load{.event = Duration{draw(0, 3)}};
    for (std::int64_t left = draw(2, 5); left > 0; --left) {
      EngineTask task{.period = Duration{draw(30, 120)}};
      task.deadline = task.period;
      task.units = 1'000'000;  // whatever is late: the other term of m
      task.submission = task.last = task.longest = Duration{draw(0, 3) == 0 ? draw(5, 20) : draw(0, 4)};
      task.least_time = Duration{draw(1, 20)};
      load.longest = std::max(load.longest, task.longest);
      load.sources.push_back({task.period, Duration{}});
      load.tasks.push_back(task);
    }
    load.under_way = static_cast<std::int64_t>(load.tasks.size());
    std::vector<std::vector<std::int64_t>> releases;
    const bool dense = draw(0, 1) == 0;
    const std::int64_t about = draw(50, 100);
    for (const EngineTask& task : load.tasks) {
      std::vector<std::int64_t>& mine = releases.emplace_back();
      for (std::int64_t at = about + (draw(0, 1) == 0 ? draw(0, 40) : draw(-3, 3)); at < 1000;
           at += task.period.count() + (dense ? 0 : draw(0, 40))) {
        mine.push_back(at);
      }
    }
    const Seen seen = play_engine(load, releases);
    constexpr Duration limit{100'000};
    const std::optional<Duration> burst = until_decided(load, load.longest);
    if (burst) {
      EXPECT_LE(seen.decided, burst->count()) << "trial " << trial;
    }
    for (Dropped& mutant : mutants) {
      EngineLoad changed = load;
      mutant.drop(changed);
      if (mutant.of_burst) {
        const std::optional<Duration> shorter = until_decided(changed, changed.longest);
        if (shorter && seen.decided > shorter->count()) ++mutant.broken;
        continue;
      }
      for (std::size_t i = 0; i < load.tasks.size(); ++i) {
        const std::optional<Duration> shorter = until_last_submission(changed, i, limit);
        if (shorter && seen.submitted[i] > (*shorter + load.tasks[i].last).count()) ++mutant.broken;
      }
    }
    for (std::size_t i = 0; i < load.tasks.size(); ++i) {
      const std::optional<Duration> queue = until_last_submission(load, i, limit);
      if (queue) {
        EXPECT_LE(seen.submitted[i], (*queue + load.tasks[i].last).count()) << "trial " << trial;
      }
    }
    if (HasFailure()) return;
  }
  for (const Dropped& mutant : mutants) EXPECT_GT(mutant.broken, 0) << mutant.what;
}

}  // namespace
}  // namespace tactus::analysis
