// What the command tells about itself: help, its examples, manual pages and completion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/command.hpp"
#include "support/source_folder.hpp"
#include "tactus/base/file.hpp"

namespace tactus::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> lines_of_text(const std::string& text) {
  std::istringstream stream{text};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string help_of(const std::string& verb) {
  return tactus_where("COLUMNS=200", verb.empty() ? "--help" : verb + " --help").out;
}

/// Names of the verbs that the help of `verb` lists: indented, before its options.
std::vector<std::string> verbs_of(const std::string& verb) {
  std::vector<std::string> verbs;
  bool group = false;
  for (const std::string& line : lines_of_text(help_of(verb))) {
    if (line == "Options:" || line == "Arguments:") break;
    if (group && line.starts_with("  ") && line[2] != ' ') {
      verbs.push_back((verb.empty() ? "" : verb + " ") + line.substr(2, line.find(' ', 2) - 2));
    }
    if (!line.starts_with(' ') && line.ends_with(':')) group = true;
  }
  return verbs;
}

/// The command and its verbs and theirs: "", "check", "measure", "measure copy".
std::vector<std::string> all_verbs() {
  std::vector<std::string> all{""};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const std::string& verb : verbs_of(all[i])) all.push_back(verb);
  }
  return all;
}

/// Known without asking: tests are listed often.
const std::vector<std::string> known_verbs{"",
                                           "init",
                                           "generate",
                                           "transform",
                                           "import",
                                           "platforms",
                                           "schema",
                                           "check",
                                           "sim",
                                           "plan",
                                           "compare",
                                           "doctor",
                                           "measure",
                                           "run",
                                           "analyses",
                                           "explain",
                                           "falsify",
                                           "sweep",
                                           "help",
                                           "completion",
                                           "measure overheads",
                                           "measure kernel",
                                           "measure copy"};

/// Commands below "Examples:", without what is said about them.
std::vector<std::string> examples_of(const std::string& verb) {
  std::vector<std::string> examples;
  bool inside = false;
  bool goes_on = false;
  for (const std::string& line : lines_of_text(help_of(verb))) {
    if (line == "Examples:" || line == "Example:") {
      inside = true;
      continue;
    }
    if (inside && !line.starts_with("  ")) inside = false;
    if (!inside) continue;
    const std::size_t margin = line.find_first_not_of(' ');
    const std::string command = line.substr(margin, std::min(line.find("  ", margin), line.size()) - margin);
    if (goes_on) {
      examples.back() += command;
    } else if (margin == 2) {
      examples.push_back(command);
    }
    if (examples.empty()) continue;
    goes_on = examples.back().ends_with('\\');
    if (goes_on) examples.back().pop_back();
  }
  return examples;
}

/// An example as a test can afford it.
struct Affordable {
  std::string arguments;    // behind `tactus`
  bool parse_only = false;  // it needs a GPU or other machines
};

Affordable affordable(const std::string& example) {
  Affordable command;
  const std::size_t name = example.find("tactus ");
  command.arguments = name == std::string::npos ? "" : example.substr(name + std::string{"tactus "}.size());
  command.arguments = command.arguments.substr(0, command.arguments.find(" > "));  // the shell's business
  const auto has = [&](const std::string& what) { return command.arguments.find(what) != std::string::npos; };
  command.parse_only =
      has("--device cuda") || has("measure kernel") || has("measure copy") || example.starts_with("mpirun");
#ifndef TACTUS_HAS_IMPORT
  command.parse_only = command.parse_only || command.arguments.starts_with("import");
#endif
  const auto less = [&](const std::string& verb, const std::string& option, const std::string& value) {
    if (!command.arguments.starts_with(verb)) return;
    command.arguments = std::regex_replace(command.arguments, std::regex{option + " \\S+"}, "");
    command.arguments += " " + option + " " + value;
  };
  less("run", "--for", "100ms");
  less("measure overheads", "--samples", "5");
  less("falsify", "--systems", "3");
  less("sweep", "--systems", "1");
  if (command.arguments.starts_with("doctor") && !has("--quick")) command.arguments += " --quick";
  return command;
}

