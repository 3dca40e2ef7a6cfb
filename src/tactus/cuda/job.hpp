// The job that a function which enqueues GPU work works for: `tactus::cuda::Job`, with its stream and SMs.
#pragma once

#include "tactus/device/cuda/job.hpp"
