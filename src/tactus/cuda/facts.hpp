// What CUDA reports about the GPUs of this machine.
#pragma once

#include "tactus/machine/gpu_facts.hpp"

namespace tactus::cuda {

machine::CudaFacts read_facts();

}  // namespace tactus::cuda
