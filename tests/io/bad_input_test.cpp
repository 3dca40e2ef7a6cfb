// Every kind of bad input: where it is reported, what is said about it, and what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "support/marked_text.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus {
namespace {

using test::Marked;
using test::take_marks;
using testing::HasSubstr;

/// Parts of what must be said.
struct Said {
  std::string message;
  std::string hint;
};

/// A text with `@` before each place where a problem must be reported, and what must be said there.
struct BadInput {
  std::string name;
  std::string text;
  std::vector<Said> said;
};

std::ostream& operator<<(std::ostream& out, const BadInput& input) { return out << input.name; }

class BadInputTest : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsToldWithPlaceAndHint) {
  const Marked marked = take_marks(GetParam().text);
  const std::vector<Said>& said = GetParam().said;
  ASSERT_FALSE(said.empty());
  ASSERT_EQ(marked.places.size(), said.size());
  const ReadResult result = read_system(marked.text, "bad.yaml");
  EXPECT_FALSE(result.system);
  std::string all;
  for (const Problem& problem : result.problems) all += to_string(problem) + "\n";
  ASSERT_EQ(result.problems.size(), said.size()) << all;
  for (std::size_t i = 0; i < said.size(); ++i) {
    const Problem& problem = result.problems[i];
    EXPECT_EQ(problem.file, "bad.yaml");
    EXPECT_EQ(std::pair(problem.line, problem.column), marked.places[i]) << all;
    EXPECT_THAT(problem.message, HasSubstr(said[i].message));
    EXPECT_THAT(problem.hint, HasSubstr(said[i].hint));
    EXPECT_FALSE(problem.hint.empty()) << all;
  }
}

/// A file whose only task is this flow map.
std::string file_with_task(const std::string& task) {
  return "tactus: 1\nplatform: jetson-tx2\ntasks:\n  - " + task + "\n";
}

/// A periodic task with these further keys.
std::string with_task_keys(const std::string& keys) {
  return file_with_task("{name: a, period: 10ms, " + keys + "}");
}

std::string with_work_in_chain(const std::string& segments) {
  return with_task_keys("segments: " + segments);
}

std::string with_kernel(const std::string& kernel) { return with_task_keys("kernel: " + kernel); }

std::string with_graph(const std::string& graph) { return with_task_keys("graph: " + graph); }

std::string with_platform(const std::string& platform, const std::string& task = "exclusive: 1ms") {
  return "tactus: 1\nplatform: " + platform + "\ntasks: [{name: a, period: 10ms, " + task + "}]\n";
}

std::string with_gpu(const std::string& gpu, const std::string& task = "exclusive: 1ms") {
  return with_platform("{base: jetson-tx2, gpu: {" + gpu + "}}", task);
}

std::string with_policy(const std::string& policy, const std::string& task = "exclusive: 1ms") {
  return "tactus: 1\nplatform: jetson-tx2\npolicy: " + policy + "\ntasks: [{name: detector, period: 10ms, " +
         task + "}]\n";
}

std::vector<BadInput> texts() {
  return {
      {"Empty", "@", {{"the file is empty", "tactus: 1"}}},
      {"OnlySpace", "@ \n\n", {{"the file is empty", "tactus: 1"}}},
      {"OnlyComments", "@# nothing\n# here\n", {{"only comments", "tactus: 1"}}},
      {"OnlyDocumentMark", "@---\n", {{"holds no values", "tactus: 1"}}},
      {"ByteOrderMarkTakesNoColumn",
       "\xef\xbb\xbf"
       "tactus: 1\nplatform: jetson-tx2\ntasks: @5\n",
       {{"tasks is `5`, but must be a list", "[{name: a"}}},
      {"ControlCharacter", "tactus: 1\nname: a@\x07\n", {{"control character U+0007", "remove it"}}},
      {"Escape", "tactus: 1\n@\x1b[31m\n", {{"control character U+001B", "remove it"}}},
      {"Nul", std::string("tactus: 1\n@\0name: a\n", 20), {{"control character U+0000", "remove it"}}},
      {"EndOfTransmission", "tactus: 1\n@\x04name: a\n", {{"control character U+0004", "remove it"}}},
      {"SecondByteOrderMark",
       "\xef\xbb\xbf@\xef\xbb\xbf"
       "tactus: 1\n",
       {{"invisible character U+FEFF", "remove it"}}},
      {"LoneCarriageReturn", "tactus: 1@\rname: a\n", {{"carriage return", "end lines with LF"}}},
      {"TwoDocuments",
       "tactus: 1\nplatform: jetson-tx2\n@---\ntasks: []\n",
       {{"second document", "remove the `---`"}}},
      {"TextAfterTheDocument", "- a\n@b: c\n", {{"does not continue what stands above", "first column"}}},
      {"ColumnsCountCharacters", "{tactus: 1, näme: @*x}\n", {{"without an anchor", "quotes"}}},
      {"TabIndents", "tactus: 1\nplatform:\n@\tgpu: {sms: 2}\n", {{"a tab cannot indent", "spaces"}}},
      {"ListNotClosed",
       "tactus: 1\nplatform: jetson-tx2\ntasks: @[1, 2\n",
       {{"the list that begins here is not closed", "add `]`"}}},
      {"MapNotClosed",
       "tactus: 1\nplatform: @{gpu: 1\n",
       {{"the map that begins here is not closed", "add `}`"}}},
      {"BracketTooMany", "tactus: 1\nplatform: {gpu: 1}@}\n", {{"closes nothing that is open", "before it"}}},
      {"WrongBracket", "tactus: 1\ntasks: {gpu: 1@]\n", {{"closes nothing that is open", "before it"}}},
      {"QuoteNotClosed", "tactus: 1\nname: @\"robot\n", {{"does not end", "add the closing \""}}},
      {"SingleQuoteNotClosed", "tactus: 1\nname: @'it''s\n", {{"does not end", "add the closing '"}}},
      {"ColonTwice", "tactus: 1\nname: a@: b\n", {{"a `:` cannot stand here", "Quote a value"}}},
      {"KeyWithoutColon",
       "tactus: 1\nname\nplatform@: h200\n",
       {{"a `:` cannot stand here", "missing above"}}},
      {"UnknownEscape", "tactus: 1\nname: \"a\\q@\"\n", {{"unknown escape", "single quotes"}}},
      {"AliasWithoutAnchor", "tactus: 1\nname: @*a\n", {{"without an anchor", "quotes"}}},
      {"AliasOfItself", "tactus: 1\nname: &a [@*a]\n", {{"value that contains it", "write the value out"}}},
      {"ListInAKey", "tactus: 1\nname: @- b\n", {{"list item `- ` cannot stand here", "line of its own"}}},
      {"TopLevelList", "@- tactus: 1\n", {{"a system file is a list, but must be a map", "{tactus: 1"}}},
      {"TopLevelScalar", "@tactus\n", {{"a system file is `tactus`, but must be a map", "{tactus: 1"}}},
  };
}

