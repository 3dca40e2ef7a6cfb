#include "tactus/trace/statistics.hpp"

#include <algorithm>
#include <numeric>

namespace tactus::trace {

namespace {

// The ceil(0.99 n)-th smallest, found from the top: floor(n / 100) entries lie above it.
Duration nearest_rank_p99(std::vector<ResponseCounts::Entry> entries, std::uint64_t completed) {
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.response > b.response; });
  std::uint64_t above = completed / 100;
  for (const ResponseCounts::Entry& entry : entries) {
    if (entry.count > above) return entry.response;
    above -= entry.count;
  }
  return entries.back().response;
}

}  // namespace

Duration rounded_mean(Int128 sum, std::uint64_t completed) {
  const auto n = static_cast<Int128>(completed);
  return Duration{static_cast<std::int64_t>((2 * sum + n) / (2 * n))};
}

Statistics::Statistics(std::size_t tasks, StatisticsLimits limits) : counters_(tasks), limits_{limits} {}

void Statistics::add_run(Counters& counters) {
  counters.completed += counters.run_length;
  counters.min = std::min(counters.min, counters.run_response);
  counters.max = std::max(counters.max, counters.run_response);
  counters.sum +=
      static_cast<Int128>(counters.run_response.count()) * static_cast<Int128>(counters.run_length);
}

void Statistics::end_run(TaskIndex task) {
  Counters& counters = counters_[task];
  if (counters.run_length == 0) return;
  add_run(counters);
  if (counters.responses.fits_cache()) {
    count_response(counters.responses, counters.run_response, counters.run_length);
    return;
  }
  // The table's memory is prefetched now and used a few runs later, which hides the cache miss.
  Waiting& waiting = waiting_[next_waiting_];
  next_waiting_ = (next_waiting_ + 1) % waiting_.size();
  if (waiting.count > 0) count_response(counters_[waiting.task].responses, waiting.response, waiting.count);
  waiting = {.task = task, .response = counters.run_response, .count = counters.run_length};
  counters.responses.prefetch(counters.run_response);
}

void Statistics::count_response(ResponseCounts& responses, Duration response, std::uint64_t count) {
  const std::size_t before = responses.distinct();
  responses.add(response, count);
  if (responses.distinct() != before) {
    ++distinct_;
    save_memory(responses);
  }
}

void Statistics::save_memory(ResponseCounts& grown) {
  const auto coarsen = [this](ResponseCounts& responses) {
    distinct_ -= responses.distinct();
    responses.coarsen();
    distinct_ += responses.distinct();
  };
  const auto exact_distinct = [](const Counters& counters) {
    return counters.responses.coarse() ? std::size_t{0} : counters.responses.distinct();
  };
  if (grown.distinct() > limits_.distinct_per_task) coarsen(grown);
  while (distinct_ > limits_.distinct_in_all && !all_coarse_) {
    const auto largest = std::max_element(
        counters_.begin(), counters_.end(),
        [&](const Counters& a, const Counters& b) { return exact_distinct(a) < exact_distinct(b); });
    if (exact_distinct(*largest) == 0) {
      all_coarse_ = true;
    } else {
      coarsen(largest->responses);
    }
  }
}

TaskStatistics Statistics::of(TaskIndex task) const {
  Counters counters = counters_.at(task);
  if (counters.run_length > 0) {
    add_run(counters);
    counters.responses.add(counters.run_response, counters.run_length);
  }
  for (const Waiting& waiting : waiting_) {
    if (waiting.task == task && waiting.count > 0) counters.responses.add(waiting.response, waiting.count);
  }
  TaskStatistics result{.released = counters.released,
                        .completed = counters.completed,
                        .misses = counters.misses,
                        .full = counters.full,
                        .response = std::nullopt};
  if (counters.completed == 0) return result;
  const Duration p99 = nearest_rank_p99(counters.responses.entries(), counters.completed);
  result.response = ResponseTimes{.min = counters.min,
                                  .mean = rounded_mean(counters.sum, counters.completed),
                                  .p99 = std::min(p99, counters.max),
                                  .max = counters.max,
                                  .p99_exact = !counters.responses.coarse()};
  return result;
}

std::vector<TaskStatistics> Statistics::all() const {
  std::vector<TaskStatistics> result;
  result.reserve(counters_.size());
  for (TaskIndex task = 0; task < counters_.size(); ++task) result.push_back(of(task));
  return result;
}

std::uint64_t Statistics::misses() const {
  return std::accumulate(counters_.begin(), counters_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Counters& counters) { return sum + counters.misses; });
}

}  // namespace tactus::trace