/// What examples call their files.
std::string folder_for(const std::string& verb) {
  std::string name = "examples-of-" + (verb.empty() ? "tactus" : verb);
  std::replace(name.begin(), name.end(), ' ', '-');
  const fs::path folder = temporary_path(name);
  fs::create_directory(folder);
  for (const char* shared : {"examples", "experiments"}) {
    fs::create_directory_symlink(in_repository(shared), folder / shared);
  }
  if (verb == "init") return folder.string();  // it makes them
  fs::copy_file(in_repository("examples/runtime/robot.yaml"), folder / "robot.yaml");
  fs::create_directory(folder / "systems");
  fs::copy_file(in_repository("examples/first.yaml"), folder / "systems/first.yaml");
  std::ofstream{folder / "experiment.yaml"} << R"(tactus-experiment: 1
generator: {kind: gpu-jobs, tasks: 3, periods: [10ms, 20ms], arrival: sporadic}
vary: {parameter: utilisation, from: 0.2, to: 0.4, step: 0.2}
analyses: [np-edf]
systems: 1
seed: 1
)";
  return folder.string();
}

class Verb : public testing::TestWithParam<std::string> {};

TEST_P(Verb, HasExamplesThatWork) {
  const std::vector<std::string> examples = examples_of(GetParam());
  EXPECT_THAT(examples, Not(IsEmpty()));
  const std::string folder = folder_for(GetParam());
  for (const std::string& example : examples) {
    const Affordable command = affordable(example);
    const Answer answer = tactus_in(folder, (command.parse_only ? "--parse-only " : "") + command.arguments);
    EXPECT_LE(answer.status, command.parse_only ? 0 : 1) << example << "\n" << answer.err;
  }
}

TEST_P(Verb, IsExplainedByHelpToo) {
  EXPECT_EQ(tactus_where("COLUMNS=200", "help " + GetParam()).out, help_of(GetParam()));
}

TEST_P(Verb, KnowsColours) { EXPECT_THAT(help_of(GetParam()), HasSubstr("--color auto|always|never")); }

INSTANTIATE_TEST_SUITE_P(Command, Verb, testing::ValuesIn(known_verbs), [](const auto& parameter) {
  std::string name = parameter.param.empty() ? "tactus" : parameter.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST(Help, GroupsEveryVerbByWhatPeopleDo) {
  EXPECT_THAT(help_of(""),
              AllOf(HasSubstr("\nDescribe a system:\n  init "), HasSubstr("\nAsk about it:\n  check "),
                    HasSubstr("\nRun it:\n"), HasSubstr("\nStudy analyses:\n"), Not(HasSubstr("Other:"))));
}

TEST(Help, OfEveryVerbIsTested) { EXPECT_THAT(all_verbs(), testing::UnorderedElementsAreArray(known_verbs)); }

TEST(Help, BreaksLongCommandsAsAShellReadsThem) {
  const std::string help = tactus_where("COLUMNS=64", "generate --help").out;
  EXPECT_THAT(help, HasSubstr("  tactus generate pruda --set utilisation_1=0.6 \\\n"
                              "        --set utilisation_all=0.2 --set periods='[4ms, 6ms]' \\\n"
                              "        --count 100 -o systems\n"));
}

TEST(Help, OfNoVerbSuggestsOne) {
  const Answer answer = tactus("help chek");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err,
              AllOf(HasSubstr("there is no verb 'chek'"), HasSubstr("did you mean `tactus help check`?")));
  EXPECT_EQ(tactus("help measure nothing").status, 2);
}

TEST(Help, NamesTheVerbThatIsWrongBehindAnOption) {
  const Answer answer = tactus("--color never chek a.yaml");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("there is no verb 'chek'"));
}

// --- pages ------------------------------------------------------------------------------------------------

/// Commands of a page outside its console blocks: indented, or in other blocks; with or without a prompt. In
/// blocks of text (pipelines of other tools) also behind what these write before a command.
std::vector<std::string> commands_in(const std::string& page) {
  static const std::regex command{R"(^\s*(\$ )?((mpirun .*)?tactus [a-z][^#>]*).*$)"};
  static const std::regex step{R"(^\s*(- |- run: |.* sh ')?(tactus [a-z][^#>|]*).*$)"};
  std::vector<std::string> commands;
  std::string fence;
  for (const std::string& line : lines_of_text(page)) {
    if (line.starts_with("```")) {
      fence = fence.empty() ? line : "";
      continue;
    }
    const bool pipeline = fence == "```text" || fence == "```sh";
    const bool shown = pipeline || (fence.empty() ? line.starts_with("    ") : fence == "```");
    std::smatch found;
    if (shown && std::regex_match(line, found, pipeline ? step : command)) {
      const std::string whole = found[2];
      commands.push_back(whole.substr(whole.rfind("tactus ") + std::string{"tactus "}.size()));
    }
  }
  return commands;
}

