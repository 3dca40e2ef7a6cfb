// For kernels: the position of a thread, and blocks that are pinned, interleaved or can be stopped.
#pragma once

#include "tactus/device/cuda/kernel.cuh"
