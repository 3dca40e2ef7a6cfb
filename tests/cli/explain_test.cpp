// `tactus explain` and `tactus schema`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/command.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/report/glossary.hpp"
#include "tactus/report/problem_help.hpp"

namespace tactus::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Explain, KnowsEveryAnalysisMessageAndWord) {
  std::string words;
  std::size_t expected = 0;
  const auto add = [&](std::string_view word) {
    words += " '" + std::string{word} + "'";
    ++expected;
  };
  for (const analysis::Analysis& entry : analysis::registry()) add(entry.id);
  for (const ProblemName& problem : problem_names) add(problem.name);
  for (const report::Term& term : report::glossary()) add(term.word);
  const Answer answer = tactus("explain" + words);
  EXPECT_EQ(answer.status, 0) << answer.err;
  const Answer list = tactus("explain");
  EXPECT_EQ(list.status, 0);
  for (const analysis::Analysis& entry : analysis::registry()) {
    EXPECT_THAT(answer.out, HasSubstr(std::string{entry.id} + ": an analysis"));
    EXPECT_THAT(list.out, HasSubstr(entry.id));
  }
  for (const ProblemName& problem : problem_names) EXPECT_THAT(list.out, HasSubstr(problem.name));
}

TEST(Explain, AnAnalysisSaysWhatItsVerdictsMean) {
  const Answer answer = tactus("explain np-edf-as-published rtgpu");
  EXPECT_THAT(answer.out,
              AllOf(HasSubstr("sound: no, as published"), HasSubstr("kind: sufficient"),
                    HasSubstr("source: "), HasSubstr("needs: "), HasSubstr("What its verdicts mean:")));
}

TEST(Explain, AnAnalysisCitesItsSource) {
  EXPECT_THAT(tactus("explain rtgpu").out,
              AllOf(HasSubstr("RTGPU: A. Zou, J. Li"), HasSubstr("doi:10.1109/TPDS.2023.3235439")));
}

TEST(Explain, KnowsTheWordsOfTablesAndFiles) {
  for (const char* word :
       {"holds", "slack", "margin", "can shrink", "deadline", "period", "strategy", "order", "work",
        "interleave", "overhead", "overheads", "misses", "p99", "segments", "kernel", "platform"}) {
    const Answer answer = tactus(std::string{"explain "} + word);
    EXPECT_EQ(answer.status, 0) << answer.err;
  }
}

TEST(Explain, FitsTheTerminal) {
  for (const char* arguments : {"explain", "explain np-edf-as-published virtual-SM needs-plan"}) {
    std::istringstream lines{tactus_where("COLUMNS=70", arguments).out};
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 70U) << line;
  }
}

TEST(Explain, AMessageHasAnExampleAndAWayOut) {
  const Answer answer = tactus("explain missing-unit");
  EXPECT_THAT(answer.out, AllOf(HasSubstr("    tasks: [{name: a, period: 10, exclusive: 1ms}]\n"),
                                HasSubstr("What to do:"), HasSubstr("10ms")));
}

TEST(Explain, WordsNeedNoQuotes) {
  EXPECT_EQ(tactus("explain virtual SM").out, tactus("explain virtual-sms").out);
  EXPECT_THAT(tactus("explain gang window").out, HasSubstr("gang window: a term"));
  EXPECT_THAT(tactus("explain edf").out, HasSubstr("edf: an order"));
}

TEST(Explain, KnowsTheKeysOfSystemFiles) {
  for (const std::string key : {"grid", "block_time", "shared_memory", "stream_priority", "budget", "on_miss",
                                "max_jobs", "wait", "dispatch", "arrival", "refill", "platform"}) {
    const Answer answer = tactus("explain " + key);
    EXPECT_EQ(answer.status, 0) << key << answer.err;
  }
  EXPECT_THAT(tactus("explain on_miss").out,
              AllOf(HasSubstr("on_miss: a key of system files"),
                    HasSubstr("tasks.on_miss: run: what happens after a missed deadline")));
  EXPECT_THAT(tactus("explain on_mis").err, HasSubstr("did you mean `on_miss`?"));
}

TEST(Explain, SuggestsTheNearest) {
  const Answer answer = tactus("explain unprovn");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("did you mean `unproven`?"));
  EXPECT_THAT(answer.out, IsEmpty());
}

TEST(Explain, ExamplesThatAreCommandsAreRefusedWithTheirId) {
  const std::string empty = temporary_path("an-empty-folder");
  std::filesystem::create_directory(empty);
  for (const auto& [id, arguments] :
       {std::pair<std::string, std::string>{"unreadable-file", "check no-such-file.yaml"},
        {"no-system-files", "check " + empty}}) {
    EXPECT_THAT(tactus(arguments).err, HasSubstr("[" + id + "]"));
  }
  EXPECT_THAT(tactus("check examples/first.yaml --analysis block-rat").err, HasSubstr("[unknown-analysis]"));
  const std::string graph =
      "{tactus: 1, platform: h200, policy: {strategy: graph}, "
      "tasks: [{name: a, period: 10ms, exclusive: 1ms}]}";
  EXPECT_THAT(tactus_fed(graph, "sim -").err, HasSubstr("[not-supported]"));
  for (const report::ProblemHelp& help : report::problem_helps()) {
    if (!help.example.starts_with("tactus ")) continue;
    EXPECT_EQ(tactus(std::string{help.example.substr(7)}).status, 2) << help.example;
  }
}

TEST(SchemaVerb, PrintsTheSchema) {
  const Answer answer = tactus("schema");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.out, system_file_schema());
  EXPECT_TRUE(nlohmann::json::accept(answer.out));
}

}  // namespace
}  // namespace tactus::test
