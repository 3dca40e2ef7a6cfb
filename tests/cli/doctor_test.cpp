// tactus doctor: what it answers depends on the machine, how it answers does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "support/command.hpp"

namespace tactus::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// A folder with an nvidia-smi of our own, as PATH and a place without MPS.
std::string machine_with(const std::string& nvidia_smi, const std::string& name) {
  namespace fs = std::filesystem;
  const std::string folder = temporary_path(name);
  fs::create_directory(folder);
  const std::string program = write_temporary(name + "/nvidia-smi", "#!/bin/sh\n" + nvidia_smi);
  fs::permissions(program, fs::perms::owner_all);
  return "CUDA_VISIBLE_DEVICES= CUDA_MPS_PIPE_DIRECTORY='" + folder + "' PATH='" + folder + "':/usr/bin:/bin";
}

const char* one_gpu = R"(case "$1" in
--query-gpu=name,driver_version,*) echo 'Test GPU, 580.1, Disabled, 345, 1980, Default, Disabled' ;;
--query-compute-apps=*) echo 4711; echo 4712 ;;
*) exit 2 ;;
esac
)";

std::string level_of(const json& report, const std::string& id) {
  for (const json& check : report["checks"]) {
    if (check["id"] == id) return check["level"];
  }
  return "missing";
}

std::string found_of(const json& report, const std::string& id) {
  for (const json& check : report["checks"]) {
    if (check["id"] == id) return check["found"];
  }
  return "missing";
}

bool any_fails(const json& report) {
  return std::any_of(report["checks"].begin(), report["checks"].end(),
                     [](const json& check) { return check["level"] == "fail"; });
}

TEST(Doctor, JsonHasTheDocumentedShape) {
  const Answer answer = tactus("doctor --device host --json");
  const json report = json::parse(answer.out);
  EXPECT_EQ(answer.status, any_fails(report) ? 1 : 0);
  EXPECT_EQ(report["verdict"] == "fail", any_fails(report));
  std::set<std::string> ids;
  for (const json& check : report["checks"]) {
    EXPECT_TRUE(ids.insert(check["id"]).second) << check;
    EXPECT_THAT((std::set<std::string>{"info", "pass", "warn", "fail"}), testing::Contains(check["level"]));
    EXPECT_THAT(check["title"].get<std::string>(), Not(IsEmpty()));
    EXPECT_THAT(check["found"].get<std::string>(), Not(IsEmpty())) << check;
    const bool to_do = check["level"] == "warn" || check["level"] == "fail";
    EXPECT_EQ(!check["to_do"].get<std::string>().empty(), to_do) << check;
  }
  for (const char* kind : {"sleep", "sleep_then_spin"}) {
    const json& lateness = report["timers"][kind];
    EXPECT_EQ(lateness["samples"], 1000);
    EXPECT_LE(lateness["median_ns"], lateness["p99_ns"]);
    EXPECT_LE(lateness["p99_ns"], lateness["max_ns"]);
  }
  const json& taken = report["timers"]["cpu_taken"];
  EXPECT_GE(taken["watched_ns"], 500'000'000);
  EXPECT_LE(taken["longest_ns"], taken["total_ns"]);
  EXPECT_LE(taken["total_ns"], taken["watched_ns"]);
  EXPECT_EQ(taken["times"] == 0, taken["total_ns"] == 0);
  EXPECT_EQ(report["gpus"], json::array());
}

TEST(Doctor, TextIsATableThenWhatToDo) {
  const Answer answer = tactus("doctor --quick");
  EXPECT_THAT(answer.out, StartsWith("check "));
  EXPECT_THAT(answer.out, testing::ContainsRegex("\nwake-up +info +not measured\n"));
  EXPECT_THAT(answer.err, IsEmpty());
  const json report = json::parse(tactus("doctor --quick --json").out);
  EXPECT_TRUE(report["timers"].is_null());
  for (const json& check : report["checks"]) {
    const std::string severity = check["level"];
    const std::string heading = severity + ": " + check["title"].get<std::string>() + "\n";
    const bool to_do = check["level"] == "warn" || check["level"] == "fail";
    EXPECT_EQ(answer.out.find(heading) != std::string::npos, to_do) << check;
  }
}

TEST(Doctor, AMissingGpuIsANoOnlyWhenItWasAskedFor) {
  const std::string machine = machine_with("exit 9\n", "no-gpu");
  const json asked = json::parse(tactus_where(machine, "doctor --quick --json --device cuda").out);
  EXPECT_EQ(level_of(asked, "gpu"), "fail");
  EXPECT_EQ(tactus_where(machine, "doctor --quick --device cuda").status, 1);
  const json any = json::parse(tactus_where(machine, "doctor --quick --json").out);
  EXPECT_EQ(level_of(any, "gpu"), "warn");
  const json host = json::parse(tactus_where(machine, "doctor --quick --json --device host").out);
  EXPECT_EQ(level_of(host, "gpu"), "missing");
}

TEST(Doctor, AsksNvidiaSmi) {
  const json report =
      json::parse(tactus_where(machine_with(one_gpu, "one-gpu"), "doctor --quick --json").out);
  EXPECT_THAT(found_of(report, "gpu"), StartsWith("Test GPU, but "));
  EXPECT_THAT(found_of(report, "gpu-driver"), StartsWith("580.1"));
  EXPECT_EQ(found_of(report, "gpu-clocks"), "345 of 1980 MHz");
  EXPECT_EQ(level_of(report, "gpu-persistence"), "warn");
  EXPECT_EQ(found_of(report, "gpu-users"), "2 processes computing");
  EXPECT_EQ(level_of(report, "mps"), "pass");
}

TEST(Doctor, SeesThePipeOfMps) {
  const std::string machine = machine_with(one_gpu, "with-mps");
  write_temporary("with-mps/control", "");
  const json report = json::parse(tactus_where(machine, "doctor --quick --json").out);
  EXPECT_EQ(level_of(report, "mps"), "warn");
}

TEST(Doctor, WorksWhereNothingElseIsInstalled) {
  const Answer answer = tactus_alone("doctor --quick --json --device cuda");
  EXPECT_THAT(answer.out, HasSubstr(R"("id":"gpu")"));
  EXPECT_THAT(answer.err, IsEmpty());
}

TEST(Doctor, AnUnknownDeviceIsAWrongQuestion) {
  const Answer answer = tactus("doctor --device tpu");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("--device"));
  EXPECT_THAT(answer.out, IsEmpty());
}

TEST(Doctor, HelpTeaches) {
  const Answer answer = tactus("doctor --help");
  EXPECT_EQ(answer.status, 0);
  for (const char* words :
       {"--quick", "--json", "--device", "Examples:", "Exit status:", "overheads: {release"}) {
    EXPECT_THAT(answer.out, HasSubstr(words));
  }
}

}  // namespace
}  // namespace tactus::test
