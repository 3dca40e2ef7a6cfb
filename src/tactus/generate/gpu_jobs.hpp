// Generator `gpu-jobs`: independent GPU jobs, their utilisations by UUniFast-discard or RandFixedSum, periods
// from a list or log-uniform. For the tests of whole jobs: one stream and several streams.
#pragma once

#include "tactus/generate/generator.hpp"

namespace tactus::generate {

Generator gpu_jobs();

}  // namespace tactus::generate