TEST(CommandsOfPages, OfPipelinesAreFound) {
  EXPECT_THAT(commands_in(read_file(in_repository("docs/pipelines.md"))),
              IsSupersetOf({"check systems --format github", "check systems --format sarif ",
                            "check systems --format junit ", "check systems --json "}));
}

TEST(CommandsOfPages, RunWhereThatIsCheap) {
  const std::string folder = folder_for("pages");
  // A file with what the pages change in one.
  std::ofstream{folder + "/robot.yaml"} << R"(tactus: 1
platform: jetson-agx-orin-64gb
policy: {strategy: single-stream, order: fp}
tasks:
  - {name: lidar, period: 50ms, kernel: {grid: 4, block: 256, block_time: 1ms}}
  - {name: camera, period: 100ms, kernel: {grid: 4, block: 256, block_time: 1ms}}
  - {name: mapper, period: 100ms, segments: [{copy: 1ms}, {kernel: {grid: 4, block: 256, block_time: 1ms}}]}
)";
  for (const char* page : {"README.md", "docs/format.md"}) {
    const std::vector<std::string> commands = commands_in(read_file(in_repository(page)));
    EXPECT_THAT(commands, Not(IsEmpty())) << page;
    for (const std::string& command : commands) {
      const Affordable what = affordable("tactus " + command);
      const Answer answer = tactus_in(folder, (what.parse_only ? "--parse-only " : "") + what.arguments);
      EXPECT_LE(answer.status, what.parse_only ? 0 : 1) << page << ": tactus " << command << "\n"
                                                        << answer.err;
    }
  }
}

TEST(CommandsOfPages, CanBeRead) {
  std::vector<fs::path> pages{in_repository("README.md"), in_repository("CONTRIBUTING.md")};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator{in_repository("docs")}) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  std::size_t read = 0;
  for (const fs::path& page : pages) {
    for (const std::string& command : commands_in(read_file(page))) {
      ++read;
      const Answer answer = tactus("--parse-only " + command);
      EXPECT_EQ(answer.status, 0) << page << ": tactus " << command << "\n" << answer.err;
    }
  }
  EXPECT_GT(read, 5U);
}

// --- manual pages -----------------------------------------------------------------------------------------

TEST(Manual, HasAPageForEveryVerb) {
  const std::string folder = temporary_path("manual");
  ASSERT_EQ(tactus("manual " + folder).status, 0);
  for (std::string verb : all_verbs()) {
    std::replace(verb.begin(), verb.end(), ' ', '-');
    const std::string page = read_file(folder + "/man1/tactus" + (verb.empty() ? "" : "-" + verb) + ".1");
    EXPECT_THAT(page, AllOf(StartsWith(".TH TACTUS"), HasSubstr("\n.SH NAME\n"),
                            HasSubstr("\n.SH SYNOPSIS\n"), HasSubstr("\n.SH OPTIONS\n")))
        << verb;
  }
  const std::string check = read_file(folder + "/man1/tactus-check.1");
  EXPECT_THAT(check, AllOf(HasSubstr("tactus\\-check \\- Does it hold?"), HasSubstr("\n.SH EXAMPLES\n"),
                           HasSubstr("\n.SH EXIT STATUS\n0 schedulable"), HasSubstr("\\fB\\-\\-json\\fR")));
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_EQ(read_file(folder + "/tactus." + shell), tactus(std::string{"completion "} + shell).out);
  }
}

// --- completion -------------------------------------------------------------------------------------------

/// What bash offers for the last of these words.
std::vector<std::string> completed(const std::string& words, const std::string& folder = in_repository()) {
  static const std::string script = write_temporary("tactus.bash", tactus("completion bash").out);
  const std::string line =
      "cd '" + folder + "' && bash -c 'source " + script + "; COMP_WORDS=(tactus " + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tactus; printf \"%s\\n\" \"${COMPREPLY[@]}\"'";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe{::popen(line.c_str(), "r"), ::pclose};
  std::string out;
  for (std::array<char, 4096> part{}; std::fgets(part.data(), part.size(), pipe.get()) != nullptr;)
    out += part.data();
  std::vector<std::string> lines = lines_of_text(out);
  std::erase(lines, "");
  return lines;
}

