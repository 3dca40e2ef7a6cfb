#include "tactus/import/hardware.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tactus/base/utf8.hpp"
#include "tactus/import/properties.hpp"
#include "tactus/import/quantity.hpp"

namespace tactus::import {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<Distribution> latency_of(const Element& holder, std::string_view role, Notes& notes) {
  const Element* latency = holder.child(role);
  if (latency == nullptr) return std::nullopt;
  const std::optional<Distribution> read = read_distribution(*latency);
  if (!read) notes.refuse_quantity(*latency, "write a constant, or a distribution with bounds");
  return read;
}

std::optional<Rational> rate_of(const Element& holder, Notes& notes) {
  const Element* element = holder.child("dataRate");
  if (element == nullptr) return std::nullopt;
  const std::optional<Rational> rate = bytes_per_second_of(*element);
  if (!rate) notes.refuse_quantity(*element, "write a `value` and a `unit` such as MBPerSecond");
  return rate && *rate > Rational{} ? rate : std::nullopt;
}

/// What an element says itself.
Stage stage_of(const Element& element, Notes& notes) {
  Stage stage{.element = &element,
              .read = latency_of(element, "readLatency", notes),
              .write = latency_of(element, "writeLatency", notes),
              .bytes_per_second = rate_of(element, notes),
              .hertz = {}};
  const std::optional<Distribution> both = latency_of(element, "accessLatency", notes);
  if (!stage.read) stage.read = both;
  if (!stage.write) stage.write = both;
  return stage;
}

class HardwareReader {
 public:
  explicit HardwareReader(Notes& notes) : notes_{&notes}, documents_{&notes.documents()} {}

  Hardware read() {
    for (const Element* part : documents_->parts("hwModel")) walk(*part);
    std::sort(hardware_.units.begin(), hardware_.units.end(),
              [](const ProcessingUnit& a, const ProcessingUnit& b) { return natural_less(a.name, b.name); });
    return std::move(hardware_);
  }

 private:
  void walk(const Element& element) {
    const std::string_view type = class_of(element);
    if (is_reference(element)) return;
    if (type == "ProcessingUnit" || type == "Core") read_unit(element);
    if (type == "Memory") hardware_.memories.push_back(&element);
    if (type == "CacheDefinition" || type == "Cache") read_line_size(element);
    for (const Element& child : element.children) walk(child);
  }

  void read_line_size(const Element& cache) {
    const Element* size = cache.child("lineSize");
    if (size == nullptr) return;
    const std::optional<Rational> bytes = bytes_of(*size);
    if (!bytes) notes_->refuse_quantity(*size, "write a `value` and a `unit` such as B");
    if (!bytes || *bytes < Rational{1}) return;
    const std::int64_t line = ceiling(*bytes);
    hardware_.line_size = std::min(hardware_.line_size.value_or(line), line);
  }