std::vector<BadInput> top_level() {
  return {
      {"VersionMissing",
       "@platform: jetson-tx2\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"the file has no `tactus`", "tactus: 1"}}},
      {"VersionUnknown",
       "tactus: @2\nplatform: jetson-tx2\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"version 2", "tactus: 1"}}},
      {"VersionInQuotes",
       "tactus: @\"1\"\nplatform: jetson-tx2\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"tactus is the text `1` in quotes", "without quotes"}}},
      {"PlatformAndTasksMissing",
       "@@tactus: 1\n",
       {{"has no `platform`", "platform: jetson-tx2"}, {"has no tasks", "at least one"}}},
      {"UnknownKey",
       "tactus: 1\n@platfrom: jetson-tx2\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"unknown key `platfrom`", "did you mean `platform`?"}}},
      {"UnknownKeyLikeNoOther",
       "tactus: 1\n@whatever: 1\nplatform: jetson-tx2\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"unknown key `whatever`", "known here: tactus, name, platform, policy, tasks"}}},
      {"DuplicateKey",
       "tactus: 1\nplatform: jetson-tx2\n@platform: h200\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"key `platform` is given twice", "first given in line 2"}}},
      {"KeyOfAnotherMap",
       "tactus: 1\nplatform: jetson-tx2\n@strategy: graph\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"unknown key `strategy`", "it belongs into `policy`; known here: tactus"}}},
      {"MergeKey",
       "tactus: 1\nplatform: jetson-tx2\ntasks:\n  - &base {name: a, period: 1ms, exclusive: 1us}\n"
       "  - {@<<: *base, name: b, period: 1ms, exclusive: 1us}\n",
       {{"unknown key `<<`", "not merged"}}},
      {"KeyIsAList",
       "tactus: 1\nplatform: jetson-tx2\n? @[a]\n: 1\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"a key must be a word, but this is a list", "key: value"}}},
      {"KeyIsMissing",
       "tactus: 1\nplatform: {base: h200, @: 1}\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"a key is missing", "key: value"}}},
      {"Tag",
       "tactus: @!!int 1\nplatform: jetson-tx2\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"the tag `!!int`", "remove it"}}},
      {"NameIsAList",
       "tactus: 1\nname: @[a]\nplatform: jetson-tx2\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"name is a list", "write a name"}}},
      {"NameIsMissing",
       "tactus: 1\n@name:\nplatform: jetson-tx2\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"name is empty", "write a name"}}},
      {"NameIsEmpty",
       "tactus: 1\nname: @''\nplatform: jetson-tx2\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"name is empty", "at least one character"}}},
      {"NameIsLong",
       "tactus: 1\nname: @" + std::string(201, 'x') +
           "\nplatform: jetson-tx2\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"has 201 characters", "at most 200"}}},
      {"NameWithControlCharacter",
       "tactus: 1\nname: @\"a\\u0007b\"\nplatform: jetson-tx2\n"
       "tasks: [{name: a, period: 1ms, exclusive: 1us}]\n",
       {{"`a\\x07b` holds a control character", "can be printed"}}},
      {"TasksIsAMap",
       "tactus: 1\nplatform: jetson-tx2\ntasks: @{name: a}\n",
       {{"tasks is a map, but must be a list", "[{name: a"}}},
      {"TasksIsEmpty", "tactus: 1\nplatform: jetson-tx2\ntasks: @[]\n", {{"no tasks", "at least one"}}},
      {"TasksWithoutValue",
       "tactus: 1\nplatform: jetson-tx2\n@tasks:\n",
       {{"tasks is empty, but must be a list", "[{name: a"}}},
  };
}

std::vector<BadInput> platforms() {
  return {
      {"PresetUnknown",
       with_platform("@jetson-tx3"),
       {{"platform `jetson-tx3` is not a known preset", "did you mean `jetson-tx2`?"}}},
      {"PresetLikeNoOther",
       with_platform("@abacus"),
       {{"platform `abacus`", "known: jetson-tx2, gtx-1080-ti, titan-v, h200"}}},
      {"BaseUnknown", with_platform("{base: @titan}"), {{"base `titan`", "did you mean `titan-v`?"}}},
      {"BaseIsAList", with_platform("{base: @[h200]}"), {{"base is a list", "write a name"}}},
      {"PlatformIsAList",
       with_platform("@[h200]"),
       {{"platform is a list, but must be a map", "jetson-tx2"}}},
      {"PlatformUnknownKey", with_platform("{base: h200, @cpu: 4}"), {{"unknown key `cpu`", "`cpus`"}}},
      {"PlatformDuplicateKey",
       with_platform("{base: h200, @base: h200}"),
       {{"key `base` is given twice", "line 2"}}},
      {"GpuMissing", with_platform("@{cpus: 4}"), {{"has no `gpu`", "gpu: {sms: 2}"}}},
      {"SmsMissing", with_platform("{gpu: @{warp: 32}}"), {{"has no `sms`", "sms: 2"}}},
      {"GpuIsANumber", with_platform("{gpu: @2}"), {{"gpu is `2`, but must be a map", "{sms: 2}"}}},
      {"GpuUnknownKey",
       with_gpu("@frequency: 1024"),
       {{"unknown key `frequency`", "known here: sms, threads_per_sm"}}},
      {"GpuKeyCutShort", with_gpu("@shared_memory: 1KiB"), {{"`shared_memory`", "`shared_memory_per_sm`"}}},
      {"GpuDuplicateKey", with_gpu("sms: 2, @sms: 2"), {{"key `sms` is given twice", "line 2"}}},
      {"SmsZero", with_gpu("sms: @0"), {{"sms is 0", "allowed: 1 to 65536"}}},
      {"SmsNegative", with_gpu("sms: @-2"), {{"sms is -2", "allowed: 1 to 65536"}}},
      {"SmsMany", with_gpu("sms: @65537"), {{"sms is 65537", "allowed: 1 to 65536"}}},
      {"SmsBeyond32Bits", with_gpu("sms: @4294967298"), {{"`4294967298` is too large", "1 to 65536"}}},
      {"SmsBelow32Bits", with_gpu("sms: @-4294967298"), {{"`-4294967298` is too small", "1 to 65536"}}},
      {"SmsBeyond64Bits",
       with_gpu("sms: @9223372036854775808"),
       {{"does not fit 64 bits", "9223372036854775807"}}},
      {"SmsFraction", with_gpu("sms: @2.5"), {{"sms `2.5` is not a whole number", "digits only"}}},
      {"SmsTrue", with_gpu("sms: @true"), {{"sms `true` is not a whole number", "digits only"}}},
      {"SmsExponent", with_gpu("sms: @2e1"), {{"sms `2e1` has an exponent", "20"}}},
      {"SmsWithUnit", with_gpu("sms: @2KiB"), {{"sms `2KiB` is not a whole number", "no unit"}}},
      {"SmsWithSeparator", with_gpu("sms: @1_000"), {{"`1_000` is not a whole", "without separators"}}},
      {"SmsInQuotes", with_gpu("sms: @'2'"), {{"sms is the text `2` in quotes", "without quotes"}}},
      {"SmsList", with_gpu("sms: @[2]"), {{"sms is a list", "a whole number"}}},
      {"SmsMap", with_gpu("sms: @{a: 2}"), {{"sms is a map", "a whole number"}}},
      {"SmsWithoutValue", with_gpu("@sms: "), {{"sms is empty", "a whole number"}}},
      {"ThreadsZero", with_gpu("threads_per_sm: @0"), {{"threads_per_sm is 0", "allowed: 1 to 1048576"}}},
      {"ThreadsBelowWarp",
       with_gpu("threads_per_sm: @16"),
       {{"an SM of 16 threads cannot hold one warp of 32", "at least 32"}}},
      {"BlocksZero", with_gpu("blocks_per_sm: @0"), {{"blocks_per_sm is 0", "allowed: 1 to 1048576"}}},
      {"RegistersNegative", with_gpu("registers_per_sm: @-1"), {{"registers_per_sm is -1", "allowed: 0 to"}}},
      {"WarpZero", with_gpu("warp: @0"), {{"warp is 0", "allowed: 1 to 1024"}}},
      {"WarpLarge", with_gpu("warp: @2048"), {{"warp is 2048", "allowed: 1 to 1024"}}},
      {"SharedMemoryWithoutUnit",
       with_gpu("shared_memory_per_sm: @65536"),
       {{"shared_memory_per_sm `65536` has no unit", "write 65536B"}}},
      {"SharedMemoryUnknownUnit",
       with_gpu("shared_memory_per_sm: @64KB"),
       {{"`64KB` has the unknown unit `KB`", "write 64KiB"}}},
      {"SharedMemoryNegative",
       with_gpu("shared_memory_per_sm: @-64KiB"),
       {{"`-64KiB` is negative", "0 or more"}}},
      {"SharedMemoryHuge",
       with_gpu("shared_memory_per_sm: @2000GiB"),
       {{"shared_memory_per_sm is 2000GiB", "0 to 1024GiB"}}},
      {"SharedMemoryOverflow",
       with_gpu("shared_memory_per_sm: @9000000000GiB"),
       {{"does not fit 64 bits", "9223372036854775807B"}}},
      {"SharedMemoryFraction",
       with_gpu("shared_memory_per_sm: @0.3KiB"),
       {{"`0.3KiB` holds a fraction of a byte", "write 307B or 308B"}}},
      {"LevelsOfPriorityZero", with_gpu("priority_levels: @0"), {{"is 0", "allowed: 1 to 64"}}},
      {"LevelsOfPriorityMany", with_gpu("priority_levels: @65"), {{"is 65", "allowed: 1 to 64"}}},
      {"CopyEnginesZero", with_gpu("copy_engines: @0"), {{"copy_engines is 0", "allowed: 1 to 64"}}},
      {"VirtualSmsPerSmZero", with_gpu("virtual_sms_per_sm: @0"), {{"is 0", "allowed: 1 to 1024"}}},
      {"SmChoiceUnknown",
       with_gpu("sm_choice: @mostfree"),
       {{"sm_choice `mostfree` is not known", "did you mean `most-free`?"}}},
      {"SmChoiceList", with_gpu("sm_choice: @[most-free]"), {{"sm_choice is a list", "one of most-free"}}},
      {"BandwidthZero", with_gpu("copy_bandwidth: @0GB/s"), {{"`0GB/s` is zero", "at least 1B/s"}}},
      {"BandwidthWithoutTime",
       with_gpu("copy_bandwidth: @12GB"),
       {{"`12GB` has the unknown unit `GB`", "write 12GB/s"}}},
      {"BandwidthWithoutUnit", with_gpu("copy_bandwidth: @12"), {{"`12` has no unit", "write 12B/s"}}},
      {"BandwidthList", with_gpu("copy_bandwidth: @[1GB/s]"), {{"is a list", "for instance 12GB/s"}}},
      {"BandwidthOverflow",
       with_gpu("copy_bandwidth: @9999999999999GB/s"),
       {{"does not fit 64 bits", "B/s"}}},
      {"CpusZero", with_platform("{base: h200, cpus: @0}"), {{"a cluster of 0 CPU cores", "1 to 65536"}}},
      {"CpusMany", with_platform("{base: h200, cpus: @65537}"), {{"65537 CPU cores", "1 to 65536"}}},
      {"CpusList", with_platform("{base: h200, cpus: @[2, 4]}"), {{"cpus is a list", "{clusters: [2, 4]}"}}},
      {"CpusText", with_platform("{base: h200, cpus: @six}"), {{"cpus `six` is not a whole", "digits"}}},
      {"ClustersMissing", with_platform("{base: h200, cpus: @{}}"), {{"cpus has no `clusters`", "[2, 4]"}}},
      {"ClustersEmpty",
       with_platform("{base: h200, cpus: {clusters: @[]}}"),
       {{"no CPU cluster", "clusters: [2, 4]"}}},
      {"ClustersNumber",
       with_platform("{base: h200, cpus: {clusters: @6}}"),
       {{"clusters is `6`, but must be a list", "[2, 4]"}}},
      {"ClusterZero",
       with_platform("{base: h200, cpus: {clusters: [2, @0]}}"),
       {{"a cluster of 0 CPU cores", "1 to 65536"}}},
      {"ClustersTooManyTogether",
       with_platform("{base: h200, cpus: {clusters: @[60000, 60000]}}"),
       {{"120000 CPU cores together", "at most 65536"}}},
      {"ClustersUnknownKey",
       with_platform("{base: h200, cpus: {clusters: [1], @cluster: 1}}"),
       {{"unknown key `cluster`", "`clusters`"}}},
      {"OverheadsList",
       with_platform("{base: h200, overheads: @[1us]}"),
       {{"overheads is a list", "{launch"}}},
      {"OverheadsUnknownKey",
       with_platform("{base: h200, overheads: {@lunch: 1us}}"),
       {{"unknown key `lunch`", "`launch`"}}},
      {"OverheadsDuplicateKey",
       with_platform("{base: h200, overheads: {copy: 1us, @copy: 1us}}"),
       {{"key `copy` is given twice", "line 2"}}},
      {"OverheadNegative",
       with_platform("{base: h200, overheads: {release: @-1us}}"),
       {{"release `-1us` is negative", "0 or more"}}},
      {"OverheadWithoutUnit",
       with_platform("{base: h200, overheads: {completion: @5}}"),
       {{"completion `5` has no unit", "write 5ms"}}},
  };
}

std::vector<BadInput> policies() {
  return {
      {"PolicyIsAWord", with_policy("@edf"), {{"policy is `edf`, but must be a map", "{strategy"}}},
      {"PolicyIsAList", with_policy("@[edf]"), {{"policy is a list, but must be a map", "{strategy"}}},
      {"PolicyUnknownKey", with_policy("{@stratgy: graph}"), {{"unknown key `stratgy`", "`strategy`"}}},
      {"PolicyDuplicateKey", with_policy("{order: fp, @order: fp}"), {{"given twice", "line 3"}}},
      {"StrategyUnknown",
       with_policy("{strategy: @singlestream}"),
       {{"strategy `singlestream` is not known", "did you mean `single-stream`?"}}},
      {"StrategyNumber", with_policy("{strategy: @1}"), {{"strategy `1` is not known", "as-submitted"}}},
      {"StrategyMap", with_policy("{strategy: @{a: b}}"), {{"strategy is a map", "one of as-submitted"}}},
      {"OrderUnknown", with_policy("{order: @rm}"), {{"order `rm` is not known", "edf, fp, fl"}}},
      {"FairLatenessOutsideGraph",
       with_policy("{strategy: multi-stream, order: @fl}"),
       {{"`fl` (fair lateness) belongs to the strategy `graph`", "`edf` or `fp`"}}},
      {"FederatedWithEdf",
       with_policy("{strategy: federated, order: @edf, virtual_sms: {detector: 2}}"),
       {{"`federated` does not take the order `edf`", "write `fp`"}}},
      {"FederatedWithFairLateness",
       with_policy("{strategy: federated, order: @fl, virtual_sms: {detector: 2}}"),
       {{"`fl` (fair lateness)", "`fp` only"}}},
      {"LevelsZero", with_policy("{levels: @0}"), {{"levels is 0", "at least 1"}}},
      {"LevelsMoreThanTheGpuHas",
       with_policy("{strategy: multi-stream, levels: @3}"),
       {{"levels is 3, but the GPU has 2 stream priorities", "allowed: 1 to 2"}}},
      {"LevelsOverflow", with_policy("{levels: @5000000000}"), {{"too large", "allowed: 1 to 2"}}},
      {"RefillUnknown", with_policy("{refill: @eager}"), {{"refill `eager`", "lazy, immediate"}}},
      {"SmGroupZero", with_policy("{sm_group: @0}"), {{"sm_group is 0", "at least 1"}}},
      {"SmGroupLarge",
       with_policy("{sm_group: @3}"),
       {{"sm_group is 3, but the GPU has 2 SMs", "allowed: 1 to 2"}}},
      {"ClusterModeUnknown",
       with_policy("{clusters: @local}"),
       {{"clusters `local`", "global, per-cluster"}}},
      {"EarlyReleaseNumber",
       with_policy("{early_release: @1}"),
       {{"early_release `1` is neither true nor false", "write true or false"}}},
      {"EarlyReleaseYes",
       with_policy("{early_release: @yes}"),
       {{"neither true nor false", "true or false"}}},
      {"ParallelJobsInQuotes",
       with_policy("{parallel_jobs: @'true'}"),
       {{"text `true` in quotes", "without quotes"}}},
      {"ParallelJobsList", with_policy("{parallel_jobs: @[true]}"), {{"is a list", "true or false"}}},
      {"ReservationsNumber",
       with_policy("{reservations: @5}"),
       {{"reservations is `5`, but must be a map", "{period: 12ms"}}},
      {"ReservationsWithoutPeriod",
       with_policy("{reservations: @{local: {budget: 1ms}}}"),
       {{"reservations has no `period`", "period: 12ms"}}},
      {"ReservationsPeriodZero",
       with_policy("{reservations: {period: @0ms, local: {budget: 1ms}}}"),
       {{"period of the reservations is 0ns", "at least 1ns"}}},
      {"ReservationsUnknownKey",
       with_policy("{reservations: {period: 1ms, @locl: {budget: 1us}}}"),
       {{"unknown key `locl`", "`local`"}}},
      {"ReservationsDuplicateKey",
       with_policy("{reservations: {period: 1ms, @period: 1ms}}"),
       {{"given twice", "line 3"}}},
      {"WindowNumber",
       with_policy("{reservations: {period: 1ms, all: @5}}"),
       {{"all is `5`, but must be a map", "{offset: 0ms, budget: 8ms}"}}},
      {"WindowUnknownKey",
       with_policy("{reservations: {period: 9ms, all: {budget: 1ms, @offst: 1ms}}}"),
       {{"unknown key `offst`", "`offset`"}}},
      {"WindowWithoutBudget",
       with_policy("{reservations: {period: 9ms, local: @{offset: 1ms}}}"),
       {{"window `local` has no `budget`", "budget: 8ms"}}},
      {"WindowBudgetZero",
       with_policy("{reservations: {period: 9ms, local: {budget: @0}}}"),
       {{"budget of window `local` is 0ns", "at least 1ns"}}},
      {"WindowBudgetLongerThanPeriod",
       with_policy("{reservations: {period: 9ms, local: {budget: @10ms}}}"),
       {{"budget 10ms of window `local` is longer than the period 9ms", "at most 9ms"}}},
      {"WindowPassesPeriod",
       with_policy("{reservations: {period: 9ms, local: @{offset: 5ms, budget: 5ms}}}"),
       {{"window `local`, 5ms from 5ms on, passes the end of the period 9ms", "9ms at most"}}},
      {"WindowEndOverflows",
       with_policy("{reservations: {period: 9ms, local: @{offset: 9223372036s, budget: 5ms}}}"),
       {{"passes the end of the period 9ms", "9ms at most"}}},
      {"WindowsOverlap",
       with_policy("{reservations: {period: 9ms, local: {budget: 5ms}, all: @{offset: 4ms, budget: 5ms}}}"),
       {{"`local` [0ns, 5ms) and `all` [4ms, 9ms) overlap", "end before the other begins"}}},
      {"VirtualSmsNumber",
       with_policy("{virtual_sms: @4}"),
       {{"virtual_sms is `4`, but must be a map", "{detector: 4}"}}},
      {"VirtualSmsUnknownTask",
       with_policy("{virtual_sms: {@detectr: 2}}"),
       {{"virtual_sms for `detectr`, but no task has that name", "did you mean `detector`?"}}},
      {"VirtualSmsUnknownTaskLikeNoOther",
       with_policy("{virtual_sms: {@x: 2}}"),
       {{"virtual_sms for `x`", "name of a task"}}},
      {"VirtualSmsText",
       with_policy("{virtual_sms: {detector: @two}}"),
       {{"`two` is not a whole", "digits"}}},
      {"VirtualSmsList", with_policy("{virtual_sms: {detector: @[2]}}"), {{"is a list", "whole number"}}},
      {"VirtualSmsDuplicateTask",
       with_policy("{virtual_sms: {detector: 2, @detector: 2}}"),
       {{"key `detector` is given twice", "line 3"}}},
      {"VirtualSmsZero",
       with_policy("{virtual_sms: {detector: @0}}"),
       {{"task `detector` has 0 virtual SMs, but uses the GPU", "give it 2 or more"}}},
      {"VirtualSmsNegative", with_policy("{virtual_sms: {detector: @-2}}"), {{"has -2 virtual SMs", "2, 4"}}},
      {"VirtualSmsOdd",
       with_policy("{virtual_sms: {detector: @3}}"),
       {{"has 3 virtual SMs, which is not a whole number of SMs", "an SM is 2 virtual SMs"}}},
      {"VirtualSmsTooMany",
       with_policy("{virtual_sms: @{detector: 6}}"),
       {{"6 virtual SMs together, but the GPU has 4", "2 SMs with 2 virtual SMs each"}}},
      {"VirtualSmsOverflow",
       with_policy("{virtual_sms: {detector: @99999999999999999999}}"),
       {{"does not fit 64 bits", "9223372036854775807"}}},
      {"SmCoresWithoutReservations",
       with_policy("@{strategy: sm-cores}"),
       {{"`sm-cores` needs `reservations`", "tactus plan"}}},
      {"SmCoresWithAnyCore",
       with_policy("{strategy: sm-cores, reservations: {period: 1ms}}", "sm: @any, exclusive: 1ms"),
       {{"task `detector` has no core yet", "tactus plan"}}},
      {"FederatedWithoutVirtualSms",
       with_policy("@{strategy: federated}"),
       {{"`federated` needs `virtual_sms`, for instance {detector: 2}", "tactus plan"}}},
      {"FederatedWithoutVirtualSmsOfOne",
       with_policy("{strategy: federated, virtual_sms: @{}}"),
       {{"task `detector` uses the GPU but has no virtual SMs", "tactus plan"}}},
  };
}

std::vector<BadInput> tasks() {
  const std::string long_name(201, 'n');
  return {
      {"TaskIsANumber", file_with_task("@5"), {{"a task is `5`, but must be a map", "{name: a"}}},
      {"TaskIsAList", file_with_task("@[a]"), {{"a task is a list, but must be a map", "{name: a"}}},
      {"TaskIsEmpty", "tactus: 1\nplatform: h200\ntasks:\n  @-\n", {{"a task is empty", "{name: a"}}},
      {"TaskUnknownKey",
       file_with_task("{name: a, @perod: 10ms, exclusive: 1ms}"),
       {{"unknown key `perod`", "did you mean `period`?"}}},
      {"TaskDuplicateKey",
       with_task_keys("exclusive: 1ms, @period: 10ms"),
       {{"`period` is given twice", "line 4"}}},
      {"TaskWithoutName", file_with_task("@{period: 10ms, exclusive: 1ms}"), {{"no name", "1 to 200"}}},
      {"TaskNameIsAMap",
       file_with_task("{name: @{a: b}, period: 10ms, exclusive: 1ms}"),
       {{"name is a map", "write a name"}}},
      {"TaskNameEmpty",
       file_with_task("{name: @'', period: 10ms, exclusive: 1ms}"),
       {{"name is empty", "at least one"}}},
      {"TaskNameLong",
       file_with_task("{name: @" + long_name + ", period: 10ms, exclusive: 1ms}"),
       {{"201 characters", "at most 200"}}},
      {"TaskNamesEqual",
       "tactus: 1\nplatform: h200\ntasks:\n  - {name: a, period: 1ms, exclusive: 1us}\n"
       "  - {name: @a, period: 1ms, exclusive: 1us}\n",
       {{"two tasks have the name `a`", "its own name (the first is in line 4, column 12)"}}},
      {"ArrivalUnknown",
       with_task_keys("arrival: @perodic, exclusive: 1ms"),
       {{"arrival `perodic` is not known", "did you mean `periodic`?"}}},
      {"PeriodMissing",
       file_with_task("@{name: a, exclusive: 1ms}"),
       {{"task `a` has no period", "`period: 10ms` or `rate: 100Hz`"}}},
      {"PeriodWithoutUnit",
       file_with_task("{name: a, period: @10, exclusive: 1ms}"),
       {{"period `10` has no unit", "write 10ms (units: ns, us, ms, s)"}}},
      {"PeriodZero",
       file_with_task("{name: a, period: @0ms, deadline: 1ms, exclusive: 1ms}"),
       {{"period of task `a` is 0ns", "at least 1ns"}}},
      {"PeriodZeroIsToldWithoutItsDeadline",
       file_with_task("{name: a, period: @0ms, exclusive: 1ms}"),
       {{"period of task `a` is 0ns", "at least 1ns"}}},
      {"PeriodNegative",
       file_with_task("{name: a, period: @-5ms, exclusive: 1ms}"),
       {{"period `-5ms` is negative", "0 or more"}}},
      {"PeriodList",
       file_with_task("{name: a, period: @[10ms], exclusive: 1ms}"),
       {{"period is a list", "write a duration"}}},
      {"PeriodMap",
       file_with_task("{name: a, period: @{ms: 10}, exclusive: 1ms}"),
       {{"period is a map", "write a duration"}}},
      {"PeriodTrue",
       file_with_task("{name: a, period: @true, exclusive: 1ms}"),
       {{"period `true` is not a duration", "a number with a unit"}}},
      {"PeriodWithoutValue",
       file_with_task("{name: a, @period: , exclusive: 1ms}"),
       {{"period is empty", "write a duration"}}},
      {"PeriodExponent",
       file_with_task("{name: a, period: @1e3ms, exclusive: 1ms}"),
       {{"period `1e3ms` has an exponent", "1000ms"}}},
      {"PeriodUnknownUnit",
       file_with_task("{name: a, period: @10sec, exclusive: 1ms}"),
       {{"period `10sec` has the unknown unit `sec`", "write 10s"}}},
      {"PeriodMicroSign",
       file_with_task("{name: a, period: @10µs, exclusive: 1ms}"),
       {{"unknown unit `µs`", "write 10us"}}},
      {"PeriodInHours",
       file_with_task("{name: a, period: @1h, exclusive: 1ms}"),
       {{"unknown unit `h`", "units: ns, us, ms, s"}}},
      {"PeriodWithSpace",
       file_with_task("{name: a, period: @10 ms, exclusive: 1ms}"),
       {{"`10 ms` has a space before its unit", "write 10ms"}}},
      {"PeriodWithSeparator",
       file_with_task("{name: a, period: @1_000ms, exclusive: 1ms}"),
       {{"`1_000ms` is not a duration", "without separators"}}},
      {"PeriodFractionOfANanosecond",
       file_with_task("{name: a, period: @1.5ns, exclusive: 1ns}"),
       {{"`1.5ns` holds a fraction of a nanosecond", "write 1ns or 2ns"}}},
      {"PeriodOverflow",
       file_with_task("{name: a, period: @9223372037s, exclusive: 1ms}"),
       {{"`9223372037s` does not fit 64 bits", "9223372036.854775807s"}}},
      {"PeriodAndRate",
       file_with_task("{name: a, period: 10ms, @rate: 100Hz, exclusive: 1ms}"),
       {{"both `period` and `rate`", "keep one"}}},
      {"PeriodOfOnce",
       file_with_task("{name: a, arrival: once, period: @10ms, exclusive: 1ms}"),
       {{"task `a` has a period of 10ms but does not repeat", "remove it"}}},
      {"RateOfOnce",
       file_with_task("{name: a, arrival: once, rate: @100Hz, exclusive: 1ms}"),
       {{"task `a` has a period of 10ms but does not repeat", "remove it"}}},
      {"PeriodOfBestEffort",
       file_with_task("{name: a, arrival: best-effort, period: @10ms, exclusive: 1ms}"),
       {{"period of 10ms but does not repeat", "remove it"}}},
      {"RateZero",
       file_with_task("{name: a, rate: @0Hz, exclusive: 1ms}"),
       {{"rate `0Hz` is zero", "arrival: once"}}},
      {"RateWithoutUnit",
       file_with_task("{name: a, rate: @30, exclusive: 1ms}"),
       {{"rate `30` has no unit", "write 30Hz"}}},
      {"RateNegative",
       file_with_task("{name: a, rate: @-30Hz, exclusive: 1ms}"),
       {{"rate `-30Hz` is negative", "0 or more"}}},
      {"RateUnknownUnit",
       file_with_task("{name: a, rate: @30hz, exclusive: 1ms}"),
       {{"unknown unit `hz`", "write 30Hz"}}},
      {"RateTooFast",
       file_with_task("{name: a, rate: @1001MHz, exclusive: 1ms}"),
       {{"faster than one job a nanosecond", "1000MHz"}}},
      {"RateTooSlow",
       file_with_task("{name: a, rate: @0.0000000001Hz, exclusive: 1ms}"),
       {{"does not fit 64 bits", "9223372036.854775807s"}}},
      {"RateOverflow",
       file_with_task("{name: a, rate: @99999999999999999999Hz, exclusive: 1ms}"),
       {{"does not fit 64 bits", "fewer digits"}}},
      {"RateList",
       file_with_task("{name: a, rate: @[30Hz], exclusive: 1ms}"),
       {{"rate is a list", "for instance 30Hz"}}},
      {"DeadlineZero",
       with_task_keys("deadline: @0, exclusive: 1ms"),
       {{"the deadline of task `a` is 0ns", "at least 1ns"}}},
      {"DeadlineNegative",
       with_task_keys("deadline: @-1ms, exclusive: 1ms"),
       {{"`-1ms` is negative", "0 or"}}},
      {"DeadlineOfBestEffort",
       file_with_task("{name: a, arrival: best-effort, deadline: @5ms, exclusive: 1ms}"),
       {{"task `a` is best-effort but has a deadline of 5ms", "remove it"}}},
      {"JitterOfBestEffort",
       file_with_task("{name: a, arrival: best-effort, jitter: @5us, exclusive: 1ms}"),
       {{"best-effort but has a jitter of 5us", "remove the jitter"}}},
      {"BestEffortThatTakesNoTime",
       file_with_task("{name: a, arrival: @best-effort, exclusive: [0, 1ms]}"),
       {{"may take no time at all", "best case above 0"}}},
      {"OffsetNegative",
       with_task_keys("offset: @-1ns, exclusive: 1ms"),
       {{"offset `-1ns` is", "0 or more"}}},
      {"JitterWithoutUnit",
       with_task_keys("jitter: @1, exclusive: 1ms"),
       {{"jitter `1` has no unit", "1ms"}}},
      {"PriorityNegative",
       with_task_keys("priority: @-1, exclusive: 1ms"),
       {{"the priority of task `a` is -1", "0 or more; larger is more urgent"}}},
      {"PriorityWord",
       with_task_keys("priority: @high, exclusive: 1ms"),
       {{"`high` is not a whole", "digits"}}},
      {"PriorityOverflow",
       with_task_keys("priority: @9223372036854775808, exclusive: 1ms"),
       {{"does not fit 64 bits", "9223372036854775807"}}},
      {"CoreTooLarge",
       with_task_keys("core: @6, exclusive: 1ms"),
       {{"core is 6, but the platform has 6 CPU cores", "allowed: 0 to 5"}}},
      {"CoreNegative", with_task_keys("core: @-1, exclusive: 1ms"), {{"core is -1", "allowed: 0 to 5"}}},
      {"CoreList", with_task_keys("core: @[0], exclusive: 1ms"), {{"core is a list", "whole number"}}},
      {"SmTooLarge",
       with_task_keys("sm: @2, exclusive: 1ms"),
       {{"sm is 2, but the GPU has 2 SMs", "allowed: 0 to 1, all, any"}}},
      {"SmTooLargeForItsGroups",
       with_policy("{sm_group: 2}", "sm: @1, exclusive: 1ms"),
       {{"sm is 1, but the GPU has 2 SMs, in groups of 2", "allowed: 0, all, any"}}},
      {"SmNegative", with_task_keys("sm: @-1, exclusive: 1ms"), {{"sm is -1", "allowed: 0 to 1, all, any"}}},
      {"SmWord", with_task_keys("sm: @some, exclusive: 1ms"), {{"sm `some` is not known", "all, or any"}}},
      {"SmList", with_task_keys("sm: @[0], exclusive: 1ms"), {{"sm is not a single value", "all, or any"}}},
      {"SmOverflow", with_task_keys("sm: @99999999999, exclusive: 1ms"), {{"is too large", "0 to 65535"}}},
      {"LongestBlockLongerThanTheJob",
       with_task_keys("longest_block: @2ms, exclusive: 1ms"),
       {{"longest_block is 2ms, longer than the exclusive work itself (1ms)", "at most 1ms"}}},
      {"LongestBlockOfAKernel",
       with_task_keys("longest_block: @2us, kernel: {grid: 1, block: 32, block_time: 3us}"),
       {{"longest_block is 2us, but task `a` has no exclusive work", "block_time"}}},
      {"LongestBlockWithoutUnit",
       with_task_keys("longest_block: @50, exclusive: 1ms"),
       {{"longest_block `50` has no unit", "write 50ms"}}},
      {"StreamList", with_task_keys("stream: @[a], exclusive: 1ms"), {{"stream is a list", "write a name"}}},
      {"StreamEmpty", with_task_keys("stream: @'', exclusive: 1ms"), {{"stream is empty", "at least one"}}},
      {"StreamPriorityPositive",
       with_task_keys("stream_priority: @1, exclusive: 1ms"),
       {{"stream_priority is 1, but the GPU has 2 stream priorities", "0 (least urgent) down to -1"}}},
      {"StreamPriorityTooUrgent",
       with_task_keys("stream_priority: @-2, exclusive: 1ms"),
       {{"stream_priority is -2", "down to -1 (most urgent)"}}},
      {"BudgetZero", with_task_keys("budget: @0ms, exclusive: 1ms"), {{"budget of task `a` is 0ns", "1ns"}}},
      {"OnOverrunUnknown",
       with_task_keys("on_overrun: @skip, exclusive: 1ms"),
       {{"on_overrun `skip` is not known", "continue, skip-next, abort, demote"}}},
      {"OnMissUnknown",
       with_task_keys("on_miss: @abort, exclusive: 1ms"),
       {{"on_miss `abort` is not known", "continue, skip-next, stop"}}},
      {"OnMissMap", with_task_keys("on_miss: @{a: b}, exclusive: 1ms"), {{"on_miss is a map", "one of"}}},
  };
}

/// A sporadic task with these scripted jobs, on a platform with launch and completion overheads.
std::string with_jobs(const std::string& jobs, const std::string& keys = "arrival: sporadic, period: 10ms") {
  return "tactus: 1\nplatform: {base: h200, overheads: {launch: 2us, completion: 3us}}\ntasks:\n  - {name: "
         "a, " +
         keys + ", exclusive: [1ms, 2ms], jobs: " + jobs + "}\n";
}

std::vector<BadInput> jobs() {
  const std::string periodic = "period: 10ms";
  return {
      {"JobsAreAMap", with_jobs("@{release: 1ms}"), {{"jobs is a map, but must be a list", "release: 12ms"}}},
      {"JobsAreANumber", with_jobs("@3"), {{"jobs is `3`, but must be a list", "release: 12ms"}}},
      {"JobIsANumber", with_jobs("[@3ms]"), {{"a job is `3ms`, but must be a map", "release: 3ms"}}},
      {"JobIsEmpty", with_jobs("[@~]"), {{"a job is empty", "release: 3ms"}}},
      {"JobUnknownKey",
       with_jobs("[{release: 1ms, @tim: 1ms}]"),
       {{"unknown key `tim`", "did you mean `time`?"}}},
      {"JobReleaseMisspelt",
       with_jobs("[{@relase: 1ms}]"),
       {{"unknown key `relase`", "did you mean `release`?"}}},
      {"JobReleaseWithoutUnit", with_jobs("[{release: @1}]"), {{"release `1` has no unit", "1ms"}}},
      {"JobWithoutRelease",
       with_jobs("[{release: 1ms}, @{time: 1ms}]"),
       {{"needs a release", "release: 3ms"}}},
      {"JobReleaseTooEarly",
       with_jobs("[{release: 5ms}, {release: @14.9ms}, {release: @24ms}]"),
       {{"release is 14.9ms, but this job cannot come before 15ms", "period apart"},
        {"release is 24ms, but this job cannot come before 24.9ms", "period apart"}}},
      {"JobReleaseBeforeTheOffset",
       with_jobs("[{release: @1ms}]", "arrival: sporadic, period: 10ms, offset: 2ms"),
       {{"cannot come before 2ms", "offset"}}},
      {"JobReleaseOfAPeriodicTask",
       with_jobs("[{release: 0}, {release: @11ms}]", periodic),
       {{"release is 11ms, but offset and period say otherwise", "sporadic"}}},
      {"JobsAfterTheOnlyOne", with_jobs("[{}, @{}]", "arrival: once"), {{"arrives once", "leave it out"}}},
      {"JobReleaseOfABestEffortTask",
       with_jobs("[{release: @0}]", "arrival: best-effort"),
       {{"a best-effort job has no release", "the one before"}}},
      {"JobDelaysTooLong",
       with_jobs("[{late: @1ns, launch: @2.5us, completion: @4us}]", periodic),
       {{"late is 1ns, more than jitter + platform.overheads.release", "0 to 0ns"},
        {"launch is 2.5us, more than platform.overheads.launch", "0 to 2us"},
        {"completion is 4us, more than platform.overheads.completion", "0 to 3us"}}},
      {"JobTimeOutOfRange",
       with_jobs("[{time: @2.5ms}]", periodic),
       {{"time is 2.5ms, which the segment cannot take", "1ms to 2ms"}}},
      {"JobTimesTooMany",
       with_jobs("[{time: @[1ms, 1ms]}]", periodic),
       {{"time has 2 values, but the job has 1 segment", "leave it out"}}},
      {"JobTimesEmpty", with_jobs("[{time: @[]}]", periodic), {{"time is an empty list", "leave it out"}}},
      {"JobTimeInTheListWithoutUnit",
       with_jobs("[{time: [@1]}]", periodic),
       {{"time `1` has no unit", "1ms"}}},
      {"JobsOfABrokenArrivalStaySilent",
       with_jobs("[{release: 3ms}]", "arrival: @sporadi, period: 10ms"),
       {{"arrival `sporadi`", "sporadic"}}},
      {"JobsOfABrokenPeriodStaySilent",
       with_jobs("[{release: 3ms}, {release: 13ms}]", "arrival: sporadic, period: @10"),
       {{"period `10` has no unit", "10ms"}}},
      {"JobsOfABrokenOffsetStaySilent",
       with_jobs("[{release: 3ms}]", "period: 10ms, offset: @3"),
       {{"offset `3` has no unit", "3ms"}}},
      {"JobsOfABrokenJitterStaySilent",
       with_jobs("[{late: 3us}]", "period: 10ms, @jiter: 5us"),
       {{"unknown key `jiter`", "jitter"}}},
      {"JobsOfBrokenOverheadsStaySilent",
       "tactus: 1\nplatform: {base: h200, overheads: {launch: @2, @completon: 3us}}\ntasks:\n"
       "  - {name: a, period: 1ms, exclusive: 1us, jobs: [{launch: 1us, completion: 1us}]}\n",
       {{"launch `2` has no unit", "2ms"}, {"unknown key `completon`", "completion"}}},
      {"JobsOnAnUnknownPlatformStaySilent",
       "tactus: 1\nplatform: @h20\ntasks:\n"
       "  - {name: a, period: 1ms, exclusive: 1us, jobs: [{launch: 1us, late: 1us}]}\n",
       {{"platform `h20`", "h200"}}},
      {"JobsOfBrokenWorkStaySilent",
       "tactus: 1\nplatform: h200\ntasks:\n"
       "  - {name: a, period: 1ms, exclusive: @[2us, 1us], jobs: [{time: 3us}]}\n",
       {{"the best case 2us is longer", "[1us, 2us]"}}},
  };
}

std::vector<BadInput> work() {
  const std::string kernel = "{grid: 1, block: 32, block_time: 1us}";
  return {
      {"NoWork",
       file_with_task("@{name: a, period: 10ms}"),
       {{"task `a` has no work", "`exclusive`, `kernel`"}}},
      {"WorkMisspelt", with_task_keys("@kernal: " + kernel), {{"unknown key `kernal`", "`kernel`"}}},
      {"KernelKeyInTheTask",
       with_task_keys("exclusive: 1ms, @grid: 64"),
       {{"unknown key `grid`", "it belongs into `kernel`"}}},
      {"TwoKindsOfWork",
       with_task_keys("exclusive: 1ms, @kernel: " + kernel),
       {{"two kinds of work: `exclusive` and `kernel`", "`segments`"}}},
      {"ExclusiveWithoutUnit", with_task_keys("exclusive: @3"), {{"exclusive `3` has no unit", "write 3ms"}}},
      {"ExclusiveMap", with_task_keys("exclusive: @{a: 3ms}"), {{"exclusive is a map", "[best, worst]"}}},
      {"ExclusiveBestAfterWorst",
       with_task_keys("exclusive: @[3ms, 1ms]"),
       {{"best case 3ms is longer than the worst case 1ms", "write [1ms, 3ms]"}}},
      {"IntervalOfOne",
       with_task_keys("exclusive: @[3ms]"),
       {{"exclusive is a list of 1 instead of two times", "[best, worst]"}}},
      {"IntervalOfThree", with_task_keys("exclusive: @[1ms, 2ms, 3ms]"), {{"list of 3", "[best, worst]"}}},
      {"IntervalOfNone", with_task_keys("exclusive: @[]"), {{"list of 0", "[best, worst]"}}},
      {"IntervalWithListInside",
       with_task_keys("exclusive: [1ms, @[2ms]]"),
       {{"exclusive is a list", "write a duration"}}},
      {"IntervalWithoutUnits",
       with_task_keys("exclusive: [@1, @2]"),
       {{"exclusive `1` has no unit", "write 1ms"}, {"exclusive `2` has no unit", "write 2ms"}}},
      {"SegmentsEmpty", with_work_in_chain("@[]"), {{"task `a` has no segments", "{cpu: 2ms}"}}},
      {"SegmentsMap",
       with_work_in_chain("@{cpu: 1ms}"),
       {{"segments is a map, but must be a list", "[{cpu"}}},
      {"SegmentIsAWord", with_work_in_chain("[@cpu]"), {{"a segment is `cpu`, but must be a map", "{cpu"}}},
      {"SegmentEmpty", with_work_in_chain("[@{}]"), {{"a segment has no work", "cpu, copy, kernel, gpu"}}},
      {"SegmentUnknownKey", with_work_in_chain("[{@gpus: 1ms}]"), {{"unknown key `gpus`", "`gpu`"}}},
      {"SegmentDuplicateKey", with_work_in_chain("[{cpu: 1ms, @cpu: 1ms}]"), {{"given twice", "line 4"}}},
      {"SegmentOfTwoKinds",
       with_work_in_chain("[{cpu: 1ms, @copy: 1ms}]"),
       {{"two kinds of work: `cpu` and `copy`", "a segment of its own"}}},
      {"CpuNegative", with_work_in_chain("[{cpu: @-1ms}]"), {{"cpu `-1ms` is negative", "0 or more"}}},
      {"CopyUnknownKey", with_work_in_chain("[{copy: {@byte: 1B}}]"), {{"unknown key `byte`", "`bytes`"}}},
      {"CopyWithoutBytes",
       with_work_in_chain("[{copy: @{direction: to-device}}]"),
       {{"the copy has no `bytes`", "bytes: 4MiB"}}},
      {"CopyWithoutBandwidth",
       with_work_in_chain("[{copy: {bytes: @4MiB}}]"),
       {{"a copy of 4MiB, but the platform has no copy_bandwidth", "12GB/s"}}},
      {"CopyDirectionUnknown",
       with_gpu("copy_bandwidth: 1GB/s", "segments: [{copy: {bytes: 1kB, direction: @up}}]"),
       {{"direction `up` is not known", "to-device, from-device"}}},
      {"CopyBytesWithoutUnit",
       with_gpu("copy_bandwidth: 1GB/s", "segments: [{copy: {bytes: @4096}}]"),
       {{"bytes `4096` has no unit", "write 4096B"}}},
      {"CopyTakesTooLong",
       with_gpu("copy_bandwidth: 1B/s", "segments: [{copy: {bytes: @9999999999B}}]"),
       {{"takes longer than 64 bits of nanoseconds", "larger copy_bandwidth"}}},
      {"GpuWorkIsATime", with_work_in_chain("[{gpu: @5ms}]"), {{"gpu is `5ms`, but must be a map", "{work"}}},
      {"GpuWorkUnknownKey",
       with_work_in_chain("[{gpu: {work: 1ms, @alpha: 2}}]"),
       {{"`alpha`", "interleave"}}},
      {"GpuWorkWithoutWork",
       with_work_in_chain("[{gpu: @{overhead: 1ms}}]"),
       {{"the gpu segment has no `work`", "work: 12ms"}}},
      {"InterleaveBelowOne",
       with_work_in_chain("[{gpu: {work: 1ms, interleave: @0.5}}]"),
       {{"interleave is 1/2", "at least 1"}}},
      {"InterleaveNegative",
       with_work_in_chain("[{gpu: {work: 1ms, interleave: @-1.5}}]"),
       {{"interleave `-1.5` is negative", "at least 1"}}},
      {"InterleaveWord",
       with_work_in_chain("[{gpu: {work: 1ms, interleave: @much}}]"),
       {{"interleave `much` is not a number", "1.5"}}},
      {"InterleaveWithUnit",
       with_work_in_chain("[{gpu: {work: 1ms, interleave: @1.5x}}]"),
       {{"interleave `1.5x` is not a number", "without a unit"}}},
      {"InterleaveOverflow",
       with_work_in_chain("[{gpu: {work: 1ms, interleave: @1.00000000000000000001}}]"),
       {{"does not fit 64 bits", "fewer digits"}}},
      {"OverheadMoreThanWork",
       with_work_in_chain("[{gpu: {work: 1ms, overhead: @2ms, interleave: 1.5}}]"),
       {{"the overhead 2ms is more than work * interleave, 1ms * 3/2", "part of the work"}}},
  };
}

std::vector<BadInput> kernels() {
  return {
      {"KernelIsATime", with_kernel("@1ms"), {{"kernel is `1ms`, but must be a map", "{grid: 64"}}},
      {"KernelUnknownKey",
       with_kernel("{grid: 1, block: 32, block_time: 1us, @regs: 4}"),
       {{"unknown key `regs`", "known here: grid, block"}}},
      {"KernelDuplicateKey",
       with_kernel("{grid: 1, block: 32, block_time: 1us, @grid: 4}"),
       {{"key `grid` is given twice", "line 4"}}},
      {"KernelIncomplete",
       with_kernel("@@@{}"),
       {{"the kernel has no `grid`", "grid: 64"},
        {"the kernel has no `block`", "block: 512"},
        {"the kernel has no `block_time`", "block_time: 1ms"}}},
      {"GridZero",
       with_kernel("{grid: @0, block: 32, block_time: 1us}"),
       {{"grid `0` is less than 1", "1 or more"}}},
      {"GridDimensionZero",
       with_kernel("{grid: [8, @0], block: 32, block_time: 1us}"),
       {{"grid `0` is less than 1", "1 or more"}}},
      {"GridNegative",
       with_kernel("{grid: @-4, block: 32, block_time: 1us}"),
       {{"grid `-4` is less than 1", "1 or more"}}},
      {"GridOfFour",
       with_kernel("{grid: @[1, 1, 1, 1], block: 32, block_time: 1us}"),
       {{"grid is a list of 4 numbers", "one to three"}}},
      {"GridOfNone",
       with_kernel("{grid: @[], block: 32, block_time: 1us}"),
       {{"grid is a list of 0 numbers", "one to three"}}},
      {"GridMap",
       with_kernel("{grid: @{x: 1}, block: 32, block_time: 1us}"),
       {{"grid is a map", "[8, 8, 1]"}}},
      {"GridWithListInside",
       with_kernel("{grid: [@[1], 2], block: 32, block_time: 1us}"),
       {{"grid is a list", "whole number"}}},
      {"GridProductOverflow",
       with_kernel("{grid: @[4294967296, 4294967296], block: 32, block_time: 1us}"),
       {{"4294967296 x 4294967296 x 1 has more blocks than 64 bits hold", "smaller grid"}}},
      {"GridOverflow",
       with_kernel("{grid: @9223372036854775808, block: 32, block_time: 1us}"),
       {{"does not fit 64 bits", "9223372036854775807"}}},
      {"BlockZero",
       with_kernel("{grid: 1, block: @0, block_time: 1us}"),
       {{"block `0` is less than 1", "1 or more"}}},
      {"BlockOfNegatives",
       with_kernel("{grid: 1, block: [@-1, @-32], block_time: 1us}"),
       {{"block `-1` is less than 1", "1 or more"}, {"block `-32` is less than 1", "1 or more"}}},
      {"BlockTooManyThreads",
       with_kernel("{grid: 1, block: @2049, block_time: 1us}"),
       {{"a block never fits an SM: it needs 2049 threads, an SM has 2048", "at most 2048 threads"}}},
      {"BlockTooManyWarps",
       with_gpu("threads_per_sm: 2040", "kernel: {grid: 1, block: @2020, block_time: 1us}"),
       {{"it needs 2020 threads (2048 in whole warps), an SM has 2040", "at most 2016 threads"}}},
      {"BlockProductTooManyThreads",
       with_kernel("{grid: 1, block: @[64, 64], block_time: 1us}"),
       {{"it needs 4096 threads, an SM has 2048", "at most 2048"}}},
      {"BlockProductOverflow",
       with_kernel("{grid: 1, block: @[4294967296, 4294967296], block_time: 1us}"),
       {{"more threads than 64 bits hold", "smaller block"}}},
      {"BlockTooMuchSharedMemory",
       with_kernel("{grid: 1, block: 32, block_time: 1us, shared_memory: @65KiB}"),
       {{"never fits an SM: it needs 65KiB of shared memory, an SM has 64KiB", "at most 64KiB"}}},
      {"BlockTooManyRegisters",
       with_kernel("{grid: 1, block: 32, block_time: 1us, registers: @65537}"),
       {{"never fits an SM: it needs 65537 registers, an SM has 65536", "at most 65536 registers"}}},
      {"BlockTooManyRegistersByThread",
       with_kernel("{grid: 1, block: 1000, block_time: 1us, registers_per_thread: @65}"),
       {{"it needs 66560 registers, an SM has 65536", "at most 65536 registers"}}},
      {"RegistersNegativeByThread",
       with_kernel("{grid: 1, block: 32, block_time: 1us, registers_per_thread: @-1}"),
       {{"registers is -32", "0 or more"}}},
      {"RegistersOverflowByThread",
       with_kernel("{grid: 1, block: 1024, block_time: 1us, registers_per_thread: @9223372036854775807}"),
       {{"more registers than 64 bits hold", "in whole warps"}}},
      {"RegistersTwice",
       with_kernel("{grid: 1, block: 32, block_time: 1us, registers: 8, @registers_per_thread: 4}"),
       {{"both `registers` and `registers_per_thread`", "keep one"}}},
      {"SharedMemoryOfABlockWithoutUnit",
       with_kernel("{grid: 1, block: 32, block_time: 1us, shared_memory: @1024}"),
       {{"shared_memory `1024` has no unit", "write 1024B"}}},
      {"BlockTimeBestAfterWorst",
       with_kernel("{grid: 1, block: 32, block_time: @[2us, 1us]}"),
       {{"block_time: the best case 2us is longer than the worst case 1us", "[1us, 2us]"}}},
      {"BlockTimeOverflow",
       with_kernel("{grid: 1, block: 32, block_time: @99999999999999999999ns}"),
       {{"does not fit 64 bits", "9223372036.854775807s"}}},
  };
}

std::vector<BadInput> graphs() {
  const std::string nodes = "nodes: {a: {cpu: 1ms}, b: {cpu: 1ms}, cam: {cpu: 1ms}}";
  return {
      {"GraphIsAList", with_graph("@[a]"), {{"graph is a list, but must be a map", "{nodes"}}},
      {"GraphUnknownKey", with_graph("{" + nodes + ", @edge: []}"), {{"unknown key `edge`", "`edges`"}}},
      {"GraphWithoutNodes", with_graph("@{edges: []}"), {{"the graph has no `nodes`", "nodes: {a"}}},
      {"NodesIsAList", with_graph("{nodes: @[a]}"), {{"nodes is a list, but must be a map", "{a: {cpu"}}},
      {"NodesIsEmpty", with_graph("{nodes: @{}}"), {{"the graph of task `a` has no nodes", "a: {cpu"}}},
      {"NodeIsATime", with_graph("{nodes: {a: @1ms}}"), {{"node `a` is `1ms`, but must be a map", "{cpu"}}},
      {"NodeIsEmpty", with_graph("{nodes: {@a: }}"), {{"node `a` is empty, but must be a map", "{cpu"}}},
      {"NodeTwice",
       with_graph("{nodes: {a: {cpu: 1ms}, @a: {cpu: 1ms}}}"),
       {{"key `a` is given twice", "line 4"}}},
      {"NodeBlockNeverFits",
       with_graph("{nodes: {a.b: {kernel: {grid: 1, block: @4096, block_time: 1us}}}}"),
       {{"needs 4096 threads", "at most 2048"}}},
      {"EdgesIsAMap", with_graph("{" + nodes + ", edges: @{a: b}}"), {{"edges is a map", "[[a, b]"}}},
      {"EdgeIsAWord", with_graph("{" + nodes + ", edges: [@a]}"), {{"an edge is `a`", "[a, b]"}}},
      {"EdgeOfOne", with_graph("{" + nodes + ", edges: [@[a]]}"), {{"an edge with 1", "[from, to]"}}},
      {"EdgeOfThree", with_graph("{" + nodes + ", edges: [@[a, b, a]]}"), {{"an edge with 3", "[from, to]"}}},
      {"EdgeWithAList", with_graph("{" + nodes + ", edges: [[a, @[b]]]}"), {{"edge is a list", "a name"}}},
      {"EdgeDangling",
       with_graph("{" + nodes + ", edges: [[a, @cma]]}"),
       {{"the edge names `cma`, but the graph has no such node", "did you mean `cam`?"}}},
      {"EdgeDanglingTwice",
       with_graph("{" + nodes + ", edges: [[@x, @y]]}"),
       {{"the edge names `x`", "name of a node"}, {"the edge names `y`", "name of a node"}}},
      {"EdgeToItself",
       with_graph("{" + nodes + ", edges: [@[a, a]]}"),
       {{"an edge from node `a` to itself", "remove the edge"}}},
      {"EdgeTwice",
       with_graph("{" + nodes + ", edges: [[a, b], @[a, b]]}"),
       {{"the edge from `a` to `b` is given twice", "remove one"}}},
      {"CycleOfTwo",
       with_graph("{" + nodes + ", edges: [[a, b], @[b, a]]}"),
       {{"the edges form a cycle: a -> b -> a", "remove one of its edges"}}},
      {"CycleOfThree",
       with_graph("{" + nodes + ", edges: [[b, cam], @[cam, a], [a, b]]}"),
       {{"the edges form a cycle: a -> b -> cam -> a", "remove one of its edges"}}},
      {"CycleBehindADanglingEdge",
       with_graph("{" + nodes + ", edges: [[a, b], [a, @zebra], @[b, a]]}"),
       {{"the edge names `zebra`", "name of a node"}, {"form a cycle: a -> b -> a", "remove one"}}},
      {"TwoCycles",
       with_graph("{" + nodes + ", edges: [[a, b], @[b, a], [b, cam], @[cam, b]]}"),
       {{"form a cycle: a -> b -> a", "remove one"}, {"form a cycle: b -> cam -> b", "remove one"}}},
  };
}

std::vector<BadInput> together() {
  return {
      {"SeveralProblemsInFileOrder",
       R"(tactus: 1
tasks:
  - name: a
    period: @10
    deadline: @0ms
    kernel: {grid: 64, block: @4096, block_time: @[2ms, 1ms]}
  - name: @a
    period: 10ms
    @exlusive: 3ms
policy: {strategy: @fair, levels: @3}
platform: {base: jetson-tx2, @fans: 2}
)",
       {{"period `10` has no unit", "write 10ms"},
        {"deadline of task `a` is 0ns", "1ns"},
        {"needs 4096 threads, an SM has 2048", "2048"},
        {"best case 2ms", "[1ms, 2ms]"},
        {"two tasks have the name `a`", "line 3"},
        {"unknown key `exlusive`", "`exclusive`"},
        {"strategy `fair`", "as-submitted"},
        {"levels is 3", "1 to 2"},
        {"unknown key `fans`", "known here: base"}}},
      {"WhatDependsOnAnUnknownPlatformStaysSilent",
       R"(tactus: 1
platform: @jetson
policy: {strategy: federated, levels: 4, sm_group: 5, virtual_sms: {a: 3}}
tasks:
  - {name: a, period: 10ms, core: 9, sm: 4, stream_priority: -3, kernel: {grid: 1, block: 4096, block_time: 1us}}
  - {name: b, period: 10ms, segments: [{copy: {bytes: 1MiB}}]}
)",
       {{"platform `jetson`", "jetson-tx2"}}},
      {"WhatDependsOnABrokenValueStaysSilent",
       R"(tactus: 1
platform: {gpu: {sms: 2, threads_per_sm: @many, @copy_bandwith: 1GB/s}}
tasks:
  - {name: a, period: 10ms, kernel: {grid: 1, block: 4096, block_time: 1us}}
  - {name: b, period: 10ms, segments: [{copy: {bytes: 1MiB}}]}
  - {name: c, arrival: @weekly, deadline: 10ms, exclusive: 1ms}
  - {name: d, period: 10ms, longest_block: 2ms, exclusive: @1}
  - {name: e, period: 10ms, segments: [{gpu: {work: @1, overhead: 2ms}}]}
)",
       {{"`many` is not a whole number", "digits"},
        {"unknown key `copy_bandwith`", "`copy_bandwidth`"},
        {"arrival `weekly`", "periodic"},
        {"exclusive `1` has no unit", "1ms"},
        {"work `1` has no unit", "1ms"}}},
      {"AliasedProblemIsToldOnce",
       R"(tactus: 1
platform: jetson-tx2
tasks:
  - {name: a, period: 1ms, kernel: &k {grid: 1, block: @4096, block_time: 1us}}
  - {name: b, period: 1ms, kernel: *k}
)",
       {{"needs 4096 threads", "2048"}}},
      {"WrongUseOfAnAliasIsToldAtTheAlias",
       R"(tactus: 1
platform: jetson-tx2
tasks:
  - {name: a, period: 1ms, kernel: &k {grid: 1, block: 32, block_time: 1us}}
  - {name: b, period: @*k, exclusive: 1us}
)",
       {{"period is a map", "duration"}}},
  };
}

std::string test_name(const testing::TestParamInfo<BadInput>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Texts, BadInputTest, testing::ValuesIn(texts()), test_name);
INSTANTIATE_TEST_SUITE_P(TopLevel, BadInputTest, testing::ValuesIn(top_level()), test_name);
INSTANTIATE_TEST_SUITE_P(Platforms, BadInputTest, testing::ValuesIn(platforms()), test_name);
INSTANTIATE_TEST_SUITE_P(Policies, BadInputTest, testing::ValuesIn(policies()), test_name);
INSTANTIATE_TEST_SUITE_P(Tasks, BadInputTest, testing::ValuesIn(tasks()), test_name);
INSTANTIATE_TEST_SUITE_P(Jobs, BadInputTest, testing::ValuesIn(jobs()), test_name);
INSTANTIATE_TEST_SUITE_P(Work, BadInputTest, testing::ValuesIn(work()), test_name);
INSTANTIATE_TEST_SUITE_P(Kernels, BadInputTest, testing::ValuesIn(kernels()), test_name);
INSTANTIATE_TEST_SUITE_P(Graphs, BadInputTest, testing::ValuesIn(graphs()), test_name);
INSTANTIATE_TEST_SUITE_P(Together, BadInputTest, testing::ValuesIn(together()), test_name);

}  // namespace
}  // namespace tactus
