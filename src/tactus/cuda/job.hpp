// `tactus::cuda::Job`: the job as seen by a bound function that enqueues GPU work.
#pragma once

#include "tactus/device/cuda/job.hpp"
