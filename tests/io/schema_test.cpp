// The schema of system files says what the reader says, as far as a schema can.
#include "tactus/io/write_system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/json_schema.hpp"
#include "support/source_folder.hpp"
#include "tactus/base/file.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::json_from_yaml;
using test::schema_errors;
using testing::IsEmpty;
using testing::Not;

const json& schema() {
  static const json parsed = json::parse(system_file_schema());
  return parsed;
}

/// Blocks of YAML of a page, with what they leave out.
std::vector<std::string> examples_of(const std::string& page) {
  std::istringstream lines{read_file(test::in_repository(page))};
  std::vector<std::string> found;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "```yaml") {
      inside = true;
      found.emplace_back();
    } else if (line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      found.back() += line + "\n";
    }
  }
  return found;
}

json completed(const std::string& text) {
  json value = json_from_yaml(text);
  if (!value.contains("tactus")) value["tactus"] = 1;
  if (!value.contains("platform")) value["platform"] = "jetson-tx2";
  if (!value.contains("tasks")) value["tasks"] = json_from_yaml("[{name: a, period: 10ms, exclusive: 1ms}]");
  return value;
}

TEST(Schema, TakesEveryExampleOfTheFormatPage) {
  const std::vector<std::string> examples = examples_of("docs/format.md");
  EXPECT_GE(examples.size(), 10U);
  for (const std::string& text : examples)
    EXPECT_THAT(schema_errors(schema(), completed(text)), IsEmpty()) << text;
}

TEST(Schema, TakesEveryExampleFileThatTheReaderTakes) {
  int taken = 0;
  for (const auto& entry : fs::recursive_directory_iterator{test::in_repository("examples")}) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string text = read_file(entry.path());
    if (!read_system(text, "x.yaml", Completeness::to_be_planned).system) continue;
    ++taken;
    EXPECT_THAT(schema_errors(schema(), json_from_yaml(text)), IsEmpty()) << entry.path();
  }
  EXPECT_GE(taken, 15);
}

class BadSystem : public testing::TestWithParam<const char*> {};

TEST_P(BadSystem, IsRefusedByTheReaderAndByTheSchema) {
  EXPECT_FALSE(read_system(GetParam(), "x.yaml", Completeness::to_be_planned).system);
  EXPECT_THAT(schema_errors(schema(), json_from_yaml(GetParam())), Not(IsEmpty()));
}

#define TASKS "tasks: [{name: a, period: 10ms, exclusive: 1ms}]"
#define HEAD "{tactus: 1, platform: jetson-tx2, "

