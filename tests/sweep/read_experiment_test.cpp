#include "tactus/sweep/read_experiment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "support/marked_text.hpp"
#include "tactus/base/error.hpp"

namespace tactus::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> values_of(const std::string& generator, const std::string& vary) {
  const ReadExperimentResult read =
      read_experiment("tactus-experiment: 1\ngenerator: " + generator + "\nvary: " + vary +
                          "\nanalyses: [block-rta]\nsystems: 3\n",
                      "folder/good.yaml");
  for (const Problem& problem : read.problems) ADD_FAILURE() << to_string(problem);
  std::vector<std::string> values;
  if (!read.experiment) return values;
  EXPECT_EQ(read.experiment->name, "good");
  EXPECT_EQ(read.experiment->seed, 1U);
  EXPECT_EQ(read.experiment->systems, 3);
  for (const Point& point : read.experiment->points) {
    values.push_back(generate::to_text(point.value));
    EXPECT_EQ(point.parameters.value_of(read.experiment->varied), point.value);
  }
  return values;
}

TEST(ReadExperiment, ValuesAndRanges) {
  const std::string jobs = "{kind: gpu-jobs, tasks: 4, periods: [1ms]}";
  EXPECT_THAT(values_of(jobs, "{parameter: utilisation, values: [0.2, 1, 0.30]}"),
              ElementsAre("0.2", "1", "0.3"));
  EXPECT_THAT(values_of(jobs, "{parameter: utilisation, from: 0.2, to: 0.5, step: 0.1}"),
              ElementsAre("0.2", "0.3", "0.4", "0.5"));
  EXPECT_THAT(values_of("{kind: gpu-jobs, utilisation: 1, periods: [1ms]}",
                        "{parameter: tasks, from: 2, to: 9, step: 3}"),
              ElementsAre("2", "5", "8"));
  EXPECT_THAT(values_of("{kind: gpu-jobs, tasks: 4, utilisation: 1, periods: [1ms]}",
                        "{parameter: granularity, from: 1us, to: 2us, step: 0.5us}"),
              ElementsAre("1us", "1.5us", "2us"));
  EXPECT_THAT(values_of("{kind: gpu-jobs, tasks: 4, utilisation: 1, periods: [1ms]}",
                        "{parameter: order, values: [edf, fp]}"),
              ElementsAre("edf", "fp"));
  EXPECT_THAT(values_of("{kind: gpu-jobs, tasks: 4, utilisation: 1}",
                        "{parameter: periods, values: [[1ms, 2ms], [3ms]]}"),
              ElementsAre("[1ms, 2ms]", "[3ms]"));
}

TEST(ReadExperiment, KeepsEverythingTheFileSays) {
  const ReadExperimentResult read = read_experiment(
      "tactus-experiment: 1\n"
      "name: figure-6\n"
      "title: Acceptance when U = 0.2\n"
      "generator: {kind: pruda, utilisation_all: 0.2, periods: [4ms, 5ms], tasks_1: 7}\n"
      "vary: {parameter: utilisation_1, values: [0.2]}\n"
      "analyses: [block-rta]\n"
      "systems: 1000\n"
      "seed: 42\n",
      "other.yaml");
  ASSERT_TRUE(read.experiment);
  EXPECT_EQ(read.experiment->name, "figure-6");
  EXPECT_EQ(read.experiment->title, "Acceptance when U = 0.2");
  EXPECT_EQ(read.experiment->generator.id, "pruda");
  EXPECT_EQ(read.experiment->points[0].parameters.integer("tasks_1"), 7);
  EXPECT_EQ(read.experiment->points[0].parameters.integer("tasks_2"), 3);
  EXPECT_EQ(read.experiment->seed, 42U);
  EXPECT_EQ(read.experiment->analyses[0].id, "block-rta");
}

/// Parts of what must be said.
struct Said {
  std::string message;
  std::string hint;
};

/// A text with `@` before each place where a problem must be reported, and what must be said there.
struct BadExperiment {
  std::string name;
  std::string text;
  std::vector<Said> said;
};

std::ostream& operator<<(std::ostream& out, const BadExperiment& input) { return out << input.name; }

class BadExperimentTest : public testing::TestWithParam<BadExperiment> {};

