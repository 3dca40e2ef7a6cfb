// The job that a function which enqueues GPU work works for: `tactus::cuda::Job`.
#pragma once

#include "tactus/device/cuda/job.hpp"
