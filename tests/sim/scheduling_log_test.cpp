// Logs of real schedules beside the simulator's. The log here is made up: two SMs with two slots each, `a`
// with three blocks of 2 ms, a little later `b` with two of 1 ms.
#include "support/scheduling_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::ElementsAre;

json log_of(double called, double arrived, const std::vector<int>& sms, const std::vector<double>& times) {
  return {{"times",
           {json::object(),
            {{"copy_in_times", {0.0, 0.0}}},
            {{"kernel_name", "spin"},
             {"block_count", sms.size()},
             {"thread_count", 1024},
             {"shared_memory", 0},
             {"cuda_launch_times", {called, arrived, times.back()}},
             {"block_times", times},
             {"block_smids", sms}}}}};
}

class SchedulingLog : public testing::Test {
 protected:
  SchedulingLog() {
    configuration["benchmarks"] = {
        {{"log_name", "a.json"}, {"label", "a"}, {"block_count", 3}, {"additional_info", 2'000'000}},
        {{"log_name", "b.json"}, {"label", "b"}, {"block_count", 2}, {"additional_info", 1'000'000}}};
  }
  LogComparison compare() {
    write_file(path_of("run.json"), configuration.dump());
    write_file(path_of("a.json"), a.dump());
    write_file(path_of("b.json"), b.dump());
    return compare_with_simulation(read_logs(path_of("run.json")), "jetson-tx2");
  }
  [[nodiscard]] std::string path_of(const char* name) const { return (folder.path() / name).string(); }
  json& b_blocks() { return b["times"][2]["block_times"]; }

  TemporaryFolder folder;
  json configuration;
  json a = log_of(0.1, 0.1003, {0, 1, 0}, {0.1004, 0.1025, 0.1004, 0.1025, 0.1004, 0.1025});
  json b = log_of(0.1001, 0.1005, {1, 1}, {0.1006, 0.1016, 0.1017, 0.1027});
};

TEST_F(SchedulingLog, AgreesWithinItsStartOffset) {
  const LogComparison comparison = compare();
  EXPECT_TRUE(comparison.agrees());
  EXPECT_EQ(comparison.start_offset, 400us);
  EXPECT_EQ(comparison.largest_difference(), 100us);
  ASSERT_EQ(comparison.blocks.size(), 5U);
  const BlockPair& last = comparison.blocks.back();
  EXPECT_EQ(last.kernel, "b");
  EXPECT_EQ(last.simulated.start, time_at(1'200us));  // where the first block of `b` was
  EXPECT_EQ(last.logged.start, time_at(1'300us));
}

TEST_F(SchedulingLog, ABlockOnAnotherSmDoesNotAgree) {
  b["times"][2]["block_smids"][1] = 0;
  const LogComparison comparison = compare();
  EXPECT_FALSE(comparison.agrees());
  EXPECT_THAT(comparison.elsewhere, ElementsAre("b"));
}

TEST_F(SchedulingLog, AnotherOrderDoesNotAgree) {
  b_blocks()[2] = 0.1025;  // as if it had waited for `a`
  b_blocks()[3] = 0.1035;
  const LogComparison comparison = compare();
  EXPECT_FALSE(comparison.agrees());
  EXPECT_TRUE(comparison.elsewhere.empty());
  EXPECT_EQ(comparison.largest_difference(), 900us);
}

TEST_F(SchedulingLog, SaysWhatItCannotRead) {
  b_blocks().erase(3);
  EXPECT_THROW(compare(), InputError);
  b = json{{"times", json::array()}};
  EXPECT_THROW(compare(), InputError);
  configuration["benchmarks"][1]["log_name"] = "c.json";
  EXPECT_THROW(compare(), InputError);
  configuration["max_iterations"] = 2;
  EXPECT_THROW(compare(), InputError);
  write_file(path_of("run.json"), "{");
  EXPECT_THROW(read_logs(path_of("run.json")), InputError);
}

}  // namespace
}  // namespace tactus::test
