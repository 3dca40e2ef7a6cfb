// Reading the files of a model: what is refused, and what references mean.
#include "tactus/import/documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "import/models.hpp"
#include "tactus/import/census.hpp"
#include "tactus/import/limits.hpp"

namespace tactus::import {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Problem> problems_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

std::vector<Problem> problems_of_text(const std::string& text) {
  return problems_of([&] { const Documents documents{sources_of("m.amxmi", text)}; });
}

TEST(Documents, KnowTheirVersionAndPlaces) {
  const Documents documents = documents_of("<swModel>\n  <tasks name=\"A\"/>\n</swModel>");
  EXPECT_EQ(documents.version(), "0.9.8");
  const auto tasks = documents.listed("swModel", "tasks");
  ASSERT_THAT(tasks, SizeIs(1));
  EXPECT_EQ(name_of(*tasks[0]), "A");
  const Place place = documents.place(*tasks[0]);
  EXPECT_EQ(place.file, "m.amxmi");
  EXPECT_EQ(place.line, 4);
  EXPECT_EQ(place.column, 3);
}

TEST(Documents, PrefixesAreResolvedAndNotAssumed) {
  const Documents documents{std::vector<SourceText>{SourceText{
      .name = "m.amxmi",
      .text =
          R"(<x:Amalthea xmlns:x="http://app4mc.eclipse.org/amalthea/3.3.0" xmlns:t="http://www.w3.org/2001/XMLSchema-instance">
<stimuliModel><stimuli name="S" t:type="x:PeriodicStimulus"/></stimuliModel></x:Amalthea>)"}}};
  EXPECT_EQ(documents.version(), "3.3.0");
  EXPECT_EQ(class_of(*documents.listed("stimuliModel", "stimuli").at(0)), "PeriodicStimulus");
}

TEST(Documents, MarksAndLineEndsOfOtherSystemsAreRead) {
  std::string text = "\xef\xbb\xbf" + model_text("<swModel>\r\n<tasks name=\"A\"/>\r\n</swModel>");
  const Documents documents{sources_of("m.amxmi", text)};
  EXPECT_EQ(documents.place(*documents.listed("swModel", "tasks").at(0)).line, 4);
}

TEST(Documents, OneNameMayBelongToSeveralClasses) {
  const Documents documents = documents_of(R"(<swModel><tasks name="SFM"/><events name="SFM"/></swModel>)");
  EXPECT_EQ(documents.find(*parse_reference("SFM?type=Task"))->name, "tasks");
  EXPECT_EQ(documents.find(*parse_reference("SFM?type=OsEvent"))->name, "events");
  EXPECT_EQ(documents.find(*parse_reference("SFM?type=Runnable")), nullptr);
}

TEST(Documents, TheOnlyElementOfAClassNeedsNoName) {
  const Documents documents = documents_of(R"(<stimuliModel><stimuli xsi:type="am:CustomStimulus"/>
    <stimuli xsi:type="am:EventStimulus"/><stimuli xsi:type="am:EventStimulus"/></stimuliModel>)");
  const Element* stimulus = documents.find(*parse_reference("no-name?type=CustomStimulus"));
  ASSERT_NE(stimulus, nullptr);
  EXPECT_EQ(class_of(*stimulus), "CustomStimulus");
  EXPECT_EQ(documents.find(*parse_reference("no-name?type=EventStimulus")), nullptr);
  EXPECT_EQ(documents.find(*parse_reference("no-name?type=Task")), nullptr);
}

TEST(Documents, QualifiedNamesFindTheirContainer) {
  const Documents documents = documents_of(R"(<hwModel>
    <modules name="Core0"><ports name="P1"/></modules><modules name="Core1"><ports name="P1"/></modules></hwModel>)");
  const Element* port = documents.find(*parse_reference("Core1/P1?type=HwPort"));
  ASSERT_NE(port, nullptr);
  EXPECT_EQ(name_of(*port->parent), "Core1");
  EXPECT_EQ(documents.find(*parse_reference("Core2/P1?type=HwPort")), nullptr);
}

TEST(Documents, NamespacesWithinNamespacesTellElementsApart) {
  const Documents documents = documents_of(
      R"(<commonElements><namespaces name="a"/><namespaces name="x" previousSegment="a?type=Namespace"/>
<namespaces name="b"/><namespaces name="x" previousSegment="b?type=Namespace"/>
<namespaces name="y" previousSegment="b/x?type=Namespace"/></commonElements>
<swModel><runnables name="r" namespace="a/x?type=Namespace"/><runnables name="r" namespace="b/x?type=Namespace"/>
<runnables name="r" namespace="b/x/y?type=Namespace"/><tasks name="A" runnable="b/x/r?type=Runnable b/x/y/r?type=Runnable"/></swModel>)");
  const auto runnables = documents.listed("swModel", "runnables");
  EXPECT_EQ(documents.find(*parse_reference("a/x/r?type=Runnable")), runnables.at(0));
  EXPECT_EQ(documents.find(*parse_reference("b/x/r?type=Runnable")), runnables.at(1));
  EXPECT_EQ(documents.find(*parse_reference("b/x/y/r?type=Runnable")), runnables.at(2));
  EXPECT_EQ(documents.find(*parse_reference("c/x/r?type=Runnable")), nullptr);
  const Census census = take_census(documents);
  EXPECT_THAT(census.unresolved, IsEmpty());
  EXPECT_THAT(census.ambiguous, IsEmpty());
}

TEST(Documents, SeveralFilesAreOneModel) {
  const Documents documents{std::vector<SourceText>{
      SourceText{
          .name = "a.amxmi",
          .text = model_text(
              R"(<swModel><tasks name="T"><stimuli href="amlt:/#S?type=PeriodicStimulus"/></tasks></swModel>)")},
      SourceText{.name = "b.amxmi",
                 .text = model_text(
                     R"(<stimuliModel><stimuli xsi:type="am:PeriodicStimulus" name="S"/></stimuliModel>)")}}};
  const Element* stimulus = documents.target(*documents.listed("swModel", "tasks").at(0), "stimuli");
  ASSERT_NE(stimulus, nullptr);
  EXPECT_EQ(documents.place(*stimulus).file, "b.amxmi");
  EXPECT_THAT(take_census(documents).unresolved, IsEmpty());
}

TEST(Documents, DocumentTypesAndEntitiesAreRefused) {
  const auto problems =
      problems_of_text("<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"bbbb\">]>\n<a>&b;</a>");
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].id, ProblemId::bad_xml);
  EXPECT_THAT(problems[0].message, HasSubstr("document type"));
}

TEST(Documents, BrokenTextIsRefusedWithItsPlace) {
  const auto problems = problems_of_text(model_text("<swModel>\n<tasks name=\"A\">\n</swModel>"));
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].id, ProblemId::bad_xml);
  EXPECT_GE(problems[0].line, 4);
  EXPECT_THAT(problems_of_text(""), SizeIs(1));
  EXPECT_EQ(problems_of_text("\xff\xfe<")[0].id, ProblemId::bad_text);
}

TEST(Documents, DeepNestingIsRefused) {
  std::string open;
  std::string closed;
  for (std::size_t i = 0; i < limits::depth; ++i) {
    open += "<structures>";
    closed += "</structures>";
  }
  const auto problems = problems_of_text(model_text("<hwModel>" + open + closed + "</hwModel>"));
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].id, ProblemId::too_large);
}

