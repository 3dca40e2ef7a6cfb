// The hardware of a model: processing units, memories, and how long an access takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/import/finding.hpp"

namespace tactus::import {

enum class UnitKind : std::uint8_t { cpu, gpu, accelerator };

/// How a processing unit gets at a memory.
struct MemoryAccess {
  const Element* memory = nullptr;
  std::optional<Rational> read_cycles;  // of the unit's own clock, worst case, with the memory's latency
  std::optional<Rational> write_cycles;
  std::optional<Rational> bytes_per_second;
};

struct ProcessingUnit {
  std::string name;
  const Element* element = nullptr;
  const Element* definition = nullptr;  // null: ticks cannot be looked up by it
  std::string definition_name;
  UnitKind kind = UnitKind::cpu;
  Rational hertz;
  std::optional<Rational> instructions_per_cycle;
  const Element* cluster = nullptr;   // the structure around it
  std::optional<std::int64_t> sms{};  // of a GPU, from its features
  std::vector<MemoryAccess> accesses;
};

struct Hardware {
  std::vector<ProcessingUnit> units;
  std::vector<const Element*> memories;
  std::optional<std::int64_t> line_size;  // of caches, in bytes; the smallest

  /// Null where the element is no processing unit.
  [[nodiscard]] const ProcessingUnit* find(const Element* element) const;
};

Hardware read_hardware(Notes& notes);

/// Orders "Core2" before "Core10".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace tactus::import