TEST_P(BadExperimentTest, IsToldWithPlaceAndHint) {
  const test::Marked marked = test::take_marks(GetParam().text);
  const std::vector<Said>& said = GetParam().said;
  ASSERT_EQ(marked.places.size(), said.size());
  const ReadExperimentResult result = read_experiment(marked.text, "bad.yaml");
  EXPECT_FALSE(result.experiment);
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

/// A good experiment, but for its generator and what varies.
std::string with(const std::string& generator, const std::string& vary) {
  return "tactus-experiment: 1\ngenerator: " + generator + "\nvary: " + vary +
         "\nanalyses: [block-rta]\nsystems: 3\n";
}

const std::string good_generator = "{kind: gpu-jobs, tasks: 4, periods: [1ms]}";
const std::string good_vary = "{parameter: utilisation, values: [0.2]}";

std::string with_vary(const std::string& vary) { return with(good_generator, vary); }
std::string with_generator(const std::string& generator) { return with(generator, good_vary); }

/// A good experiment, but for these last lines.
std::string with_lines(const std::string& lines) {
  return "tactus-experiment: 1\ngenerator: " + good_generator + "\nvary: " + good_vary + "\n" + lines;
}

std::string name_of(const testing::TestParamInfo<BadExperiment>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    TopLevel, BadExperimentTest,
    testing::Values(
        BadExperiment{
            "Empty", "@", {{"the file is empty", "an experiment file begins with `tactus-experiment: 1`"}}},
        BadExperiment{"NotYaml", "a: @[1, 2\nb: c", {{"is not closed", "add `]`"}}},
        BadExperiment{"NotAMap", "@[1, 2]", {{"an experiment file is a list", "tactus-experiment"}}},
        BadExperiment{"NothingInIt",
                      "@@@@@{name: a}",
                      {{"the file has no `tactus-experiment`", "tactus-experiment: 1"},
                       {"has no `generator`", "kind: gpu-jobs"},
                       {"has no `vary`", "parameter:"},
                       {"has no `analyses`", "analyses: ["},
                       {"has no `systems`", "systems: 100"}}},
        BadExperiment{"Version",
                      "tactus-experiment: @2\ngenerator: " + good_generator + "\nvary: " + good_vary +
                          "\nanalyses: [block-rta]\nsystems: 1\n",
                      {{"version 2 of experiment files is not known", "write `tactus-experiment: 1`"}}},
        BadExperiment{"UnknownKey",
                      with_lines("analyses: [block-rta]\nsystems: 1\n@sed: 4\n"),
                      {{"unknown key `sed`", "did you mean `seed`?"}}},
        BadExperiment{"SystemFile",
                      "@tactus: 1\nplatform: jetson-tx2\ntasks: []\n",
                      {{"this is a system file", "tactus check"}}},
        BadExperiment{"NoSystems",
                      with_lines("analyses: [block-rta]\nsystems: @0\n"),
                      {{"systems is 0", "allowed: 1 to 1000000000"}}},
        BadExperiment{"SystemsWithUnit",
                      with_lines("analyses: [block-rta]\nsystems: @10k\n"),
                      {{"systems `10k` is not a whole number", "no unit"}}},
        BadExperiment{"NegativeSeed",
                      with_lines("analyses: [block-rta]\nsystems: 1\nseed: @-1\n"),
                      {{"seed is -1", "allowed: 0 to"}}},
        BadExperiment{"NameWithSlash",
                      with_lines("analyses: [block-rta]\nsystems: 1\nname: @a/b\n"),
                      {{"the name `a/b` cannot name a file", "title"}}},
        BadExperiment{
            "UnknownAnalyses",
            with_lines("analyses: [@block-rtr, @nonsense-of-a-kind, block-rta, @block-rta]\nsystems: 1\n"),
            {{"the analysis `block-rtr` is not known", "did you mean `block-rta`?"},
             {"the analysis `nonsense-of-a-kind` is not known", "known:"},
             {"the analysis `block-rta` is named twice", "remove"}}},
        BadExperiment{"NoAnalyses",
                      with_lines("analyses: @[]\nsystems: 1\n"),
                      {{"analyses is an empty list", "at least one"}}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Generator, BadExperimentTest,
    testing::Values(
        BadExperiment{
            "NoKind", with_generator("@{tasks: 4}"), {{"the generator has no `kind`", "gpu-jobs, pruda"}}},
        BadExperiment{"MisspeltKind",
                      with_generator("{@knd: gpu-jobs, tasks: 4, periods: [1ms]}"),
                      {{"unknown key `knd`", "did you mean `kind`?"}}},
        BadExperiment{"UnknownKind",
                      with_generator("{kind: @gpu-job, tasks: 4}"),
                      {{"the generator `gpu-job` is not known", "did you mean `gpu-jobs`?"}}},
        BadExperiment{"NotAMap",
                      with_generator("@gpu-jobs"),
                      {{"generator is `gpu-jobs`, but must be a map", "kind:"}}},
        BadExperiment{"UnknownParameter",
                      with_generator("{kind: gpu-jobs, tasks: 4, periods: [1ms], @deadline_lest: 1}"),
                      {{"unknown key `deadline_lest`", "did you mean `deadline_least`?"}}},
        BadExperiment{"MisspeltRequiredParameterIsToldOnce",
                      with_generator("{kind: gpu-jobs, @taks: 4, periods: [1ms]}"),
                      {{"unknown key `taks`", "did you mean `tasks`?"}}},
        BadExperiment{"RequiredParameterMissing",
                      with_generator("@{kind: gpu-jobs, periods: [1ms]}"),
                      {{"the generator gpu-jobs needs `tasks`", "vary it"}}},
        BadExperiment{"ValueOutOfBounds",
                      with_generator("{kind: gpu-jobs, tasks: @0, periods: [1ms], deadline_least: @1.5}"),
                      {{"tasks is 0", "allowed: 1 to 10000"}, {"deadline_least is 1.5", "allowed: 0 to 1"}}},
        BadExperiment{
            "WrongTypes",
            with_generator("{kind: gpu-jobs, tasks: @many, periods: @1ms, order: @rm, granularity: @5}"),
            {{"tasks `many` is not a whole number", "digits"},
             {"periods is `1ms`, but must be a list", "[10ms, 20ms]"},
             {"order `rm` is not known", "edf, fp"},
             {"granularity `5` has no unit", "5ms"}}},
        BadExperiment{"BadPeriodInList",
                      with_generator("{kind: gpu-jobs, tasks: 4, periods: [1ms, @2, @0ms]}"),
                      {{"periods `2` has no unit", "2ms"}, {"periods is 0ms", "allowed: 1ns or more"}}},
        BadExperiment{
            "ParametersThatContradict",
            with_generator("{kind: gpu-jobs, tasks: 4, periods: [1ms], periods_between: @[1ms, 2ms]}"),
            {{"both `periods` and `periods_between`", "give one"}}},
        BadExperiment{"MissingTogether",
                      with("{kind: gpu-jobs, tasks: 4}", "{parameter: utilisation, values: [@0.2]}"),
                      {{"neither `periods` nor `periods_between` is given", "give one"}}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Vary, BadExperimentTest,
    testing::Values(
        BadExperiment{"NotAMap",
                      with_vary("@utilisation"),
                      {{"vary is `utilisation`, but must be a map", "parameter:"}}},
        BadExperiment{"NoParameter",
                      with_vary("@{values: [1]}"),
                      {{"`vary` has no `parameter`", "parameter: utilisation"}}},
        BadExperiment{
            "UnknownParameter",
            with_vary("{parameter: @utilization, values: [1]}"),
            {{"the generator gpu-jobs has no parameter `utilization`", "did you mean `utilisation`?"}}},
        BadExperiment{"FixedAndVaried",
                      with("{kind: gpu-jobs, tasks: 4, periods: [1ms], @utilisation: 0.3}", good_vary),
                      {{"`utilisation` has a fixed value, but `vary` varies it", "remove it"}}},
        BadExperiment{"NoValues",
                      with_vary("@{parameter: utilisation}"),
                      {{"`vary` gives no values", "values: [0.2, 0.4]"}}},
        BadExperiment{"EmptyList",
                      with_vary("{parameter: utilisation, values: @[]}"),
                      {{"values is an empty list", "for instance"}}},
        BadExperiment{"BadValues",
                      with_vary("{parameter: utilisation, values: [0.2, @50%, @-1, @9999]}"),
                      {{"utilisation `50%` is not a number", "decimal"},
                       {"utilisation `-1` is negative", "0 or more"},
                       {"utilisation is 9999", "allowed: 0 to 4096"}}},
        BadExperiment{"ValueTwice",
                      with_vary("{parameter: utilisation, values: [0.2, @0.20]}"),
                      {{"the value 0.2 is given twice", "remove"}}},
        BadExperiment{"ImpossibleValue",
                      with_vary("{parameter: utilisation, values: [0.2, @4.5, @5]}"),
                      {{"4 tasks of at most 1 each cannot have the utilisation 4.5", "more tasks"},
                       {"cannot have the utilisation 5", "more tasks"}}},
        BadExperiment{"ListAndRange",
                      with_vary("{parameter: utilisation, @values: [0.2], from: 0.1}"),
                      {{"both `values` and a range are given", "keep one"}}},
        BadExperiment{"HalfARange",
                      with_vary("@@{parameter: utilisation, from: 0.1}"),
                      {{"`vary` without `values` has no `to`", "to: 0.8"},
                       {"`vary` without `values` has no `step`", "step: 0.1"}}},
        BadExperiment{"StepOfNothing",
                      with_vary("{parameter: utilisation, from: 0.1, to: 0.2, step: @0}"),
                      {{"step is 0", "more than 0"}}},
        BadExperiment{"RangeBackwards",
                      with_vary("{parameter: utilisation, from: 0.4, to: @0.2, step: 0.1}"),
                      {{"the range ends before it begins: 0.4 to 0.2", "swap"}}},
        BadExperiment{"TooManyPoints",
                      with_vary("@{parameter: utilisation, from: 0, to: 1, step: 0.00001}"),
                      {{"more than 10000 points", "larger step"}}},
        BadExperiment{"WordsHaveNoRange",
                      with("{kind: gpu-jobs, tasks: 4, utilisation: 1, periods: [1ms]}",
                           "@{parameter: order, from: edf, to: fp, step: 1}"),
                      {{"`order` cannot be counted in steps", "values:"}}}),
    name_of);

/// A good experiment, but for what is judged and measured.
std::string with_judges(const std::string& lines) { return with_lines(lines + "systems: 1\n"); }

INSTANTIATE_TEST_SUITE_P(
    Policies, BadExperimentTest,
    testing::Values(
        BadExperiment{"NotAList",
                      with_judges("policies: @{policy: {order: fp}}\n"),
                      {{"policies is a map, but must be a list", "strategy: multi-stream"}}},
        BadExperiment{
            "Empty", with_judges("policies: @[]\n"), {{"policies is an empty list", "leave it out"}}},
        BadExperiment{"EntryIsAWord",
                      with_judges("policies: [@fp]\n"),
                      {{"an entry of `policies` is `fp`, but must be a map", "policy:"}}},
        BadExperiment{"NothingInAnEntry",
                      with_judges("policies: [@@{name: a}]\n"),
                      {{"has no `policy`", "policy: {strategy"}, {"has no `analyses`", "analyses: ["}}},
        BadExperiment{
            "UnknownKeys",
            with_judges("policies: [{@polcy: {order: fp}, policy: {@ordr: fp}, analyses: [np-fp]}]\n"),
            {{"unknown key `polcy`", "did you mean `policy`?"},
             {"unknown key `ordr`", "did you mean `order`?"}}},
        BadExperiment{
            "UnknownWords",
            with_judges("policies: [{policy: {strategy: @one-stream, order: @rm}, analyses: [@np-pf]}]\n"),
            {{"strategy `one-stream` is not known", "single-stream"},
             {"order `rm` is not known", "edf, fp"},
             {"the analysis `np-pf` is not known", "did you mean `np-fp`?"}}},
        BadExperiment{
            "VirtualSms",
            with_judges("policies: [{policy: {strategy: federated, @virtual_sms: {a: 2}, "
                        "@early_release: true}, analyses: [rtgpu]}]\n"),
            {{"`virtual_sms` names tasks", "leave it out"}, {"`early_release` belongs", "leave it"}}},
        BadExperiment{
            "SameNameTwice",
            with_judges("policies: [{policy: {order: fp}, analyses: [np-fp]}, @{policy: {order: fp}, "
                        "analyses: [np-edf]}]\n"),
            {{"two policies have the name `order fp`", "name"}}},
        BadExperiment{"AsGeneratedTwice",
                      with_judges("analyses: [np-edf]\npolicies: [{policy: @{}, analyses: [np-fp]}]\n"),
                      {{"as generated already", "name"}}},
        BadExperiment{
            "NotForTheseSystems",
            with_judges("policies: [{policy: {strategy: multi-stream, levels: @9}, analyses: "
                        "[ms-edf]}, {policy: {strategy: federated, order: @edf}, analyses: [rtgpu]}]\n"),
            {{"levels is 9, but the GPU has 2 stream priorities", "allowed: 1 to 2"},
             {"the strategy `federated` does not take the order `edf`", "write `fp`"}}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Measures, BadExperimentTest,
    testing::Values(
        BadExperiment{"NotAList",
                      with_judges("analyses: [np-edf]\nmeasures: @weighted\n"),
                      {{"measures is `weighted`, but must be a list", "[acceptance, weighted]"}}},
        BadExperiment{"Empty",
                      with_judges("analyses: [np-edf]\nmeasures: @[]\n"),
                      {{"measures is an empty list", "acceptance"}}},
        BadExperiment{"UnknownAndTwice",
                      with_judges("analyses: [np-edf]\nmeasures: [@wighted, acceptance, @acceptance]\n"),
                      {{"a measure `wighted` is not known", "weighted"},
                       {"the measure `acceptance` is named twice", "remove"}}},
        BadExperiment{"SimulateForNothing",
                      with_judges("analyses: [np-edf]\n@simulate: {jobs: 3}\n"),
                      {{"nothing is measured by simulation", "bound-observed"}}},
        BadExperiment{"SimulateHowLong",
                      with_judges("analyses: [np-edf]\nmeasures: [bound-observed]\nsimulate: @{}\n"),
                      {{"does not say how long", "{jobs: 10}"}}},
        BadExperiment{"SimulateTwice",
                      with_judges("analyses: [np-edf]\nmeasures: [bound-observed]\nsimulate: {jobs: 3, @for: "
                                  "1s}\n"),
                      {{"both `jobs` and `for`", "keep one"}}},
        BadExperiment{"SimulateNothing",
                      with_judges("analyses: [np-edf]\nmeasures: [bound-observed]\nsimulate: {for: @0ms}\n"),
                      {{"`for` is 0", "at least 1ns"}}},
        BadExperiment{"NoJobs",
                      with_judges("analyses: [np-edf]\nmeasures: [bound-observed]\nsimulate: {jobs: @0}\n"),
                      {{"jobs is 0", "allowed: 1 to"}}}),
    name_of);

const std::string utilisations = "{parameter: utilisation, values: [0.2, 0.4]}";

INSTANTIATE_TEST_SUITE_P(
    Second, BadExperimentTest,
    testing::Values(
        BadExperiment{"EmptyList", with_vary("@[]"), {{"`vary` lists 0 parameters", "one or two"}}},
        BadExperiment{"Three",
                      with_vary("@[{parameter: utilisation}, {parameter: tasks}, {parameter: order}]"),
                      {{"`vary` lists 3 parameters", "one or two"}}},
        BadExperiment{"TheSame",
                      with_vary("[" + utilisations + ", {parameter: @utilisation, values: [0.5]}]"),
                      {{"`utilisation` varies already", "another"}}},
        BadExperiment{"FixedAndVaried",
                      with("{kind: gpu-jobs, @tasks: 4, periods: [1ms]}",
                           "[" + utilisations + ", {parameter: tasks, values: [3]}]"),
                      {{"`tasks` has a fixed value", "remove it"}}},
        BadExperiment{"UnknownShow",
                      with("{kind: gpu-jobs, periods: [1ms]}",
                           "[" + utilisations + ", {parameter: tasks, values: [3], show: @lines}]"),
                      {{"show `lines` is not known", "panels, curves"}}},
        BadExperiment{
            "ShowBelongsToTheSecond",
            with("{kind: gpu-jobs, periods: [1ms]}",
                 "[{parameter: utilisation, values: [0.5], @show: curves}, {parameter: tasks, values: "
                 "[3]}]"),
            {{"unknown key `show`", ""}}},
        BadExperiment{
            "ToldOnceForAllValues",
            with("{kind: gpu-jobs, periods: [1ms]}",
                 "[{parameter: utilisation, values: [0.5, @1.5]}, {parameter: tasks, values: [1, 2]}]"),
            {{"1 tasks of at most 1 each cannot have the utilisation 1.5", "more tasks"}}},
        BadExperiment{
            "TooManyTogether",
            with("{kind: gpu-jobs, periods: [1ms]}",
                 "@[{parameter: utilisation, from: 0.001, to: 1, step: 0.001}, {parameter: tasks, from: "
                 "1, to: 100, step: 1}]"),
            {{"more than 10000 points", "larger steps"}}}),
    name_of);

Experiment good(const std::string& text) {
  ReadExperimentResult read = read_experiment(text, "good.yaml");
  if (!read.experiment) throw InputError{read.problems};
  return *read.experiment;
}

TEST(ReadExperiment, PoliciesChangeWhatTheyName) {
  const Experiment experiment = good(with_lines(
      "analyses: [np-edf]\n"
      "policies:\n"
      "  - {policy: {order: fp}, analyses: [np-fp]}\n"
      "  - {policy: {strategy: multi-stream, refill: immediate}, analyses: [ms-edf, ms-edf-immediate]}\n"
      "  - {name: own SMs, policy: {strategy: federated}, analyses: [rtgpu]}\n"
      "systems: 1\n"));
  EXPECT_THAT(experiment.policy_of, ElementsAre(0U, 1U, 2U, 2U, 3U));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < experiment.analyses.size(); ++i) names.push_back(curve_name(experiment, i));
  EXPECT_THAT(names, ElementsAre("np-edf (as generated)", "np-fp (order fp)",
                                 "ms-edf (multi-stream refill immediate)",
                                 "ms-edf-immediate (multi-stream refill immediate)", "rtgpu (own SMs)"));
  const System system = make_system(experiment, experiment.points[0], 0);
  System expected = system;
  EXPECT_EQ(with_policy(system, experiment.policies[0]), expected);
  expected.policy.order = Order::fp;
  EXPECT_EQ(with_policy(system, experiment.policies[1]), expected);
  expected.policy.strategy = strategy_named("federated");
  EXPECT_EQ(with_policy(system, experiment.policies[3]), expected);
  expected = system;
  expected.policy.strategy = strategy_named("multi-stream");
  expected.policy.refill = Refill::immediate;
  EXPECT_EQ(with_policy(system, experiment.policies[2]), expected);
}

TEST(ReadExperiment, AFileWithoutNewKeysMeansWhatItMeant) {
  const Experiment experiment = good(with_lines("analyses: [np-edf]\nsystems: 1\n"));
  EXPECT_TRUE(experiment.policies.empty());
  EXPECT_TRUE(experiment.policy_of.empty());
  EXPECT_TRUE(experiment.second.empty());
  EXPECT_THAT(experiment.measures, ElementsAre(Measure::acceptance));
  EXPECT_EQ(curve_name(experiment, 0), "np-edf");
}

TEST(ReadExperiment, TwoParametersGiveEveryPairTheFirstFastest) {
  const Experiment experiment =
      good(with("{kind: gpu-jobs, periods: [1ms]}",
                "[" + utilisations + ", {parameter: tasks, from: 2, to: 4, step: 2, show: curves}]"));
  EXPECT_EQ(experiment.varied, "utilisation");
  EXPECT_EQ(experiment.second, "tasks");
  EXPECT_EQ(experiment.second_shown, SecondShown::curves);
  std::vector<std::string> pairs;
  for (const Point& point : experiment.points) {
    pairs.push_back(generate::to_text(point.value) + " " + generate::to_text(*point.second));
    EXPECT_EQ(point.parameters.value_of("tasks"), point.second);
  }
  EXPECT_THAT(pairs, ElementsAre("0.2 2", "0.4 2", "0.2 4", "0.4 4"));
  const std::vector<Panel> all = panels(experiment);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].value, "4");
  EXPECT_EQ(all[1].first, 2U);
  EXPECT_EQ(all[1].count, 2U);
  EXPECT_EQ(make_system(experiment, experiment.points[3], 5).name, "good utilisation=0.4 tasks=4 5");
}

}  // namespace
}  // namespace tactus::sweep
