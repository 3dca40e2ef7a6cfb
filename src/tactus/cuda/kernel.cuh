// For kernels: where a thread runs, and blocks that are pinned, interleaved or can be stopped.
#pragma once

#include "tactus/device/cuda/kernel.cuh"
