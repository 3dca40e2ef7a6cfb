#include "tactus/machine/doctor_json.hpp"

#include <nlohmann/json.hpp>

namespace tactus::machine {

namespace {

nlohmann::ordered_json to_json(const SampleSummary& lateness) {
  return {{"samples", lateness.samples},
          {"median_ns", in_ns(lateness.median)},
          {"p99_ns", in_ns(lateness.p99)},
          {"max_ns", in_ns(lateness.max)}};
}

nlohmann::ordered_json to_json(const CpuFacts& cpu) {
  return {{"watched_ns", in_ns(cpu.watched)},
          {"times", cpu.taken.times},
          {"total_ns", in_ns(cpu.taken.total)},
          {"longest_ns", in_ns(cpu.taken.longest)},
          {"switches", cpu.switches}};
}

}  // namespace

nlohmann::ordered_json to_json(const Finding& finding) {
  return {{"id", finding.id},       {"title", finding.title},     {"level", to_string(finding.severity)},
          {"found", finding.found}, {"meaning", finding.meaning}, {"to_do", finding.to_do}};
}

nlohmann::ordered_json to_json(const TimerFacts& timers) {
  return {{"real_time_class", timers.in_real_time_class},
          {"sleep", to_json(timers.sleep)},
          {"sleep_then_spin", to_json(timers.sleep_then_spin)},
          {"cpu_taken", to_json(timers.cpu)}};
}

nlohmann::ordered_json to_json(const GpuDevice& device) {
  nlohmann::ordered_json entry{{"name", device.name},
                               {"sms", device.sms},
                               {"priority_levels", device.priority_levels},
                               {"copy_engines", device.copy_engines},
                               {"partition_granularity", nullptr}};
  if (device.partition_granularity) entry["partition_granularity"] = *device.partition_granularity;
  return entry;
}

}  // namespace tactus::machine
