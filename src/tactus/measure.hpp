// From measured times to the times of a model: a margin, and the smallest model that covers all samples.
//
//   const tactus::measure::SampleSummary summary = tactus::measure::summary_of(samples);
//   const tactus::Duration worst = tactus::measure::MarginRule{}.apply(summary);
//
// `fit_work` and `fit_copies` fit GPU work on several numbers of SMs, and copies of several sizes. How to
// measure on a GPU is in <tactus/cuda/measure.hpp>. See docs/measuring.md.
#pragma once

#include "tactus/measure/margin_rule.hpp"
#include "tactus/measure/work_fit.hpp"
