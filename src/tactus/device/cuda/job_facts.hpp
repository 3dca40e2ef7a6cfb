// Facts of a job that its kernels can read.
//
// Arguments of captured work are the same for every job. What kernels must know of their job they read from
// device memory, which the stream writes right before the job's work.
#pragma once

#include <cuda_runtime_api.h>

namespace tactus::cuda {

/// Instants count from the start of the run.
struct JobFacts {
  unsigned long long number;
  long long release_ns;
  long long deadline_ns;  // the largest value: none
};

/// `to` in device memory has these facts when the stream arrives here.
void write_facts(const JobFacts& facts, JobFacts* to, cudaStream_t stream);

}  // namespace tactus::cuda
