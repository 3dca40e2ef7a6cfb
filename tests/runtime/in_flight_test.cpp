// What is known to be served of all that is in flight.
#include "tactus/runtime/in_flight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tactus::runtime {
namespace {

Submission submission(std::uint32_t job, std::uint32_t segment, ServerUnit engine, sched::StreamId stream) {
  Submission one;
  one.id = {{job, 0}, segment, 1};
  one.server = one.engine = engine;
  one.stream = stream;
  return one;
}

std::vector<std::uint32_t> jobs_in_turn(InFlight& in_flight) {
  std::vector<std::uint32_t> jobs;
  in_flight.for_each_in_turn([&](const Submission& one) { jobs.push_back(one.id.job.slot); });
  return jobs;
}

TEST(InFlight, NodesOfOneJobOnTwoCoresAreServedSideBySide) {
  InFlight in_flight;
  in_flight.add(submission(7, 0, {ServerKind::cpu, 0}, sched::own_stream));
  in_flight.add(submission(7, 1, {ServerKind::cpu, 1}, sched::own_stream));
  EXPECT_THAT(jobs_in_turn(in_flight), testing::ElementsAre(7U, 7U));
}

TEST(InFlight, AsManyAreServedAsCoresShareAQueue) {
  InFlight in_flight;
  for (std::uint32_t job = 0; job < 4; ++job) {
    Submission one = submission(job, 0, {ServerKind::cpu, 0}, sched::own_stream);
    one.cores = 2;
    one.urgency.rank = 10 - job / 2;  // the later two are more urgent
    in_flight.add(one);
  }
  EXPECT_THAT(jobs_in_turn(in_flight), testing::ElementsAre(2U, 3U));
  in_flight.take({{2, 0}, 0, 1}, origin);
  EXPECT_THAT(jobs_in_turn(in_flight), testing::ElementsAre(0U, 3U)) << "of equal ones, the first";
}

TEST(InFlight, OwnStreamsOfTwoJobsAreTwoStreams) {
  InFlight in_flight;
  in_flight.add(submission(1, 2, {ServerKind::gpu, 1}, sched::own_stream_of(2)));
  in_flight.add(submission(2, 2, {ServerKind::gpu, 2}, sched::own_stream_of(2)));
  EXPECT_THAT(jobs_in_turn(in_flight), testing::ElementsAre(1U, 2U));
}

TEST(InFlight, AStreamThatJobsShareIsServedInOrder) {
  InFlight in_flight;
  in_flight.add(submission(1, 0, {ServerKind::gpu, 1}, 0));
  in_flight.add(submission(2, 0, {ServerKind::gpu, 2}, 0));
  EXPECT_THAT(jobs_in_turn(in_flight), testing::ElementsAre(1U));
}

}  // namespace
}  // namespace tactus::runtime
