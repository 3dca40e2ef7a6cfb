// What generators share: tasks with one exclusive segment; bounds and words of parameters.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/generate/parameters.hpp"
#include "tactus/generate/utilisations.hpp"
#include "tactus/model/task.hpp"

namespace tactus::generate {

// Columns of the tables of parameters.
inline constexpr bool required = true;
inline constexpr bool optional = false;
inline constexpr Range anything{0, std::numeric_limits<std::int64_t>::max()};
inline constexpr Range at_least_1ns{1, Duration::max().count()};
inline constexpr Range at_most_1{0, 1};
inline constexpr Range task_counts{1, 10'000};
inline constexpr Range any_utilisation{0, Utilisation::most};

/// Preemptibility of a job: its longest block as a share of its time. 0: preemptible anywhere, 1: nowhere.
struct BlockShare {
  Rational share;
};

/// A task whose jobs take utilisation * period, on all of their SMs.
Task make_job_task(std::string name, Arrival arrival, Duration period, Duration deadline,
                   Utilisation utilisation, const BlockShare& blocks);

Arrival arrival_of(std::string_view word);

/// value * share, rounded down. A share is at most 1.
Duration part_of(Duration value, const Rational& share);

/// A list of durations must be [least, most].
void check_range(const Parameters& parameters, std::string_view key, std::vector<ParameterProblem>& problems);

/// The words `periodic` and `sporadic`, `edf` and `fp`, and the names of all presets.
std::span<const std::string_view> arrival_words();
std::span<const std::string_view> order_words();
std::span<const std::string_view> platform_words();

}  // namespace tactus::generate
