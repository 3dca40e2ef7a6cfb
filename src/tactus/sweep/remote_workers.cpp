#include "tactus/sweep/remote_workers.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/sweep/identity_json.hpp"
#include "tactus/sweep/pool.hpp"

namespace tactus::sweep {

using std::chrono::milliseconds;

RemoteWorkers::RemoteWorkers(const Experiment& experiment, Ranks* ranks)
    : experiment_{experiment},
      transport_{ranks},
      ranks_(ranks == nullptr ? 0 : static_cast<std::size_t>(ranks->count() - 1)) {}

unsigned RemoteWorkers::threads() const {
  unsigned sum = 0;
  for (const Worker& worker : ranks_) sum += worker.threads;
  return sum;
}

std::size_t RemoteWorkers::in_flight() const {
  std::size_t sum = 0;
  for (const Worker& worker : ranks_) sum += worker.in_flight;
  return sum;
}

void RemoteWorkers::hand_out(unsigned batches_per_thread, const std::function<bool()>& is_empty,
                             const std::function<Batch()>& next) {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    Worker& worker = ranks_[i];
    while (worker.in_flight < std::size_t{batches_per_thread} * worker.threads && !is_empty()) {
      transport_->send(static_cast<int>(i) + 1, to_text(Assignment{next()}));
      ++worker.in_flight;
    }
  }
}

void RemoteWorkers::welcome(int rank, const Hello& hello) {
  if (hello.experiment != identity(experiment_).dump()) {
    throw FailureError{fmt::format("rank {} runs another build of tactus: its numbers could differ", rank)};
  }
  ranks_[static_cast<std::size_t>(rank - 1)].threads = hello.threads;
}

std::vector<Answer> RemoteWorkers::collect() {
  std::vector<Answer> answers;
  if (!any()) return answers;
  while (const std::optional<Ranks::Message> message = transport_->receive()) {
    RankMessage rank_message = read_rank_message(message->text, experiment_.analyses.size());
    if (const auto* hello = std::get_if<Hello>(&rank_message)) {
      welcome(message->from, *hello);
    } else if (const auto* trouble = std::get_if<Trouble>(&rank_message)) {
      throw FailureError{fmt::format("rank {}: {}", message->from, trouble->what)};
    } else if (auto* answer = std::get_if<Answer>(&rank_message)) {
      --ranks_[static_cast<std::size_t>(message->from - 1)].in_flight;
      answers.push_back(std::move(*answer));
    }
  }
  return answers;
}

void RemoteWorkers::check_alive() const {
  if (!any()) return;
  const std::vector<int> dead = transport_->dead();
  if (dead.empty()) return;
  throw FailureError{fmt::format("rank{} {} died; what was judged is kept, start again to go on",
                                 dead.size() == 1 ? "" : "s", fmt::join(dead, ", "))};
}

namespace {

std::string what_happened(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "something unknown was thrown";
  }
}

void answer(Ranks& ranks, Judged&& judged) {
  if (judged.error) {
    ranks.send(0, to_text(Trouble{what_happened(judged.error)}));
  } else {
    ranks.send(0, to_text(Answer{judged.batch, std::move(judged.part), judged.took}));
  }
}

}  // namespace

void serve(const Experiment& experiment, Ranks& ranks, unsigned threads) {
  constexpr milliseconds patience{1};
  constexpr milliseconds between_checks{500};
  Pool pool{experiment, threads, {}};
  ranks.send(0, to_text(Hello{pool.threads(), identity(experiment).dump()}));
  auto checked = std::chrono::steady_clock::now();
  while (true) {
    while (const std::optional<Ranks::Message> message = ranks.receive()) {
      if (message->text.empty()) return;
      const RankMessage rank_message = read_rank_message(message->text, experiment.analyses.size());
      if (const auto* assignment = std::get_if<Assignment>(&rank_message)) pool.submit(assignment->batch);
    }
    for (Judged& judged : pool.take(patience)) answer(ranks, std::move(judged));
    const auto now = std::chrono::steady_clock::now();
    if (now - checked < between_checks) continue;
    checked = now;
    if (!ranks.dead().empty()) return;  // the rank that would end the run may have died
  }
}

}  // namespace tactus::sweep
