// Systems of CPU and GPU work whose cores, variants and priorities `plan` may choose.
#pragma once

#include <cstdint>

#include "tactus/model/system.hpp"

namespace tactus::test {

/// Small numbers, one to three cores, every strategy that serves nodes by themselves.
System node_system(std::uint64_t seed, std::int64_t tasks);

}  // namespace tactus::test
