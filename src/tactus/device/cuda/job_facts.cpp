#include "tactus/device/cuda/job_facts.hpp"

#include <array>
#include <bit>
#include <cstdint>

#include "tactus/device/cuda/driver.hpp"

namespace tactus::cuda {

void write_facts(const JobFacts& facts, JobFacts* to, cudaStream_t stream) {
  // Words of 32 bits, since not every device writes 64.
  constexpr std::size_t count = sizeof(JobFacts) / sizeof(std::uint32_t);
  const auto words = std::bit_cast<std::array<std::uint32_t, count>>(facts);
  std::array<CUstreamBatchMemOpParams, count> writes{};
  for (std::size_t i = 0; i < count; ++i) {
    writes[i].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    writes[i].writeValue.address = reinterpret_cast<CUdeviceptr>(to) + i * sizeof(std::uint32_t);
    writes[i].writeValue.value = words[i];
    writes[i].writeValue.flags = CU_STREAM_WRITE_VALUE_DEFAULT;
  }
  check(driver().stream_batch_mem_op(stream, static_cast<unsigned>(count), writes.data(), 0),
        "cannot write the facts of a job");
}

}  // namespace tactus::cuda