INSTANTIATE_TEST_SUITE_P(
    All, BadSystem,
    testing::Values(
        "{platform: jetson-tx2, " TASKS "}", "{tactus: 2, platform: jetson-tx2, " TASKS "}",
        "{tactus: 1, " TASKS "}", "{tactus: 1, platform: jetson-tx2}",
        "{tactus: 1, platform: jetson-tx2, tasks: []}", "{tactus: 1, platform: jetson-tx3, " TASKS "}",
        "{tactus: 1, platform: {}, " TASKS "}", "{tactus: 1, platform: {gpu: {warp: 32}}, " TASKS "}",
        "{tactus: 1, platform: {gpu: {sms: 0}}, " TASKS "}",
        "{tactus: 1, platform: {gpu: {sms: 2, sm_choice: best}}, " TASKS "}",
        "{tactus: 1, platform: {gpu: {sms: 2, shared_memory_per_sm: 64KB}}, " TASKS "}",
        "{tactus: 1, platform: {gpu: {sms: 2, copy_bandwidth: 12GB}}, " TASKS "}",
        "{tactus: 1, platform: {gpu: {sms: 2}, cpus: {clusters: []}}, " TASKS "}",
        "{tactus: 1, platform: {gpu: {sms: 2}, overheads: {lunch: 1us}}, " TASKS "}",
        HEAD "policy: {strategy: single}, " TASKS "}", HEAD "policy: {order: lifo}, " TASKS "}",
        HEAD "policy: {strategy: sm-cores, reservations: {local: {budget: 1ms}}}, " TASKS "}",
        HEAD "policy: {strategy: sm-cores, reservations: {period: 5ms, local: {offset: 1ms}}}, " TASKS "}",
        HEAD "policy: {strategy: graph, early_release: yes}, " TASKS "}",
        HEAD "tasks: [{period: 10ms, exclusive: 1ms}]}", HEAD "tasks: [{name: a, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: 10, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: 10 ms, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: -1ms, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: 1e3ms, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, rate: 30, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: 10ms, rate: 100Hz, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: 10ms, deadlin: 5ms, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: 10ms}]}",
        HEAD "tasks: [{name: a, period: 10ms, exclusive: 1ms, segments: [{cpu: 1ms}]}]}",
        HEAD "tasks: [{name: a, arrival: once, period: 10ms, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, arrival: often, period: 10ms, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: 10ms, exclusive: [1ms, 2ms, 3ms]}]}",
        HEAD "tasks: [{name: a, period: 10ms, sm: some, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: 10ms, priority: -1, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: 10ms, priority: high, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: 10ms, on_miss: abort, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: 10ms, max_jobs: 0, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: 10ms, max_jobs: 2, on_full: drop, exclusive: 1ms}]}",
        HEAD "tasks: [{name: a, period: 10ms, kernel: {grid: 1, block: 32}}]}",
        HEAD "tasks: [{name: a, period: 10ms, kernel: {grid: 0, block: 32, block_time: 1ms}}]}",
        HEAD "tasks: [{name: a, period: 10ms, kernel: {grid: [1, 1, 1, 1], block: 32, block_time: 1ms}}]}",
        HEAD "tasks: [{name: a, period: 10ms, kernel: {grid: 1, block: 32, block_time: 1ms, registers: 1, "
             "registers_per_thread: 1}}]}",
        HEAD "tasks: [{name: a, period: 10ms, segments: []}]}",
        HEAD "tasks: [{name: a, period: 10ms, segments: [{}]}]}",
        HEAD "tasks: [{name: a, period: 10ms, segments: [{cpu: 1ms, copy: 1ms}]}]}",
        HEAD "tasks: [{name: a, period: 10ms, segments: [{copy: 4MiB}]}]}",
        HEAD "tasks: [{name: a, period: 10ms, segments: [{gpu: {work: 1ms, interleave: 0.5}}]}]}",
        HEAD "tasks: [{name: a, period: 10ms, graph: {nodes: {}}}]}",
        HEAD "tasks: [{name: a, period: 10ms, graph: {nodes: {n: {parts: []}}}}]}",
        HEAD "tasks: [{name: a, period: 10ms, graph: {nodes: {n: {parts: {x: 1ms}}}}}]}",
        HEAD "tasks: [{name: a, period: 10ms, graph: {nodes: {n: {cpu: 1ms}}, edges: [[n]]}}]}",
        HEAD "tasks: [{name: a, period: 10ms, exclusive: 1ms, jobs: [{when: 1ms}]}]}",
        HEAD "chains: {name: c, tasks: [a]}, " TASKS "}", HEAD "chains: [{tasks: [a]}], " TASKS "}",
        HEAD "chains: [{name: c}], " TASKS "}", HEAD "chains: [{name: c, tasks: []}], " TASKS "}",
        HEAD "chains: [{name: c, tasks: [a], reaction: 5}], " TASKS "}",
        HEAD "chains: [{name: c, tasks: [a], communication: fifo}], " TASKS "}"));

#undef TASKS
#undef HEAD

/// What the reader says is known where `written` stands: with a key there that is near to none.
std::set<std::string> known_to_the_reader(const std::string& text) {
  const std::string mark = "known here: ";
  for (const Problem& problem : read_system(text, "x.yaml").problems) {
    const std::size_t at = problem.hint.find(mark);
    if (problem.id != ProblemId::unknown_key || at == std::string::npos) continue;
    std::istringstream list{problem.hint.substr(at + mark.size())};
    std::set<std::string> keys;
    for (std::string key; list >> key;) keys.insert(key.substr(0, key.find(',')));
    return keys;
  }
  ADD_FAILURE() << text;
  return {};
}

std::set<std::string> keys_of(const json& map) {
  std::set<std::string> keys;
  for (const auto& [key, value] : map.at("properties").items()) keys.insert(key);
  return keys;
}

