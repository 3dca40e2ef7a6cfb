#include "tactus/sweep/remote_workers.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/sweep/json.hpp"
#include "tactus/sweep/pool.hpp"

namespace tactus::sweep {

using nlohmann::json;
using std::chrono::milliseconds;

namespace {

json to_json(const Batch& batch) { return {batch.point, batch.systems.first, batch.systems.end}; }

Batch read_batch(const json& list) {
  return {list.at(0).get<std::size_t>(), {list.at(1).get<std::int64_t>(), list.at(2).get<std::int64_t>()}};
}

struct Writer {
  json operator()(const Hello& hello) const {
    return {{"hello", hello.experiment}, {"threads", hello.threads}};
  }
  json operator()(const Assignment& assignment) const { return {{"order", to_json(assignment.batch)}}; }
  json operator()(const Answer& answer) const {
    return {
        {"answer", to_json(answer.batch)}, {"part", to_json(answer.part)}, {"seconds", answer.took.count()}};
  }
  json operator()(const Trouble& trouble) const { return {{"trouble", trouble.what}}; }
};

std::optional<RankMessage> read(const json& root, std::size_t analyses) {
  if (root.contains("hello")) {
    return Hello{root.at("threads").get<unsigned>(), root.at("hello").get<std::string>()};
  }
  if (root.contains("order")) return Assignment{read_batch(root.at("order"))};
  if (root.contains("trouble")) return Trouble{root.at("trouble").get<std::string>()};
  if (!root.contains("answer")) return std::nullopt;
  std::optional<PartCounts> part = read_part_counts(root.at("part"), analyses);
  if (!part) return std::nullopt;
  return Answer{read_batch(root.at("answer")), *std::move(part),
                std::chrono::duration<double>{root.at("seconds").get<double>()}};
}

std::string what_happened(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "something unknown was thrown";
  }
}

void send_answer(Ranks& ranks, Judged&& judged) {
  if (judged.error) {
    ranks.send(0, to_text(Trouble{what_happened(judged.error)}));
  } else {
    ranks.send(0, to_text(Answer{std::move(judged)}));
  }
}

}  // namespace

std::string to_text(const RankMessage& rank_message) {
  // Messages of an analysis or an operating system need not be UTF-8.
  return std::visit(Writer{}, rank_message).dump(-1, ' ', false, json::error_handler_t::replace);
}

RankMessage read_rank_message(const std::string& text, std::size_t analyses) {
  std::optional<RankMessage> rank_message;
  try {
    rank_message = read(json::parse(text), analyses);
  } catch (const json::exception&) {
    rank_message.reset();
  }
  if (!rank_message) throw FailureError{"a rank sent a message that cannot be read"};
  return *std::move(rank_message);
}

RemoteWorkers::RemoteWorkers(const Experiment& experiment, Ranks* ranks)
    : experiment_{experiment},
      transport_{ranks},
      ranks_(ranks == nullptr ? 0 : static_cast<std::size_t>(ranks->count() - 1)) {}

unsigned RemoteWorkers::threads() const {
  return std::accumulate(ranks_.begin(), ranks_.end(), 0U,
                         [](unsigned sum, const Worker& worker) { return sum + worker.threads; });
}

std::size_t RemoteWorkers::in_flight() const {
  return std::accumulate(ranks_.begin(), ranks_.end(), std::size_t{0},
                         [](std::size_t sum, const Worker& worker) { return sum + worker.in_flight; });
}

void RemoteWorkers::hand_out(WorkList& work, unsigned batches_per_thread, unsigned all_threads) {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    Worker& worker = ranks_[i];
    while (worker.in_flight < std::size_t{batches_per_thread} * worker.threads && !work.empty()) {
      transport_->send(static_cast<int>(i) + 1, to_text(Assignment{work.next(all_threads)}));
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
    for (Judged& judged : pool.take(patience)) send_answer(ranks, std::move(judged));
    const auto now = std::chrono::steady_clock::now();
    if (now - checked < between_checks) continue;
    checked = now;
    if (!ranks.dead().empty()) return;  // the rank that would end the run may have died
  }
}

}  // namespace tactus::sweep
