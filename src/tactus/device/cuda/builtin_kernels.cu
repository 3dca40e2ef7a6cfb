#include "tactus/device/cuda/builtin_kernels.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/kernel.cuh"

namespace tactus::cuda {

namespace {

constexpr unsigned vector_length = 1U << 24;  // 64 MiB: larger than the caches
constexpr unsigned vector_mask = vector_length - 1;

/// Two independent chains of arithmetic, so that the units do not stall on one result.
__device__ float compute(float value, std::uint64_t iterations) {
  float other = value + 1.0F;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    value = fmaf(value, 0.9999F, 0.25F);
    other = fmaf(other, 0.9998F, 0.5F);
  }
  return value + other;
}

/// The threads of a warp diverge by pseudo-random bits.
__device__ float branch(float value, std::uint64_t iterations) {
  auto state = static_cast<unsigned>(value) * 2654435761U + threadIdx.x;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    state = state * 1664525U + 1013904223U;
    if ((state & 0x01000000U) != 0) {
      value += 1.0F;
    } else if ((state & 0x02000000U) != 0) {
      value *= 0.5F;
    } else if ((state & 0x04000000U) != 0) {
      value = fmaf(value, 0.75F, 2.0F);
    } else {
      value = 3.0F - value * 0.125F;
    }
  }
  return value;
}

/// Reads the vector with strides that miss the caches; neighbouring threads read neighbouring addresses.
__device__ float memory(float value, std::uint64_t iterations, const float* vector, std::uint64_t first) {
  auto place = static_cast<unsigned>(first);
  for (std::uint64_t i = 0; i < iterations; ++i) {
    value += __ldcg(&vector[place & vector_mask]);
    place += 1'048'609U * 32U;
  }
  return value;
}

__device__ float special_function(float value, std::uint64_t iterations) {
  for (std::uint64_t i = 0; i < iterations; ++i) value = __sinf(value) + __cosf(value * 0.5F) + 1.5F;
  return value;
}

__device__ float comprehensive(float value, std::uint64_t iterations, const float* vector,
                               std::uint64_t first) {
  for (std::uint64_t i = 0; i < iterations; ++i) {
    value = compute(value, 4);
    value = branch(value, 1);
    value = memory(value, 1, vector, first + i * 4099U * 32U);
    value = special_function(value, 1);
  }
  return value;
}

/// One thread polls the clock, the others wait at a barrier.
__device__ void spin(std::uint64_t nanoseconds) {
  if (detail::is_leader()) {
    const unsigned long long begin = global_time();
    while (global_time() - begin < nanoseconds) {
    }
  }
  __syncthreads();
}

template <BuiltinKernel kernel>
__device__ void run_block(const BlockIndex& block, std::uint64_t amount, float* vector) {
  if constexpr (kernel == BuiltinKernel::spin) {
    spin(amount);
  } else {
    const std::uint64_t first = block.linear * blockDim.x + threadIdx.x;
    float value = 1.0F + static_cast<float>(threadIdx.x % 32U);
    if constexpr (kernel == BuiltinKernel::compute) value = compute(value, amount);
    if constexpr (kernel == BuiltinKernel::branch) value = branch(value, amount);
    if constexpr (kernel == BuiltinKernel::memory) value = memory(value, amount, vector, first);
    if constexpr (kernel == BuiltinKernel::special_function) value = special_function(value, amount);
    if constexpr (kernel == BuiltinKernel::comprehensive) value = comprehensive(value, amount, vector, first);
    // Never true, but the compiler cannot know that, so it must keep the work.
    if (value == -12345.0F) vector[first & vector_mask] = value;
  }
}

template <BuiltinKernel kernel, class Loop>
__global__ void __launch_bounds__(1024)
    builtin(const __grid_constant__ Loop loop, std::uint64_t amount, const std::uint64_t* amounts,
            float* vector, unsigned long long* longest) {
  for_each_block(loop, [&](const BlockIndex& block) {
    const unsigned long long begin = longest == nullptr ? 0 : global_time();
    run_block<kernel>(block, amounts == nullptr ? amount : amounts[block.segment], vector);
    if (longest == nullptr) return;
    __syncthreads();
    if (detail::is_leader()) atomicMax(longest, global_time() - begin);
  });
}

/// Calls the function with the kernel as a compile-time constant.
template <class Function>
auto with_kernel(BuiltinKernel kernel, Function&& function) {
  using enum BuiltinKernel;
  switch (kernel) {
    case compute:
      return function(std::integral_constant<BuiltinKernel, compute>{});
    case branch:
      return function(std::integral_constant<BuiltinKernel, branch>{});
    case memory:
      return function(std::integral_constant<BuiltinKernel, memory>{});
    case special_function:
      return function(std::integral_constant<BuiltinKernel, special_function>{});
    case comprehensive:
      return function(std::integral_constant<BuiltinKernel, comprehensive>{});
    case spin:
      break;
  }
  return function(std::integral_constant<BuiltinKernel, spin>{});
}

