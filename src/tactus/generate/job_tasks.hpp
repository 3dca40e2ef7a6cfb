// What generators of whole GPU jobs share: tasks with one exclusive segment, and words of parameters.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tactus/base/exact.hpp"
#include "tactus/generate/parameters.hpp"
#include "tactus/generate/utilisations.hpp"
#include "tactus/model/task.hpp"

namespace tactus::generate {

/// Preemptibility of a job: its longest block as a share of its time. 0: preemptible anywhere, 1: nowhere.
struct BlockShare {
  Rational share;
};

/// A task whose jobs take utilisation * period, on all of their SMs.
Task make_job_task(std::string name, Arrival arrival, Duration period, Duration deadline,
                   Utilisation utilisation, const BlockShare& blocks);

Arrival arrival_of(std::string_view word);

/// The words `periodic` and `sporadic`, `edf` and `fp`, and the names of all presets.
std::span<const std::string_view> arrival_words();
std::span<const std::string_view> order_words();
std::span<const std::string_view> platform_words();

}  // namespace tactus::generate