TEST(Completion, OfVerbs) {
  EXPECT_THAT(completed("ch"), ElementsAre("check"));
  EXPECT_THAT(completed("\"\""), IsSupersetOf({"check", "sim", "init", "measure"}));
  EXPECT_THAT(completed("\"\""), Not(Contains("manual"))) << "hidden";
  EXPECT_THAT(completed("measure \"\""), ElementsAre("overheads", "kernel", "copy"));
}

TEST(Completion, OfOptions) {
  EXPECT_THAT(completed("check --js"), ElementsAre("--json"));
  EXPECT_THAT(completed("--col"), ElementsAre("--color"));
  EXPECT_THAT(completed("measure overheads --d"), ElementsAre("--device"));
  EXPECT_THAT(completed("--color never sim --exe"), ElementsAre("--execution"));
}

TEST(Completion, OfChoices) {
  EXPECT_THAT(completed("sim a.yaml --execution \"\""), ElementsAre("worst", "best", "random"));
  EXPECT_THAT(completed("sim a.yaml --execution = b"), ElementsAre("best"));
  EXPECT_THAT(completed("sim a.yaml --execution ="), ElementsAre("worst", "best", "random"));
  EXPECT_THAT(completed("check --analysis np-f"), ElementsAre("np-fp"));
  EXPECT_THAT(completed("check --analysis np-edf,np-f"), ElementsAre("np-edf,np-fp"));
  EXPECT_THAT(completed("init --platform jetson-tx"), ElementsAre("jetson-tx2"));
  EXPECT_THAT(completed("completion z"), ElementsAre("zsh"));
  EXPECT_THAT(completed("help che"), ElementsAre("check"));
}

TEST(Completion, OfStrategiesAndOrders) {
  const auto strategies = ElementsAre("as-submitted", "single-stream", "multi-stream", "sm-cores",
                                      "federated", "time-sliced", "graph");
  for (const char* verb : {"check", "sim", "plan", "run", "compare"}) {
    EXPECT_THAT(completed(std::string{verb} + " --strategy \"\""), strategies) << verb;
  }
  EXPECT_THAT(completed("compare --strategy sm-cores,fed"), ElementsAre("sm-cores,federated"));
  EXPECT_THAT(completed("sim --order \"\""), ElementsAre("edf", "fp", "fl"));
  EXPECT_THAT(tactus("completion zsh").out, HasSubstr("(as-submitted single-stream multi-stream "));
  EXPECT_THAT(tactus("completion fish").out, HasSubstr("-a 'as-submitted single-stream multi-stream "));
}

TEST(Completion, OfPlatformsAndWordsToExplain) {
  EXPECT_THAT(completed("platforms jetson-tx"), ElementsAre("jetson-tx2"));
  EXPECT_THAT(completed("explain np-f"), Contains("np-fp"));
  EXPECT_THAT(completed("explain missing-u"), ElementsAre("missing-unit"));
  EXPECT_THAT(completed("explain virtual-"), ElementsAre("virtual-SM"));
  EXPECT_EQ(tactus("explain virtual-SM").status, 0);
}

TEST(Completion, PrefersSystemFiles) {
  const std::string folder = temporary_path("with other files");
  fs::create_directories(folder + "/systems");
  for (const char* name : {"/systems.txt", "/systems.yaml", "/system.yml", "/notes.txt"}) {
    std::ofstream{folder + name};
  }
  EXPECT_THAT(completed("check sys", folder),
              testing::UnorderedElementsAre("systems.yaml", "system.yml", "systems"));
  EXPECT_THAT(completed("check no", folder), ElementsAre("notes.txt")) << "there is nothing better";
  EXPECT_THAT(completed("sim a.yaml --trace sys", folder), Contains("systems.txt"));
  EXPECT_THAT(tactus("completion zsh").out, HasSubstr("_files -g \"*.(yaml|yml)\""));
  EXPECT_THAT(tactus("completion fish").out, HasSubstr("__fish_complete_suffix .yaml"));
}

TEST(Completion, OfFiles) {
  EXPECT_THAT(completed("check examples/fir"), ElementsAre("examples/first.yaml"));
  EXPECT_THAT(completed("sim --trace examples/fir"), ElementsAre("examples/first.yaml"));
  EXPECT_THAT(completed("sim --for \"\""), IsEmpty()) << "a length of time is no file";
  const std::string folder = temporary_path("with spaces");
  fs::create_directory(folder);
  std::ofstream{folder + "/a system.yaml"};
  EXPECT_THAT(completed("check a", folder), ElementsAre("a system.yaml"));
}

