#include "support/plain_data_flow.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace tactus::test {

namespace {

/// A job of one task of the chain.
struct PlainJob {
  std::uint64_t number = 0;
  Time release{};
  Time read = never;
  Time published = never;
  const PlainJob* source = nullptr;  // the job of the first task whose sample it has
};

std::vector<PlainJob> jobs_of(const System& system, const EffectChain& chain, TaskIndex task,
                              std::span<const trace::JobEnded> ends) {
  std::vector<PlainJob> jobs;
  const bool by_period = chain.communication == Communication::let_period;
  const bool let = by_period || chain.communication == Communication::let;
  for (const trace::JobEnded& end : ends) {
    if (end.job.task != task) continue;
    PlainJob job{.number = end.job.number, .release = end.release};
    if (end.start != never) job.read = let ? end.release : end.start;
    if (end.completion != never) {
      const Duration interval = by_period ? *system.tasks[task].period : *system.tasks[task].deadline;
      job.published = let ? std::max(end.completion, end.release + interval) : end.completion;
    }
    jobs.push_back(job);
  }
  return jobs;
}

/// Each consumer takes the oldest value that no other has taken.
void pass_by_queue(std::vector<PlainJob>& producers, std::vector<PlainJob>& consumers) {
  const auto by = [](auto key) {
    return [key](const PlainJob& a, const PlainJob& b) {
      return std::tuple{a.*key, a.number} < std::tuple{b.*key, b.number};
    };
  };
  std::vector<PlainJob> values;
  for (const PlainJob& producer : producers) {
    if (producer.source != nullptr && producer.published != never) values.push_back(producer);
  }
  std::ranges::sort(values, by(&PlainJob::published));
  std::ranges::sort(consumers, by(&PlainJob::read));
  std::size_t next = 0;
  for (PlainJob& consumer : consumers) {
    if (consumer.read == never || next == values.size() || values[next].published > consumer.read) continue;
    consumer.source = values[next++].source;
  }
}

void pass_latest(const std::vector<PlainJob>& producers, std::vector<PlainJob>& consumers) {
  for (PlainJob& consumer : consumers) {
    const PlainJob* latest = nullptr;
    for (const PlainJob& producer : producers) {
      const bool is_there = producer.source != nullptr && producer.published <= consumer.read;
      if (!is_there || consumer.read == never) continue;
      if (latest == nullptr || producer.number > latest->number) latest = &producer;
    }
    if (latest != nullptr) consumer.source = latest->source;
  }
}

void enter(std::optional<Duration>& longest, Duration time) {
  longest = std::max(longest.value_or(time), time);
}

}  // namespace

PlainFlow plain_flow(const System& system, const EffectChain& chain, std::span<const trace::JobEnded> ends,
                     Time reached) {
  Time begin = origin;
  for (const TaskIndex task : chain.tasks) begin = std::max(begin, time_at(system.tasks[task].offset));
  const std::vector<PlainJob> first = jobs_of(system, chain, chain.tasks.front(), ends);
  std::vector<PlainJob> producers = first;
  for (std::size_t i = 0; i < producers.size(); ++i) {
    producers[i].source = producers[i].read == never ? nullptr : &first[i];
  }
  for (std::size_t i = 1; i < chain.tasks.size(); ++i) {
    std::vector<PlainJob> consumers = jobs_of(system, chain, chain.tasks[i], ends);
    if (chain.communication == Communication::queue) {
      pass_by_queue(producers, consumers);
    } else {
      pass_latest(producers, consumers);
    }
    producers = std::move(consumers);
  }
  std::erase_if(producers,
                [&](const PlainJob& job) { return job.source == nullptr || job.published > reached; });
  PlainFlow flow;
  flow.outputs = producers.size();
  for (const PlainJob& output : producers) {
    const Duration age = output.published - output.source->read;
    flow.age_misses += chain.age && age > *chain.age ? 1U : 0U;
    enter(flow.age, age);
  }
  const bool by_event = system.tasks[chain.tasks.front()].arrival == Arrival::sporadic;
  // Inputs at each release, or one at the beginning and one just after each sample.
  std::set<std::pair<Time, bool>> inputs;  // and whether a sample at that very instant sees it
  if (!by_event) inputs.emplace(begin, true);
  for (const PlainJob& job : first) {
    const Time input = by_event ? job.release : job.read;
    const bool is_known = by_event || (job.published != never && job.read != never);
    if (is_known && input >= begin) inputs.emplace(input, by_event);
  }
  for (const auto& [input, seen_at_once] : inputs) {
    Time reflected = never;
    for (const PlainJob& output : producers) {
      const Time sample = by_event ? output.source->release : output.source->read;
      const bool shows = seen_at_once ? sample >= input : sample > input;
      if (shows) reflected = std::min(reflected, output.published);
    }
    if (reflected != never) {
      enter(flow.reaction, reflected - input);
      enter(flow.longest, reflected - input);
    } else if (input < reached || (by_event && input == reached)) {
      enter(flow.longest, reached - input);
    }
  }
  return flow;
}

}  // namespace tactus::test
