#include "tactus/io/write_system.hpp"

#include <filesystem>

#include "support/any_system.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "support/temporary_folder.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/model/validate.hpp"

namespace tactus {
namespace {

System read(const std::string& text) {
  ReadResult result = read_system(text, "written.yaml", Completeness::to_be_planned);
  if (!result.system) throw InputError{result.problems};
  return *result.system;
}

void expect_to_come_back(const System& system) {
  const std::string text = to_system_file(system);
  const ReadResult result = read_system(text, "written.yaml", Completeness::to_be_planned);
  ASSERT_TRUE(result.system) << to_string(result.problems.front()) << "\n" << text;
  ASSERT_EQ(*result.system, system) << text << "\nread and written again:\n"
                                    << to_system_file(*result.system);
}

TEST(WriteSystem, AnySystemComesBackEqual) {
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + test::tries<std::uint64_t>(5'000);
       ++seed) {
    const System system = test::any_system(seed);
    const std::vector<Violation> violations = validate(system);
    ASSERT_TRUE(violations.empty()) << "seed " << seed << ": " << violations.front().path << ": "
                                    << violations.front().message;
    expect_to_come_back(system);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
}

TEST(WriteSystem, SystemsOfTheSimulatorsTestsComeBackEqual) {
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + 200; ++seed) {
    expect_to_come_back(test::equal_block_system(seed));
    expect_to_come_back(test::mixed_scenario(seed).system);
    expect_to_come_back(test::bulk_scenario(seed).system);
    expect_to_come_back(test::strategy_scenario(seed).system);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
}

TEST(WriteSystem, RefusesWhatFilesCannotSay) {
  System system = test::any_system(1);
  EXPECT_NO_THROW(to_system_file(system));
  system.tasks[0].work.nodes[0].virtual_sms = 2;
  EXPECT_THROW(to_system_file(system), InputError);
}

TEST(WriteSystem, LeavesOutWhatHasItsDefault) {
  const std::string text =
      "tactus: 1\n"
      "name: robot\n"
      "platform: jetson-tx2\n"
      "policy:\n"
      "  strategy: sm-cores\n"
      "  order: fp\n"
      "  reservations: {period: 12ms, local: {budget: 8ms}, all: {offset: 8ms, budget: 4ms}}\n"
      "tasks:\n"
      "  - name: detector\n"
      "    period: 100ms\n"
      "    deadline: 80.5ms\n"
      "    sm: 0\n"
      "    longest_block: 0ns\n"
      "    exclusive: [3ms, 5ms]\n"
      "  - name: \"front camera: left\"\n"
      "    arrival: best-effort\n"
      "    kernel: {grid: [8, 8], block: 512, block_time: 1.2ms, shared_memory: 4KiB}\n"
      "  - name: chain\n"
      "    period: 1s\n"
      "    segments:\n"
      "      - cpu: 2ms\n"
      "      - copy: 250us\n"
      "      - gpu: {work: [8ms, 12ms], overhead: 200us, interleave: 1.5}\n"
      "  - name: pipeline\n"
      "    arrival: once\n"
      "    graph:\n"
      "      nodes:\n"
      "        a: {cpu: 1ns}\n"
      "        \"1\": {exclusive: 1ms}\n"
      "      edges: [[a, \"1\"]]\n";
  EXPECT_EQ(to_system_file(read(text)), text);
}

TEST(WriteSystem, ComplexPlatformsAreWrittenAsDifferencesFromTheirPreset) {
  const std::string text =
      "tactus: 1\n"
      "name: robot\n"
      "platform:\n"
      "  base: h200\n"
      "  cpus: {clusters: [4, 4]}\n"
      "  overheads: {launch: 5us}\n"
      "  gpu: {sms: 16, copy_bandwidth: 12GB/s, copy_chunk: 1MiB}\n"
      "policy:\n"
      "  strategy: federated\n"
      "  virtual_sms: {lidar: 4, \"a, b\": 0}\n"
      "tasks:\n"
      "  - name: lidar\n"
      "    period: 10ms\n"
      "    core: 7\n"
      "    segments:\n"
      "      - copy: {bytes: 4MiB, direction: to-device}\n"
      "      - gpu: {work: 2ms}\n"
      "  - name: \"a, b\"\n"
      "    period: 10ms\n"
      "    segments:\n"
      "      - cpu: 1ms\n";
  EXPECT_EQ(to_system_file(read(text)), text);
}

TEST(WriteSystem, ScriptsAreWrittenJobByJob) {
  const std::string text =
      "tactus: 1\n"
      "name: robot\n"
      "platform:\n"
      "  base: h200\n"
      "  overheads: {launch: 5us, completion: 2us}\n"
      "policy:\n"
      "  strategy: single-stream\n"
      "tasks:\n"
      "  - name: chain\n"
      "    arrival: sporadic\n"
      "    period: 1s\n"
      "    jitter: 1ms\n"
      "    segments:\n"
      "      - copy: [200us, 250us]\n"
      "      - exclusive: [1ms, 2ms]\n"
      "    jobs:\n"
      "      - {release: 3ms, late: 1ms, launch: 4us, completion: 0ns, time: [225us, 1ms]}\n"
      "      - {release: 1.003s}\n"
      "  - name: single\n"
      "    period: 10ms\n"
      "    exclusive: [1ms, 2ms]\n"
      "    jobs:\n"
      "      - {}\n"
      "      - {time: 1.5ms}\n";
  EXPECT_EQ(to_system_file(read(text)), text);
}

TEST(WriteSystem, ASystemWithoutNameGetsThatOfItsFile) {
  System system = test::equal_block_system(1);
  system.name.clear();
  const System back = read(to_system_file(system));
  EXPECT_EQ(back.name, "written");
}

TEST(WriteSystem, RefusesAFactorThatIsNoDecimal) {
  System system = test::equal_block_system(1);
  system.tasks.front().work = {.form = WorkForm::chain,
                               .nodes = {{"", GpuSegment{.work = Interval::exactly(Duration{5}),
                                                         .overhead = {},
                                                         .interleave = Rational{4, 3}}}},
                               .edges = {}};
  EXPECT_THROW(to_system_file(system), FailureError);
}

TEST(WriteSystem, SavesAFileThatLoads) {
  const test::TemporaryFolder folder;
  const System system = test::equal_block_system(3);
  const std::filesystem::path path = folder.path() / "saved.yaml";
  save(system, path);
  EXPECT_EQ(read_file(path), to_system_file(system));
  EXPECT_EQ(load(path), system);
  EXPECT_THROW(save(system, folder.path() / "no" / "such" / "folder.yaml"), FailureError);
}

}  // namespace
}  // namespace tactus