TEST(Schema, KnowsTheKeysThatTheReaderKnows) {
  const json& root = schema();
  const json& task = root["definitions"]["task"];
  const json& segment = root["definitions"]["segment"];
  const json& platform = root["properties"]["platform"]["anyOf"][1];
  const json& reservations = root["properties"]["policy"]["properties"]["reservations"];
  const auto task_with = [](const std::string& entries) {
    return "{tactus: 1, platform: jetson-tx2, tasks: [{name: a, period: 10ms, " + entries + "}]}";
  };
  const auto with = [](const std::string& entries) { return "{tactus: 1, " + entries + ", tasks: []}"; };
  EXPECT_EQ(keys_of(root), known_to_the_reader("{qqqqqqqqqqqqqqqq: 1}"));
  EXPECT_EQ(keys_of(platform), known_to_the_reader(with("platform: {qqqqqqqqqqqqqqqq: 1}")));
  EXPECT_EQ(keys_of(platform["properties"]["gpu"]),
            known_to_the_reader(with("platform: {gpu: {qqqqqqqqqqqqqqqq: 1}}")));
  EXPECT_EQ(keys_of(platform["properties"]["overheads"]),
            known_to_the_reader(with("platform: {base: h200, overheads: {qqqqqqqqqqqqqqqq: 1}}")));
  EXPECT_EQ(keys_of(root["properties"]["policy"]),
            known_to_the_reader(with("policy: {qqqqqqqqqqqqqqqq: 1}")));
  EXPECT_EQ(keys_of(reservations),
            known_to_the_reader(with("policy: {reservations: {qqqqqqqqqqqqqqqq: 1}}")));
  EXPECT_EQ(keys_of(reservations["properties"]["local"]),
            known_to_the_reader(with("policy: {reservations: {local: {qqqqqqqqqqqqqqqq: 1}}}")));
  EXPECT_EQ(keys_of(root["properties"]["chains"]["items"]),
            known_to_the_reader(with("chains: [{qqqqqqqqqqqqqqqq: 1}]")));
  EXPECT_EQ(keys_of(task), known_to_the_reader(task_with("qqqqqqqqqqqqqqqq: 1")));
  EXPECT_EQ(keys_of(root["definitions"]["kernel"]),
            known_to_the_reader(task_with("kernel: {qqqqqqqqqqqqqqqq: 1}")));
  auto of_segments = keys_of(segment);
  of_segments.insert({"core", "either"});
  EXPECT_EQ(of_segments, known_to_the_reader(task_with("segments: [{qqqqqqqqqqqqqqqq: 1}]")));
  EXPECT_EQ(
      keys_of(task["properties"]["segments"]["items"]["anyOf"][1]),
      known_to_the_reader(task_with("segments: [{either: [{cpu: 1ms}, {cpu: 2ms}], qqqqqqqqqqqqqqqq: 1}]")));
  EXPECT_EQ(keys_of(segment["properties"]["gpu"]),
            known_to_the_reader(task_with("segments: [{gpu: {qqqqqqqqqqqqqqqq: 1}}]")));
  EXPECT_EQ(keys_of(segment["properties"]["copy"]["anyOf"][1]),
            known_to_the_reader(task_with("segments: [{copy: {qqqqqqqqqqqqqqqq: 1}}]")));
  EXPECT_EQ(keys_of(task["properties"]["graph"]),
            known_to_the_reader(task_with("graph: {qqqqqqqqqqqqqqqq: 1}")));
  EXPECT_EQ(keys_of(task["properties"]["jobs"]["items"]),
            known_to_the_reader(task_with("exclusive: 1ms, jobs: [{qqqqqqqqqqqqqqqq: 1}]")));
}

TEST(Schema, DescribesEveryKey) {
  const auto look = [](const auto& self, const json& part, const std::string& path) -> void {
    if (part.is_object() && part.contains("properties")) {
      for (const auto& [key, value] : part["properties"].items()) {
        const bool refers = value.contains("$ref");
        const bool is_a_condition = path.find("/anyOf") != std::string::npos && !value.contains("type");
        EXPECT_TRUE(refers || is_a_condition || value.contains("description") || path.ends_with("/if"))
            << path << "/" << key;
      }
    }
    if (!part.is_structured()) return;
    for (const auto& [key, value] : part.items()) self(self, value, path + "/" + key);
  };
  look(look, schema(), "");
}

}  // namespace
}  // namespace tactus