TEST(Documents, ModelsBeforeApp4mcAreRefusedByName) {
  const auto problems = problems_of_text(
      R"(<central:AMALTHEA xmlns:central="http://www.amalthea.itea2.org/model/1.2.0/central"/>)");
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].id, ProblemId::wrong_file);
  EXPECT_THAT(problems[0].message, HasSubstr("ITEA"));
  EXPECT_THAT(problems[0].hint, HasSubstr("APP4MC"));
  EXPECT_THAT(problems_of_text("<html/>")[0].message, HasSubstr("not that of an AMALTHEA model"));
}

TEST(Census, CountsClassesAndReferences) {
  const Census census = take_census(documents_of(R"(<swModel>
    <tasks name="A" stimuli="S?type=PeriodicStimulus Gone?type=PeriodicStimulus"/>
    <labels name="L"/><labels name="L"/><tasks name="B"><customProperties key="k"><value xsi:type="am:ReferenceObject" value="L?type=Label"/></customProperties></tasks></swModel>
    <stimuliModel><stimuli xsi:type="am:PeriodicStimulus" name="S"/></stimuliModel>)"));
  EXPECT_EQ(census.count_of("Task"), 2U);
  EXPECT_EQ(census.count_of("PeriodicStimulus"), 1U);
  EXPECT_EQ(census.references, 3U);
  ASSERT_THAT(census.unresolved, SizeIs(1));
  EXPECT_EQ(census.unresolved[0].line, 4);
  EXPECT_THAT(census.unresolved[0].message, HasSubstr("`Gone` (PeriodicStimulus)"));
  ASSERT_THAT(census.ambiguous, SizeIs(1));
  EXPECT_THAT(census.ambiguous[0].message, HasSubstr("`L` (Label)"));
}

TEST(Census, CountsReferencesOfPartsThatAreNotUsed) {
  const Census census = take_census(documents_of(
      R"(<swModel><tasks name="A"/></swModel><measurementModel><measurements xsi:type="am:TaskMeasurement" task="A?type=Task"><odd/></measurements>
    <measurements xsi:type="am:TaskMeasurement" task="B?type=Task"/></measurementModel>)"));
  EXPECT_EQ(census.references, 2U);
  EXPECT_THAT(census.unresolved, SizeIs(1));
  EXPECT_THAT(census.ignored, SizeIs(1));
  EXPECT_EQ(census.count_of("TaskMeasurement"), 0U);
}

TEST(Census, SaysThatAnElementHasNoName) {
  const Census census =
      take_census(documents_of(R"(<swModel><tasks name="A" stimuli="no-name?type=CustomStimulus"/></swModel>
    <stimuliModel><stimuli xsi:type="am:CustomStimulus"/><stimuli xsi:type="am:CustomStimulus"/></stimuliModel>)"));
  ASSERT_THAT(census.unresolved, SizeIs(1));
  EXPECT_THAT(census.unresolved[0].message, HasSubstr("an element of class CustomStimulus that has no name"));
}

TEST(Census, TimesOfOldStimuliAreUnderstoodAndDataWithoutProtectionCostsNothing) {
  const auto model = [](const std::string& mode) {
    return take_census(
        documents_of(R"(<stimuliModel><stimuli xsi:type="am:SyntheticStimulus" name="S"><stimulusDeviation>
    <lowerBound xsi:type="am:Time" value="1" unit="ms"/><upperBound xsi:type="am:SignedTime" value="2" unit="ms"/></stimulusDeviation>
    <distribution xsi:type="am:WeibullEstimators" pRemainPromille="1.0"/><period value="9" unit="ms"/><triggerTimes><timestamps value="1" unit="ms"/></triggerTimes></stimuli></stimuliModel>
    <osModel><operatingSystems name="OS"><osDataConsistency mode=")" +
                     mode + R"("/></operatingSystems></osModel>)"));
  };
  EXPECT_THAT(model("noProtection").ignored, IsEmpty());
  ASSERT_THAT(model("automaticProtection").ignored, SizeIs(1));
  EXPECT_EQ(model("automaticProtection").ignored[0].name, "osDataConsistency");
}

TEST(Census, ListsWhatIsNotUnderstoodOncePerClassAndWhatMattersFirst) {
  const Census census = take_census(documents_of(R"(<swModel><runnables name="R"><activityGraph>
    <items xsi:type="am:Sparkle"/><items xsi:type="am:SemaphoreAccess"/><items xsi:type="am:SemaphoreAccess"/>
    </activityGraph></runnables></swModel>)"));
  ASSERT_THAT(census.ignored, SizeIs(2));
  EXPECT_EQ(census.ignored[0].name, "SemaphoreAccess");
  EXPECT_EQ(census.ignored[0].count, 2U);
  EXPECT_EQ(census.ignored[0].effect, Effect::response_time);
  EXPECT_EQ(census.ignored[1].name, "Sparkle");
}

}  // namespace
}  // namespace tactus::import