  void read_unit(const Element& element) {
    ProcessingUnit unit{.name = std::string{name_of(element)},
                        .element = &element,
                        .definition_name = {},
                        .hertz = {},
                        .instructions_per_cycle = {},
                        .cluster = element.parent,
                        .accesses = {}};
    const char* role = element.has("coreType") ? "coreType" : "definition";
    unit.definition = documents_->target(element, role);
    if (unit.definition == nullptr) {
      notes_->warn("no-definition", &element,
                   fmt::format("processing unit {} has no definition, so only default ticks apply to it",
                               in_backticks(unit.name)));
    } else {
      read_definition(*unit.definition, unit);
    }
    if (const std::optional<Rational> hertz = frequency(element); hertz && *hertz > Rational{}) {
      unit.hertz = *hertz;
    } else {
      notes_->refuse(element, ProblemId::incomplete_model,
                     fmt::format("the frequency of processing unit {} is not known", in_backticks(unit.name)),
                     "give it a frequency domain with a `defaultValue`");
      unit.hertz = Rational{1'000'000'000};
    }
    for (const Element& access : element.children) {
      if (access.name == "accessElements") read_access(access, unit);
    }
    hardware_.units.push_back(std::move(unit));
  }

  void read_definition(const Element& definition, ProcessingUnit& unit) {
    unit.definition_name = name_of(definition);
    const std::string_view kind = definition.attribute("puType");
    unit.kind = kind == "GPU" ? UnitKind::gpu : kind == "Accelerator" ? UnitKind::accelerator : UnitKind::cpu;
    if (definition.has("instructionsPerCycle")) {
      unit.instructions_per_cycle =
          parse_number(definition.attribute("instructionsPerCycle")).value_or(Rational{});
    }
    for (const Element* feature : documents_->targets(definition, "features")) {
      const std::string category = feature->parent == nullptr ? "" : folded(name_of(*feature->parent));
      const std::optional<Rational> value = parse_number(feature->attribute("value"));
      const bool counts_sms = category == "sms" || category == "sm" ||
                              category == "streamingmultiprocessors" || category == "numberofsms" ||
                              category == "smcount";
      if (!value && (counts_sms || category == "instructions"))
        notes_->refuse_quantity(*feature, "write a number as its `value`");
      if (!value) continue;
      if (category == "instructions") unit.instructions_per_cycle = value;
      if (counts_sms && unit.kind == UnitKind::gpu && value->denominator() == 1) {
        unit.sms = checked_add(unit.sms.value_or(0), value->numerator());
      }
    }
    check_instructions(definition, unit);
  }

  void check_instructions(const Element& definition, ProcessingUnit& unit) {
    if (!unit.instructions_per_cycle || *unit.instructions_per_cycle > Rational{}) return;
    unit.instructions_per_cycle.reset();
    notes_->refuse(definition, ProblemId::bad_number,
                   fmt::format("{} does no instructions in a cycle, or how many is not understood",
                               in_backticks(unit.definition_name)),
                   "give its instructions per cycle a value above 0");
  }

  std::optional<Rational> frequency(const Element& unit) {
    if (const Element* domain = documents_->target(unit, "frequencyDomain")) {
      const Element* value = domain->child("defaultValue");
      return value == nullptr ? std::nullopt : hertz_of(*value);
    }
    // Until version 0.8.3: a quartz, divided.
    const Element* prescaler = unit.child("prescaler");
    const Element& holder = prescaler == nullptr ? unit : *prescaler;
    const Element* quartz = documents_->target(holder, "quartz");
    const Element* value = quartz == nullptr ? nullptr : quartz->child("frequency");
    std::optional<Rational> hertz = value == nullptr ? std::nullopt : hertz_of(*value);
    if (hertz && holder.has("clockRatio")) {
      const std::optional<Rational> ratio = parse_number(holder.attribute("clockRatio"));
      hertz = ratio && *ratio > Rational{} ? std::optional{*hertz * *ratio} : std::nullopt;
    }
    return hertz;
  }

  void read_access(const Element& access, ProcessingUnit& unit) {
    const Element* path = access.child("accessPath");
    MemoryAccess read{.element = &access,
                      .memory = documents_->target(access, "destination"),
                      .is_path = path != nullptr,
                      .way = {},
                      .at_memory = {}};
    if (read.memory == nullptr) return;
    read.at_memory = with_definition(*read.memory);
    if (path == nullptr) {
      read.way.push_back(stage_of(access, *notes_));
      read.at_memory.bytes_per_second.reset();  // that of the access element is that of the whole way
    } else {
      for (const Element* element : documents_->targets(*path, "pathElements"))
        read.way.push_back(with_definition(*element));
    }
    unit.accesses.push_back(std::move(read));
  }

  /// What an element says, or else its definition.
  Stage with_definition(const Element& element) {
    Stage stage = stage_of(element, *notes_);
    stage.hertz = frequency(element);
    const Element* domain = documents_->target(element, "frequencyDomain");
    if (domain != nullptr && (!stage.hertz || *stage.hertz <= Rational{})) {
      const Element* value = domain->child("defaultValue");
      notes_->refuse_quantity(value == nullptr ? *domain : *value,
                              "give the frequency domain a `defaultValue` such as 200 MHz");
      stage.hertz.reset();
    }
    const Element* definition = documents_->target(element, "definition");
    if (definition == nullptr) return stage;
    const Stage usual = stage_of(*definition, *notes_);
    if (!stage.read) stage.read = usual.read;
    if (!stage.write) stage.write = usual.write;
    if (!stage.bytes_per_second) stage.bytes_per_second = usual.bytes_per_second;
    return stage;
  }

  Notes* notes_;
  const Documents* documents_;
  Hardware hardware_;
};

}  // namespace

bool MemoryAccess::has_latency(bool reads) const {
  const bool by_way = std::any_of(way.begin(), way.end(),
                                  [reads](const Stage& one) { return one.latency(reads).has_value(); });
  // Behind a path the memory is the smallest part.
  return by_way || (!is_path && at_memory.latency(reads));
}

bool MemoryAccess::has_rate() const {
  return at_memory.bytes_per_second || std::any_of(way.begin(), way.end(), [](const Stage& one) {
           return one.bytes_per_second.has_value();
         });
}

const ProcessingUnit* Hardware::find(const Element* element) const {
  const auto found = std::find_if(units.begin(), units.end(),
                                  [element](const ProcessingUnit& one) { return one.element == element; });
  return element == nullptr || found == units.end() ? nullptr : &*found;
}

Hardware read_hardware(Notes& notes) { return HardwareReader{notes}.read(); }

bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const auto number = [](std::string_view& text) {
        const std::size_t end = std::min(
            static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin()),
            text.size());
        std::string_view digits = text.substr(0, end);
        text.remove_prefix(end);
        digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
        return digits;
      };
      const std::string_view x = number(a);
      const std::string_view y = number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else if (a.front() != b.front()) {
      return a.front() < b.front();
    } else {
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

}  // namespace tactus::import