TEST(Completion, OfOtherShellsKnowsTheSame) {
  EXPECT_THAT(tactus("completion zsh").out,
              AllOf(StartsWith("#compdef tactus\n"), HasSubstr("'--json[JSON for machines"),
                    HasSubstr(":(worst best random)'")));
  EXPECT_THAT(tactus("completion fish").out,
              AllOf(HasSubstr("-n '__fish_seen_subcommand_from check' -l json "),
                    HasSubstr("-a 'worst best random'")));
  EXPECT_EQ(tactus("completion tcsh").status, 2);
}

// --- init -------------------------------------------------------------------------------------------------

class FirstFile : public testing::TestWithParam<const char*> {};

TEST_P(FirstFile, WorksWithEveryVerb) {
  const std::string folder = temporary_path(std::string{"init-"} + GetParam());
  fs::create_directory(folder);
  ASSERT_EQ(tactus_in(folder, std::string{"init --strategy "} + GetParam()).status, 0);
  EXPECT_THAT(tactus_in(folder, "check system.yaml").out, StartsWith("system: schedulable\n"));
  EXPECT_EQ(tactus_in(folder, "sim system.yaml").status, 0);
  EXPECT_THAT(tactus_in(folder, "plan system.yaml -o planned.yaml").out, StartsWith("system: found\n"));
  EXPECT_THAT(tactus_in(folder, "check planned.yaml").out, StartsWith("system: schedulable\n"));
  const Answer run = tactus_in(folder, "run system.yaml --device host --for 100ms");
  EXPECT_LE(run.status, 1) << "a slow machine may be late: " << run.err;
  EXPECT_THAT(run.out, HasSubstr("detector"));
}

INSTANTIATE_TEST_SUITE_P(Strategies, FirstFile,
                         testing::Values("single-stream", "multi-stream", "sm-cores", "federated"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Init, WorksForEveryPlatform) {
  for (const std::string& platform : completed("init --platform \"\"")) {
    for (const char* strategy : {"multi-stream", "sm-cores", "federated"}) {
      const Answer file = tactus("init - --strategy " + std::string{strategy} + " --platform " + platform);
      ASSERT_EQ(file.status, 0) << file.err;
      EXPECT_EQ(tactus("check " + write_temporary("platform.yaml", file.out)).status, 0)
          << platform << ", " << strategy;
    }
  }
}

TEST(Init, NeverOverwrites) {
  const std::string file = write_temporary("mine.yaml", "mine\n");
  const Answer answer = tactus("init " + file);
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("mine.yaml: is there already"));
  EXPECT_EQ(read_file(file), "mine\n");
}

TEST(Init, NamesTheSystemAfterTheFileAndSaysWhatIsNext) {
  const std::string file = temporary_path("robot arm.yaml");
  const Answer answer = tactus("init '" + file + "'");
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.err, AllOf(HasSubstr("tactus check "), HasSubstr("--picture")));
  EXPECT_THAT(tactus("check '" + file + "'").out, StartsWith("robot arm: "));
  const std::string odd = temporary_path("a: [b.yaml");
  EXPECT_EQ(tactus("init '" + odd + "'").status, 0);
  EXPECT_THAT(tactus("check '" + odd + "'").out, StartsWith("system: "));
}

TEST(Init, FitsATerminal) {
  for (const char* strategy : {"single-stream", "multi-stream", "sm-cores", "federated"}) {
    const Answer file = tactus(std::string{"init - --platform jetson-agx-orin-64gb --strategy "} + strategy);
    ASSERT_EQ(file.status, 0) << file.err;
    for (const std::string& line : lines_of_text(file.out)) EXPECT_LE(line.size(), 80U) << line;
  }
  EXPECT_THAT(tactus("init - --strategy federated").out, HasSubstr("# work: its time on one virtual SM\n"));
}

TEST(Init, SuggestsAPlatformAsOthersDo) {
  EXPECT_THAT(tactus("init - --platform jetson-orin-agx").err,
              HasSubstr(tactus("platforms jetson-orin-agx").err.substr(std::string{"error: "}.size())));
}

TEST(Init, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(tactus("init - --platform h300").status, 2);
  EXPECT_THAT(tactus("init - --platform h300").err, HasSubstr("did you mean `h200`?"));
  EXPECT_EQ(tactus("init /nowhere/a.yaml").status, 3);
}

}  // namespace
}  // namespace tactus::test
