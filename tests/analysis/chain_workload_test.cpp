// The work of chains in an interval, against the definition played nanosecond by nanosecond.
#include "tactus/analysis/chain_workload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/dice.hpp"

namespace tactus::analysis {
namespace {

Stage stage(ServerKind server, std::int64_t best, std::int64_t worst) {
  return {server, {nanoseconds(best), nanoseconds(worst)}};
}

/// Spec section 4 word for word: E, inner, wrap1 and wrap2, then work in [0, t) from each start.
struct PlainChain {
  std::vector<std::int64_t> work;
  std::vector<std::int64_t> inner;
  std::int64_t wrap1 = 0;
  std::int64_t wrap2 = 0;

  PlainChain(const Stages& stages, ServerKind server, std::int64_t period, std::int64_t response) {
    std::int64_t gap = 0;
    std::int64_t before = 0;
    for (const Stage& stage : stages) {
      if (stage.server == server && stage.time.worst.count() > 0) {
        (work.empty() ? before : inner.emplace_back()) = gap;
        work.push_back(stage.time.worst.count());
        gap = 0;
      } else {
        gap += stage.time.best.count();
      }
    }
    wrap1 = period - response + gap + before;
    wrap2 = period;
    for (const std::int64_t piece : work) wrap2 -= piece;
    for (const std::int64_t between : inner) wrap2 -= between;
  }

  [[nodiscard]] std::int64_t from(std::size_t first, std::int64_t length) const {
    std::int64_t now = 0;
    std::int64_t done = 0;
    bool wrapped = false;
    for (std::size_t j = first; now < length; j = (j + 1) % work.size()) {
      done += std::min(work[j], length - now);
      now += work[j];
      if (j + 1 < work.size()) {
        now += inner[j];
      } else {
        now += wrapped ? wrap2 : wrap1;
        wrapped = true;
      }
    }
    return done;
  }