template <class Loop>
void launch_any(const BuiltinLaunch& launch, const Loop& loop, const BuiltinData& data, cudaStream_t stream) {
  unsigned long long* const longest = launch.timed ? data.longest_block() : nullptr;
  with_kernel(launch.kernel, [&](auto kernel) {
    builtin<decltype(kernel)::value, Loop><<<launch.grid, launch.threads, launch.shared_memory, stream>>>(
        loop, launch.amount, launch.amounts, data.vector(), longest);
  });
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) check(status, "cannot launch the kernel " + std::string{name_of(launch.kernel)});
}

template <class Function>
void prepare(Function* function) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, function), "cannot load a kernel");
  int device = 0;
  int most = 0;
  check(cudaGetDevice(&device), "cannot use the device");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "cannot read the shared memory of a block");
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             most - static_cast<int>(attributes.sharedSizeBytes)),
        "cannot use more shared memory");
}

}  // namespace

std::string_view name_of(BuiltinKernel kernel) {
  switch (kernel) {
    case BuiltinKernel::compute:
      return "compute";
    case BuiltinKernel::branch:
      return "branch";
    case BuiltinKernel::memory:
      return "memory";
    case BuiltinKernel::special_function:
      return "special-function";
    case BuiltinKernel::comprehensive:
      return "comprehensive";
    case BuiltinKernel::spin:
      break;
  }
  return "spin";
}

std::optional<BuiltinKernel> find_builtin_kernel(std::string_view name) {
  for (const BuiltinKernel kernel : builtin_kernels) {
    if (name_of(kernel) == name) return kernel;
  }
  return std::nullopt;
}

BuiltinData::BuiltinData() : vector_{vector_length}, longest_block_{1} {}

void prepare_builtin(BuiltinKernel kernel) {
  with_kernel(kernel, [](auto constant) {
    prepare(builtin<decltype(constant)::value, PlainGrid>);
    prepare(builtin<decltype(constant)::value, BlockLoop>);
  });
}

void launch_builtin(const BuiltinLaunch& launch, const BuiltinData& data, cudaStream_t stream) {
  launch_any(launch, PlainGrid{}, data, stream);
}

void launch_builtin(const BuiltinLaunch& launch, const BlockLoop& loop, const BuiltinData& data,
                    cudaStream_t stream) {
  launch_any(launch, loop, data, stream);
}

int resident_blocks_per_sm(BuiltinKernel kernel, unsigned threads, std::size_t shared_memory) {
  int blocks = 0;
  with_kernel(kernel, [&](auto constant) {
    check(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, builtin<decltype(constant)::value, BlockLoop>,
                                                      static_cast<int>(threads), shared_memory),
        "cannot read the occupancy");
  });
  return blocks;
}

Duration measure_builtin_block(const BuiltinLaunch& launch, int repetitions, const BuiltinData& data,
                               cudaStream_t stream) {
  BuiltinLaunch timed = launch;
  timed.timed = true;
  unsigned long long longest = 0;
  check(cudaMemsetAsync(data.longest_block(), 0, sizeof longest, stream), "cannot reset a time");
  for (int i = 0; i < repetitions; ++i) launch_builtin(timed, data, stream);
  check(cudaMemcpyAsync(&longest, data.longest_block(), sizeof longest, cudaMemcpyDeviceToHost, stream),
        "cannot read a time");
  check(cudaStreamSynchronize(stream), "cannot measure the kernel " + std::string{name_of(launch.kernel)});
  return nanoseconds(static_cast<std::int64_t>(longest));
}

BuiltinCalibration calibrate_builtin(BuiltinLaunch launch, Duration block_time, const BuiltinData& data,
                                     cudaStream_t stream) {
  constexpr int repetitions = 5;
  const auto measure = [&](std::uint64_t amount) {
    launch.amount = amount;
    return measure_builtin_block(launch, repetitions, data, stream);
  };
  static_cast<void>(measure(1));  // the first launch loads the kernel
  // Doubles the amount until it is too long, then bisects.
  std::uint64_t enough = 0;
  std::uint64_t too_much = 1;
  Duration measured{};
  for (Duration time = measure(too_much); time <= block_time; time = measure(too_much)) {
    enough = too_much;
    measured = time;
    too_much *= 2;
  }
  if (enough == 0) {
    throw FailureError{"CUDA: no block of the kernel " + std::string{name_of(launch.kernel)} +
                       " is as short as " + std::to_string(in_ns(block_time)) + " ns"};
  }
  // A resolution of 1/256 is finer than the variation of block times.
  while (too_much - enough > std::max<std::uint64_t>(1, enough / 256)) {
    const std::uint64_t middle = enough + (too_much - enough) / 2;
    const Duration time = measure(middle);
    (time <= block_time ? enough : too_much) = middle;
    if (time <= block_time) measured = time;
  }
  return {enough, measured};
}

}  // namespace tactus::cuda
