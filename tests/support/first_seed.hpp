// Where seeded loops begin. A hunt for faults beyond the usual seeds sets TACTUS_FIRST_SEED.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace tactus::test {

inline std::uint64_t first_seed() {
  const char* text = std::getenv("TACTUS_FIRST_SEED");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return text == nullptr ? 1 : std::stoull(text);
}

}  // namespace tactus::test
