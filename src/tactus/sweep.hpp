// Experiments: how many of many random systems does each analysis accept? Link tactus::sweep.
//
//   const auto experiment = tactus::sweep::load_experiment("experiment.yaml");
//   const auto result = tactus::sweep::run(experiment, {});
//   std::cout << tactus::sweep::to_csv(experiment, result);
//
// See docs/experiments.md.
#pragma once

#include "tactus/sweep/read_experiment.hpp"
#include "tactus/sweep/results.hpp"
#include "tactus/sweep/run.hpp"
