// The hardware of a model: processing units, memories, and how long an access takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/import/distribution.hpp"
#include "tactus/import/finding.hpp"

namespace tactus::import {

enum class UnitKind : std::uint8_t { cpu, gpu, accelerator };

/// One thing that takes time on the way to a memory.
struct Stage {
  const Element* element = nullptr;
  std::optional<Distribution> read;  // cycles for a line
  std::optional<Distribution> write;
  std::optional<Rational> bytes_per_second;  // above 0
  std::optional<Rational> hertz;             // of its own clock; nothing: cycles are those of the unit

  [[nodiscard]] const std::optional<Distribution>& latency(bool reads) const { return reads ? read : write; }
};

/// How a processing unit gets at a memory.
struct MemoryAccess {
  const Element* element = nullptr;
  const Element* memory = nullptr;
  bool is_path = false;
  std::vector<Stage> way;  // of a path its elements, else the access element alone
  Stage at_memory;         // what the memory itself adds

  [[nodiscard]] bool has_latency(bool reads) const;
  [[nodiscard]] bool has_rate() const;
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