  [[nodiscard]] std::int64_t most(std::int64_t length) const {
    std::int64_t best = 0;
    for (std::size_t h = 0; h < work.size(); ++h) best = std::max(best, from(h, length));
    return best;
  }
};

struct RandomChain {
  Stages stages;
  std::int64_t period = 0;
  std::int64_t response = 0;
};

/// 1 to 7 stages of any server, worst cases 0 to 6, best cases up to them; X up to 10 beyond their sum, T up
/// to 10 beyond X.
RandomChain random_chain(test::Dice& dice) {
  RandomChain chain;
  const std::int64_t count = dice.between(1, 7);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t worst = dice.between(0, 6);
    chain.stages.push_back(stage(static_cast<ServerKind>(dice.between(0, 2)), dice.between(0, worst), worst));
    chain.response += worst;
  }
  chain.response += dice.between(chain.response == 0 ? 1 : 0, 10);
  chain.period = chain.response + dice.between(0, 10);
  return chain;
}

TEST(ChainWorkload, IsTheDefinition) {
  test::Dice dice{1};
  int with_work = 0;
  for (int i = 0; i < 2000; ++i) {
    const RandomChain chain = random_chain(dice);
    for (const ServerKind server : {ServerKind::cpu, ServerKind::copy}) {
      const ChainWorkload fast{chain.stages, server, nanoseconds(chain.period), nanoseconds(chain.response)};
      const PlainChain plain{chain.stages, server, chain.period, chain.response};
      EXPECT_EQ(fast.is_empty(), plain.work.empty());
      with_work += fast.is_empty() ? 0 : 1;
      for (std::int64_t t = 0; t < 60; ++t) {
        const ChainWorkload::Point point = fast.at(nanoseconds(t));
        ASSERT_EQ(point.work.count(), plain.work.empty() ? 0 : plain.most(t)) << "chain " << i << " at " << t;
        const std::int64_t end = t + point.grows_for.count();
        ASSERT_EQ(fast.at(nanoseconds(end)).work, point.work + point.grows_for);
        if (end == t) {
          ASSERT_EQ(fast.at(nanoseconds(t + 1)).work, point.work);
        }
      }
    }
  }
  EXPECT_GT(with_work, 2000);
}

TEST(ChainWorkload, HasTheGapsOfTheSpec) {
  // CL [2,3],[1,4], copies [1,2] and [3,5], GR [6,9]; X = 30, T = 40.
  const Stages two{stage(ServerKind::cpu, 2, 3), stage(ServerKind::copy, 1, 2), stage(ServerKind::gpu, 6, 9),
                   stage(ServerKind::copy, 3, 5), stage(ServerKind::cpu, 1, 4)};
  const PlainChain cpu{two, ServerKind::cpu, 40, 30};
  EXPECT_EQ(cpu.inner, (std::vector<std::int64_t>{1 + 6 + 3}));
  EXPECT_EQ(cpu.wrap1, 10);
  EXPECT_EQ(cpu.wrap2, 40 - 7 - 10);
  const PlainChain copies{two, ServerKind::copy, 40, 30};
  EXPECT_EQ(copies.inner, (std::vector<std::int64_t>{6}));
  EXPECT_EQ(copies.wrap1, 10 + 1 + 2);
  // One copy a subtask: the GPU stage behind the last counts, too.
  const Stages one{stage(ServerKind::cpu, 2, 3), stage(ServerKind::copy, 1, 2), stage(ServerKind::gpu, 6, 9),
                   stage(ServerKind::cpu, 1, 4)};
  EXPECT_EQ((PlainChain{one, ServerKind::copy, 40, 30}.wrap1), 10 + 6 + 1 + 2);
  // From the first start: 3, a gap of 10, 4, a gap of 10, 3. From the second: 4, 10, 3, 10, 4.
  const ChainWorkload fast{two, ServerKind::cpu, nanoseconds(40), nanoseconds(30)};
  EXPECT_EQ(fast.at(nanoseconds(4)).work.count(), 4);
  EXPECT_EQ(fast.at(nanoseconds(14)).work.count(), 4);
  EXPECT_EQ(fast.at(nanoseconds(15)).work.count(), 5);
  EXPECT_EQ(fast.at(nanoseconds(17)).work.count(), 7);
  EXPECT_EQ(fast.at(nanoseconds(31)).work.count(), 4 + 3 + 4);
}

TEST(ChainWorkload, ManyPeriodsCostNothing) {
  const Stages stages{stage(ServerKind::cpu, 1, 1)};
  const ChainWorkload chain{stages, ServerKind::cpu, nanoseconds(3), nanoseconds(2)};
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();  // = 3 * ... + 1
  // One at 0, the next at 2, then every 3.
  EXPECT_EQ(chain.at(nanoseconds(largest)).work.count(), 1 + (largest - 2 + 2) / 3);
  const ChainWorkload long_period{stages, ServerKind::cpu, nanoseconds(largest), nanoseconds(largest)};
  EXPECT_EQ(long_period.at(nanoseconds(largest)).work.count(), 2);
}

TEST(LeastLength, IsTheFirstLengthThatIsEnough) {
  test::Dice dice{2};
  int found = 0;
  int passed = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<ChainWorkload> chains;
    for (int j = 0; j < 3; ++j) {
      RandomChain chain = random_chain(dice);
      chain.period += dice.between(0, 4);
      chains.emplace_back(chain.stages, ServerKind::cpu, nanoseconds(chain.period),
                          nanoseconds(chain.response));
    }
    const std::vector<const ChainWorkload*> pointers{&chains[0], &chains[1], &chains[2]};
    const auto work = [&](std::int64_t length) {
      std::int64_t sum = 0;
      for (const ChainWorkload& chain : chains) sum += chain.at(nanoseconds(length)).work.count();
      return sum;
    };
    const std::int64_t own = dice.between(1, 5);
    constexpr std::int64_t limit = 50;
    std::int64_t length = own;
    while (length <= limit && own + work(length) > length) ++length;
    const FixedPoint fast = min_length(pointers, nanoseconds(own), nanoseconds(limit));
    ASSERT_EQ(fast.found(), length <= limit);
    if (fast.found()) {
      ASSERT_EQ(fast.length, length);
    }
    (fast.found() ? found : passed) += 1;

    std::int64_t start = 0;
    while (start <= limit && own + work(start + 1) > start) ++start;
    const FixedPoint fast_start = latest_start(pointers, nanoseconds(own), nanoseconds(limit));
    ASSERT_EQ(fast_start.found(), start <= limit);
    if (fast_start.found()) {
      ASSERT_EQ(fast_start.length, start);
    }
  }
  EXPECT_GT(found, 300);
  EXPECT_GT(passed, 300);
}

TEST(LeastLength, JumpsOverLongPieces) {
  // One nanosecond behind an hour of work: stepping would never end.
  constexpr std::int64_t hour = 3'600'000'000'000;
  const Stages stages{stage(ServerKind::copy, hour, hour)};
  const ChainWorkload chain{stages, ServerKind::copy, nanoseconds(4 * hour), nanoseconds(hour)};
  const std::vector<const ChainWorkload*> chains{&chain};
  EXPECT_EQ(min_length(chains, nanoseconds(1), nanoseconds(8 * hour)).length, hour + 1);
  EXPECT_EQ(latest_start(chains, nanoseconds(0), nanoseconds(8 * hour)).length, hour);
  EXPECT_EQ(latest_start(chains, nanoseconds(7), nanoseconds(8 * hour)).length, hour + 7);
}

TEST(LeastLength, UsesTheShareOfLongRuns) {
  // 9 of 10 taken: own work of a minute takes ten, in steps of a period that would be a billion.
  constexpr std::int64_t minute = 60'000'000'000;
  const Stages stages{stage(ServerKind::cpu, 9, 9)};
  const ChainWorkload chain{stages, ServerKind::cpu, nanoseconds(10), nanoseconds(9)};
  const std::vector<const ChainWorkload*> chains{&chain};
  EXPECT_EQ(min_length(chains, nanoseconds(minute), nanoseconds(100 * minute)).length, 10 * minute);
  const ChainWorkload full{stages, ServerKind::cpu, nanoseconds(9), nanoseconds(9)};
  const std::vector<const ChainWorkload*> no_time{&full};
  EXPECT_EQ(min_length(no_time, nanoseconds(1), nanoseconds(100 * minute)).outcome,
            FixedPoint::Outcome::passes);
}

}  // namespace
}  // namespace tactus::analysis
