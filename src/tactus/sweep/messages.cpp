#include "tactus/sweep/messages.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/sweep/json.hpp"

namespace tactus::sweep {

using nlohmann::json;

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

}  // namespace tactus::sweep
