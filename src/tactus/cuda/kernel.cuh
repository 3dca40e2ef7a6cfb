// For kernels: where a thread runs, and blocks that are pinned, interleaved or can be stopped.
// `PreemptibleWork` launches such a kernel, stops it and goes on with it. Only nvcc can read this. See
// docs/cuda-kernels.md.
#pragma once

#include "tactus/device/cuda/kernel.cuh"
#include "tactus/device/cuda/preemptible_work.hpp"
