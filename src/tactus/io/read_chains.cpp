// The effect chains of a system file.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "tactus/base/utf8.hpp"
#include "tactus/io/read_parts.hpp"

namespace tactus::io {

namespace {

constexpr std::array<std::string_view, 5> chain_keys{"name", "tasks", "communication", "reaction", "age"};
/// Stands for a task that could not be found: its value is rejected, so no rule reports it again.
constexpr TaskIndex no_task = std::numeric_limits<TaskIndex>::max();

class ChainReader {
 public:
  ChainReader(const std::vector<Task>& tasks, bool names_are_known, Reader& reader)
      : reader_{reader}, names_are_known_{names_are_known} {
    for (const Task& task : tasks) {
      index_of_.emplace(task.name, static_cast<TaskIndex>(names_.size()));
      names_.push_back(task.name);
    }
  }

  EffectChain read(const Value& value) {
    EffectChain chain;
    if (!reader_.is_map(value, "a chain", "{name: brake, tasks: [camera, planner], reaction: 150ms}")) {
      return chain;
    }
    const Fields fields{reader_, value, chain_keys};
    fields.take("name", chain.name, &Reader::name);
    if (const Value* given = fields.find("tasks")) chain.tasks = read_members(*given);
    fields.take("communication", chain.communication, words::communications);
    fields.take("reaction", chain.reaction, &Reader::duration);
    fields.take("age", chain.age, &Reader::duration);
    return chain;
  }

 private:
  std::vector<TaskIndex> read_members(const Value& value) {
    std::vector<TaskIndex> members;
    if (!reader_.is_list(value, "tasks", "[camera, planner]")) return members;
    members.reserve(value.items.size());
    for (const Value& item : value.items) members.push_back(read_member(item));
    return members;
  }

  TaskIndex read_member(const Value& value) {
    const std::optional<std::string> name = reader_.name(value, "a task of a chain");
    if (!name) return no_task;
    if (const auto found = index_of_.find(*name); found != index_of_.end()) return found->second;
    if (names_are_known_) {
      const std::string_view near = reader_.suggest(*name, names_);
      reader_.reject(
          ProblemId::unknown_name, value, fmt::format("no task is called {}", in_backticks(*name)),
          near.empty() ? "write the name of a task" : fmt::format("did you mean {}?", in_backticks(near)));
    }
    reader_.silence(value);
    return no_task;
  }

  Reader& reader_;
  bool names_are_known_;
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, TaskIndex> index_of_;
};

}  // namespace

std::vector<EffectChain> read_chains(const Value& value, const std::vector<Task>& tasks, bool names_are_known,
                                     Reader& reader) {
  std::vector<EffectChain> chains;
  if (!reader.is_list(value, "chains", "[{name: brake, tasks: [camera, planner], reaction: 150ms}]")) {
    return chains;
  }
  ChainReader chain_reader{tasks, names_are_known, reader};
  chains.reserve(value.items.size());
  for (const Value& item : value.items) chains.push_back(chain_reader.read(item));
  return chains;
}

}  // namespace tactus::io
