// Changes to a document before it is read.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/io/locate.hpp"
#include "tactus/io/read_parts.hpp"
#include "tactus/io/words.hpp"

namespace tactus::io {

namespace {

void move_to(Value& value, std::uint32_t offset) {
  value.offset = offset;
  for (Value& item : value.items) move_to(item, offset);
  for (Value::Entry& entry : value.entries) {
    entry.key_offset = offset;
    move_to(entry.value, offset);
  }
}

void remove(Value& map, std::string_view key) {
  std::erase_if(map.entries, [&](const Value::Entry& entry) { return entry.key == key; });
}

Value* find(Value& map, std::string_view key) {
  const auto found = std::find_if(map.entries.begin(), map.entries.end(),
                                  [&](const Value::Entry& entry) { return entry.key == key; });
  return found == map.entries.end() ? nullptr : &found->value;
}

class Change {
 public:
  Change(const Override& change, std::size_t offset, ProblemList& problems)
      : change_{change}, offset_{static_cast<std::uint32_t>(offset)}, problems_{problems} {}

  void apply(Value& root) {
    std::optional<Value> value = parsed();
    if (!value) return;
    if (root.kind == Value::Kind::map) assign(root, change_.path, {}, *value);  // else told when it is read
  }

 private:
  void tell(std::string message, std::string hint) {
    problems_.add(offset_, std::move(message), std::move(hint));
  }

  std::optional<Value> parsed() {
    constexpr DocumentKind kind{"a value", "3", "docs/format.md"};
    const TextPositions places{change_.value};
    ProblemList found;
    std::optional<Value> value = parse_document(change_.value, places, found, kind);
    if (!value) {
      tell(fmt::format("{} is no value", in_backticks(change_.value)), "write one, for instance 3 or 20ms");
      return std::nullopt;
    }
    if (!found.empty()) {
      for (Problem& problem : std::move(found).in_file_order(places, change_.option)) {
        tell(std::move(problem.message), std::move(problem.hint));
      }
      return std::nullopt;
    }
    move_to(*value, offset_);
    return value;
  }

  /// Follows the path from a value at `before`.
  void assign(Value& at, std::string_view rest, std::string before, const Value& value) {
    if (rest.empty()) {
      at = value;
      return;
    }
    const std::string_view from = rest;
    const Step step = take_step(rest);
    if (step.key.empty()) {
      tell(fmt::format("{} is not a path", in_backticks(change_.path)),
           "write keys with dots between them, for instance policy.levels or tasks.lidar.deadline");
      return;
    }
    if (step.is_index && step.key == "*" && at.kind == Value::Kind::list) {
      for (Value& item : at.items) assign(item, rest, before + "[*]", value);
      return;
    }
    Value* next = step.is_index ? find_item(at, step.key, before) : find_child(at, step.key, before);
    before += from.substr(0, from.size() - rest.size());
    if (next != nullptr) assign(*next, rest, std::move(before), value);
  }

  Value* find_item(Value& list, const std::string& digits, const std::string& before) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error == std::errc{} && end == digits.data() + digits.size() && index < list.items.size()) {
      return &list.items[index];
    }
    tell(fmt::format("there is no {}[{}]", before, printable(digits)),
         list.kind == Value::Kind::list
             ? fmt::format("{} has {} items, counted from 0", in_backticks(before), list.items.size())
             : fmt::format("{} is no list", in_backticks(before)));
    return nullptr;
  }

  Value* find_child(Value& parent, const std::string& key, const std::string& before) {
    if (parent.kind == Value::Kind::list) return find_named(parent, key, before);
    if (parent.kind == Value::Kind::scalar && before == "platform") {
      Value base = std::exchange(parent, Value{});
      parent.kind = Value::Kind::map;
      parent.offset = base.offset;
      parent.entries.push_back({"base", base.offset, std::move(base)});
    }
    if (parent.kind == Value::Kind::null) parent.kind = Value::Kind::map;
    if (parent.kind != Value::Kind::map) {
      tell(fmt::format("{} is a single value: it has no key {}", in_backticks(before), in_backticks(key)),
           fmt::format("set {} as a whole", in_backticks(before)));
      return nullptr;
    }
    if (Value* found = find(parent, key)) return found;
    for (const auto& [one, other] : alternatives) {
      if (key == one) remove(parent, other);
      if (key == other) remove(parent, one);
    }
    Value::Entry& added = parent.entries.emplace_back();
    added.key = key;
    added.key_offset = offset_;
    added.value.offset = offset_;
    return &added.value;
  }

  /// The item of a list by its `name`: tasks and chains are known by theirs.
  Value* find_named(Value& list, const std::string& name, const std::string& before) {
    std::vector<std::string_view> known;
    for (Value& item : list.items) {
      const Value* given = item.find("name");
      if (given == nullptr || given->kind != Value::Kind::scalar) continue;
      if (given->text == name) return &item;
      known.push_back(given->text);
    }
    if (before != "tasks" && before != "chains") {
      tell(fmt::format("{} is a list", in_backticks(before)),
           fmt::format("name its items by number, from {}[0] on", before));
      return nullptr;
    }
    const std::string_view near = nearest_name(name, known);
    const std::string_view noun = before == "tasks" ? "task" : "chain";
    problems_.add(ProblemId::unknown_name, offset_,
                  fmt::format("no {} is called {}", noun, in_backticks(name)),
                  near.empty() ? fmt::format("write the name of a {}", noun)
                               : fmt::format("did you mean {}?", in_backticks(near)));
    return nullptr;
  }

  const Override& change_;
  std::uint32_t offset_;
  ProblemList& problems_;
};

bool sets(std::span<const Override> overrides, std::string_view path) {
  return std::any_of(overrides.begin(), overrides.end(),
                     [&](const Override& change) { return change.path == path; });
}

/// Another strategy drops an order that it does not take, unless the order is overridden too.
void leave_out_other_order(Value& root, std::span<const Override> overrides) {
  if (!sets(overrides, "policy.strategy") || sets(overrides, "policy.order")) return;
  Value* policy = find(root, "policy");
  if (policy == nullptr) return;
  const Value* strategy = policy->find("strategy");
  const Value* order = policy->find("order");
  if (strategy == nullptr || order == nullptr) return;
  for (const StrategyRef known : known_strategies()) {
    if (known->name != strategy->text) continue;
    for (const Choice<Order>& choice : words::orders) {
      const std::span<const Order> taken = known->orders;
      const bool is_taken = std::find(taken.begin(), taken.end(), choice.value) != taken.end();
      if (choice.word == order->text && !is_taken) {
        remove(*policy, "order");
        return;
      }
    }
  }
}

}  // namespace

void apply_overrides(Value& root, std::span<const Override> overrides, std::size_t first_offset,
                     ProblemList& problems) {
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    Change{overrides[i], first_offset + i, problems}.apply(root);
  }
  leave_out_other_order(root, overrides);
}

}  // namespace tactus::io
