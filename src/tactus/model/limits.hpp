// The range of every number of the model: generous for every machine, yet small enough that sums and products
// of the platform's numbers never leave 64 bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactus {

/// Both ends are allowed.
struct Range {
  std::int64_t min = 0;
  std::int64_t max = 0;

  [[nodiscard]] constexpr bool contains(std::int64_t value) const { return min <= value && value <= max; }
};

namespace limits {

inline constexpr Range sms{1, 65'536};
inline constexpr Range threads_per_sm{1, 1'048'576};  // and at least one warp
inline constexpr Range blocks_per_sm{1, 1'048'576};
inline constexpr Range shared_memory_per_sm{0, std::int64_t{1} << 40U};
inline constexpr Range registers_per_sm{0, std::int64_t{1} << 40U};
inline constexpr Range shared_memory_unit{1, std::int64_t{1} << 40U};
inline constexpr Range shared_memory_reserved{0, std::int64_t{1} << 40U};
inline constexpr Range register_unit{1, std::int64_t{1} << 20U};
inline constexpr Range register_files{1, 64};
inline constexpr Range warp{1, 1'024};
inline constexpr Range priority_levels{1, 64};
inline constexpr Range copy_engines{1, 64};
inline constexpr Range chunks_of{1, 1'000'000};  // of one copy
inline constexpr Range virtual_sms_per_sm{1, 1'024};
inline constexpr Range parts_per_sm{1, 32};
inline constexpr Range cpus{1, 65'536};  // of one cluster, and of all together

// What CUDA launches, the same for every compute capability (CUDA C++ Programming Guide, technical
// specifications). The blocks of the largest grid fit into 64 bits.
inline constexpr Range threads_per_block{1, 1'024};
inline constexpr Range block_depth{1, 64};  // the third dimension of a block
inline constexpr std::array<Range, 3> grid{{{1, 2'147'483'647}, {1, 65'535}, {1, 65'535}}};

inline constexpr Range max_jobs{1, 65'536};  // of one task in progress

/// Names of systems, tasks, nodes and streams.
inline constexpr std::size_t name_characters = 200;

}  // namespace limits

}  // namespace tactus
