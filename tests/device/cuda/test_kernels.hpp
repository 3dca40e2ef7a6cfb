// Kernels for the tests, behind plain functions: the tests themselves need no CUDA compiler.
#pragma once

#include <cuda_runtime_api.h>

#include "tactus/device/cuda/block_loop.hpp"
#include "tactus/device/cuda/job_facts.hpp"

namespace tactus::cuda {

/// Every block of the work adds 1 to its place in `counts`, notes its SM in `sms` (unless null) and stays for
/// a time. The threads check that they all see the same block; if not, `disagreements` grows.
struct CountedLaunch {
  unsigned blocks = 1;  // of the launch
  unsigned threads = 128;
  unsigned stay_ns = 0;
  unsigned* counts = nullptr;
  unsigned* sms = nullptr;
  unsigned* disagreements = nullptr;
};
void launch_counted(const CountedLaunch& launch, const BlockLoop& loop, cudaStream_t stream);
void launch_counted(const CountedLaunch& launch, dim3 grid, cudaStream_t stream);  // a plain grid

/// Adds up x, y and z of every block and the size of its grid, to see that they are those of a plain kernel.
void launch_sum_of_indices(unsigned blocks, const BlockLoop& loop, unsigned long long* sums,
                           cudaStream_t stream);
void launch_sum_of_indices(dim3 grid, unsigned long long* sums, cudaStream_t stream);

/// A list in device memory, to which kernels append.
struct AppendedList {
  unsigned* values = nullptr;
  unsigned* count = nullptr;
  unsigned room = 0;
};
void launch_append(unsigned value, const AppendedList& list, cudaStream_t stream);
/// Appends the number of the job.
void launch_append_job(const JobFacts* facts, const AppendedList& list, cudaStream_t stream);

/// Fails with an access to memory that is not there.
void launch_bad_access(cudaStream_t stream);

}  // namespace tactus::cuda
