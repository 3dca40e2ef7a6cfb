// Small models for tests, as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/import/documents.hpp"
#include "tactus/import/import.hpp"

namespace tactus::import {

/// A model of version 0.9.8 with these parts.
inline std::string model_text(const std::string& parts, const std::string& version = "0.9.8") {
  return R"(<?xml version="1.0" encoding="UTF-8"?>
<am:Amalthea xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" xmlns:am="http://app4mc.eclipse.org/amalthea/)" +
         version + R"(" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
)" + parts +
         "\n</am:Amalthea>\n";
}

inline Documents documents_of(const std::string& parts) {
  std::vector<SourceText> sources;
  sources.push_back({.name = "m.amxmi", .text = model_text(parts)});
  return Documents{std::move(sources)};
}

inline Imported imported(const std::string& parts, const Options& options = {}) {
  std::vector<SourceText> sources;
  sources.push_back({.name = "m.amxmi", .text = model_text(parts)});
  return import_model(std::move(sources), "m.amxmi", options);
}

/// Two cores "C0" and "C1" of 1 GHz (definition Core), a GPU "G" of 1 GHz with 2 SMs (definition Gpu), and a
/// memory.
inline const std::string small_hardware = R"(<hwModel>
<definitions xsi:type="am:ProcessingUnitDefinition" name="Core" puType="CPU"/>
<definitions xsi:type="am:ProcessingUnitDefinition" name="Gpu" puType="GPU" features="SMs/two?type=HwFeature"/>
<definitions xsi:type="am:MemoryDefinition" name="DRAM"/>
<featureCategories name="SMs"><features name="two" value="2.0"/></featureCategories>
<structures name="Board"><structures name="Cores">
<modules xsi:type="am:ProcessingUnit" name="C0" definition="Core?type=ProcessingUnitDefinition" frequencyDomain="F?type=FrequencyDomain"/>
<modules xsi:type="am:ProcessingUnit" name="C1" definition="Core?type=ProcessingUnitDefinition" frequencyDomain="F?type=FrequencyDomain"/></structures>
<modules xsi:type="am:ProcessingUnit" name="G" definition="Gpu?type=ProcessingUnitDefinition" frequencyDomain="F?type=FrequencyDomain">
<accessElements destination="RAM?type=Memory"><readLatency xsi:type="am:DiscreteValueConstant" value="5"/><writeLatency xsi:type="am:DiscreteValueConstant" value="5"/><dataRate value="10" unit="GBPerSecond"/></accessElements></modules>
<modules xsi:type="am:Memory" name="RAM" definition="DRAM?type=MemoryDefinition"/></structures>
<domains xsi:type="am:FrequencyDomain" name="F"><defaultValue value="1" unit="GHz"/></domains></hwModel>)";

/// Schedulers "S" of both cores and "SG" of the GPU.
inline const std::string small_os = R"(<osModel><operatingSystems name="OS">
<taskSchedulers name="S"><schedulingAlgorithm xsi:type="am:FixedPriorityPreemptive"/></taskSchedulers>
<taskSchedulers name="SG"><schedulingAlgorithm xsi:type="am:UserSpecificSchedulingAlgorithm"/></taskSchedulers></operatingSystems></osModel>)";

/// A mapping with these allocations.
inline std::string mapping(const std::string& allocations) {
  return R"(<mappingModel><schedulerAllocation scheduler="S?type=TaskScheduler" responsibility="C0?type=ProcessingUnit C1?type=ProcessingUnit"/>
<schedulerAllocation scheduler="SG?type=TaskScheduler" responsibility="G?type=ProcessingUnit"/>)" +
         allocations + "</mappingModel>";
}

inline std::string on_core(const std::string& task, const std::string& core,
                           const std::string& priority = "") {
  const std::string parameters =
      priority.empty() ? "" : "<schedulingParameters priority=\"" + priority + "\"/>";
  return "<taskAllocation task=\"" + task + "?type=Task\" scheduler=\"S?type=TaskScheduler\" affinity=\"" +
         core + "?type=ProcessingUnit\">" + parameters + "</taskAllocation>";
}

inline std::string on_gpu(const std::string& task, const std::string& inside = "") {
  return "<taskAllocation task=\"" + task + "?type=Task\" scheduler=\"SG?type=TaskScheduler\">" + inside +
         "</taskAllocation>";
}

/// Periodic stimuli "every_10ms" and so on.
inline std::string every(int milliseconds) {
  const std::string text = std::to_string(milliseconds);
  return "<stimuli xsi:type=\"am:PeriodicStimulus\" name=\"every_" + text + "ms\"><recurrence value=\"" +
         text + "\" unit=\"ms\"/></stimuli>";
}

/// A runnable with these ticks on a core and on the GPU; 0: none.
inline std::string runnable(const std::string& name, std::int64_t on_cores, std::int64_t on_the_gpu,
                            const std::string& inside = "") {
  const auto entry = [](const std::string& definition, std::int64_t ticks) {
    return ticks == 0 ? ""
                      : "<extended key=\"" + definition +
                            "?type=ProcessingUnitDefinition\"><value xsi:type=\"am:DiscreteValueConstant\" "
                            "value=\"" +
                            std::to_string(ticks) + "\"/></extended>";
  };
  return "<runnables name=\"" + name + "\">" + inside + "<activityGraph><items xsi:type=\"am:Ticks\">" +
         entry("Core", on_cores) + entry("Gpu", on_the_gpu) + "</items></activityGraph></runnables>";
}

inline std::string call(const std::string& name) {
  return "<items xsi:type=\"am:RunnableCall\" runnable=\"" + name + "?type=Runnable\"/>";
}

inline std::string task(const std::string& name, const std::string& stimulus, const std::string& items) {
  return "<tasks name=\"" + name + "\" stimuli=\"" + stimulus + "\"><activityGraph>" + items +
         "</activityGraph></tasks>";
}

/// Behind a wait, so that the next one waits again.
inline std::string clear(const std::string& event) {
  return "<items xsi:type=\"am:ClearEvent\"><eventMask events=\"" + event + "?type=OsEvent\"/></items>";
}

/// Whether something of this kind was noticed.
inline bool noticed(const Imported& model, std::string_view kind) {
  for (const Finding& one : model.findings) {
    if (one.kind == kind) return true;
  }
  return false;
}

}  // namespace tactus::import
