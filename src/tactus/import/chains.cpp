#include "tactus/import/chains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_map>

#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"
#include "tactus/import/quantity.hpp"

namespace tactus::import {

namespace {

/// How long data may take through a chain.
struct Latencies {
  std::optional<Duration> reaction;
  std::optional<Duration> age;
};

void keep_least(std::optional<Duration>& least, const Duration& other) {
  least = std::min(least.value_or(other), other);
}

class ChainReader {
 public:
  ChainReader(const Model& model, const Owners& owners, Notes& notes)
      : model_{&model}, owners_{&owners}, notes_{&notes}, documents_{&notes.documents()} {
    for (const Process& task : model.software.tasks) {
      tasks_.emplace(task.element, &task);
      for (const Element* stimulus : task.stimuli) users_[stimulus].add(task);
      for (const Step& step : task.activity) note_calls(step, task);
    }
    for (const Element* one : documents_->listed("constraintsModel", "timingConstraints")) {
      if (class_of(*one) == "EventChainLatencyConstraint") read_constraint(*one);
    }
  }

  /// The chains of the model, and what of them has a limit of its own.
  void read_all(System& system) {
    std::vector<const Element*> chains = documents_->listed("constraintsModel", "eventChains");
    std::set<const Element*> known{chains.begin(), chains.end()};
    for (const Element* one : limited_) {
      if (known.insert(one).second) chains.push_back(one);
    }
    for (const Element* one : chains) read(*one, system);
  }

 private:
  using Events = std::vector<const Element*>;
  static constexpr std::size_t most_paths = 16;

  void read(const Element& element, System& system) {
    is_endless_ = false;
    const std::vector<Events> paths = paths_of(element, 0);
    if (is_endless_) {
      leave_out(element, "it holds itself, or too many others");
      return;
    }
    if (paths.size() > most_paths) {
      leave_out(element, fmt::format("data takes more than {} ways in it", most_paths));
      return;
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      std::string name{name_of(element)};
      if (paths.size() > 1) name += fmt::format(" ({})", i + 1);
      read_path(element, std::move(name), paths[i], system);
    }
  }

  void read_constraint(const Element& constraint) {
    const std::string name = in_backticks(name_of(constraint));
    const Element* minimum = constraint.child("minimum");
    if (minimum != nullptr && parse_number(minimum->attribute("value")) != Rational{}) {
      notes_->warn(
          "constraint", &constraint,
          fmt::format("constraint {} asks for a latency that is not too short, which is not checked", name));
    }
    const Element* maximum = constraint.child("maximum");
    if (maximum == nullptr) return;
    const Element* chain = documents_->target(constraint, "scope");
    if (chain == nullptr) {
      notes_->warn("constraint", &constraint,
                   fmt::format("constraint {} limits no event chain of the model, and is not used", name),
                   "name the chain as its `scope`");
      return;
    }
    const std::optional<Rational> limit = nanoseconds_of(*maximum);
    if (!limit || *limit < Rational{1}) {
      notes_->refuse(*maximum, ProblemId::bad_number,
                     fmt::format("the limit of constraint {} is not understood", name),
                     "write `maximum` with a value above 0 and a unit such as ms");
      return;
    }
    const std::string_view type = constraint.attribute("type");
    limited_.push_back(chain);
    Latencies& limits = limits_[chain];
    if (type != "Age") keep_least(limits.reaction, rounded_down(*limit));
    if (type != "Reaction") keep_least(limits.age, rounded_down(*limit));
  }

  static constexpr std::size_t most_collected = 10 * limits::steps;

  /// The task that uses something, unless there are several.
  struct Users {
    const Process* one = nullptr;
    bool are_several = false;

    /// Whether that is news.
    bool add(const Process& task) {
      if (are_several || one == &task) return false;
      are_several = one != nullptr;
      one = &task;
      return true;
    }
  };

  /// One way of the data: a chain of tasks.
  void read_path(const Element& element, std::string name, const Events& events, System& system) {
    EffectChain chain{.name = std::move(name), .tasks = {}, .reaction = {}, .age = {}};
    for (const Element* event : events) {
      const std::optional<TaskIndex> task = task_of(*event);
      if (!task) {
        leave_out(element,
                  fmt::format("its event {} belongs to no single task", in_backticks(name_of(*event))));
        return;
      }
      if (chain.tasks.empty() || chain.tasks.back() != *task) chain.tasks.push_back(*task);
    }
    const std::set<TaskIndex> once{chain.tasks.begin(), chain.tasks.end()};
    if (chain.tasks.empty() || once.size() != chain.tasks.size()) {
      leave_out(element, chain.tasks.empty() ? "it has no events" : "it comes to a task twice");
      return;
    }
    const auto repeat = [&system](TaskIndex task) { return repeats(system.tasks[task]); };
    if (!std::all_of(chain.tasks.begin(), chain.tasks.end(), repeat)) {
      leave_out(element, "one of its tasks comes only once");
      return;
    }
    if (chain.name.empty() || names_.contains(chain.name)) {
      next_ = std::max(next_, system.chains.size() + 1);
      do {
        chain.name = fmt::format("chain {}", next_++);
      } while (names_.contains(chain.name));
    }
    names_.insert(chain.name);
    if (const auto limits = limits_.find(&element); limits != limits_.end()) {
      chain.reaction = limits->second.reaction;
      // The limit counts from the event in the first task, a reaction from an input that waits for its
      // release.
      const Task& first = system.tasks[chain.tasks.front()];
      if (chain.reaction && first.arrival == Arrival::periodic)
        chain.reaction = checked_add(*chain.reaction, *first.period);
      chain.age = limits->second.age;
    }
    system.chains.push_back(std::move(chain));
  }

  void note_calls(const Step& step, const Process& task) {
    if (step.kind == StepKind::call && users_[step.target].add(task)) {
      const Runnable* runnable = model_->software.called_in(step);
      if (runnable == nullptr) return;
      for (const Step& inner : runnable->activity) note_calls(inner, task);
    }
    for (const Activity& way : step.ways) {
      for (const Step& inner : way) note_calls(inner, task);
    }
  }

  void leave_out(const Element& chain, const std::string& why) {
    const std::string message =
        fmt::format("event chain {} is left out: {}", in_backticks(name_of(chain)), why);
    const std::string hint = "write it into `chains` of the system file";
    if (limits_.contains(&chain)) {
      notes_->warn("chain", &chain, message + "; so its limit is not checked", hint);
    } else {
      notes_->note("chain", &chain, message, hint);
    }
  }

  static void append(std::vector<Events>& paths, const Element* event) {
    for (Events& path : paths) {
      if (event != nullptr && (path.empty() || path.back() != event)) path.push_back(event);
    }
  }

  /// Each path goes on by each of these.
  static void go_on(std::vector<Events>& paths, const std::vector<Events>& more) {
    if (more.empty() || paths.size() > most_paths) return;
    const auto go = [](Events& path, const Events& rest) {
      for (const Element* event : rest) {
        if (path.empty() || path.back() != event) path.push_back(event);
      }
    };
    if (more.size() == 1) {
      for (Events& path : paths) go(path, more.front());
      return;
    }
    std::vector<Events> longer;
    for (const Events& path : paths) {
      for (const Events& rest : more) {
        if (longer.size() > most_paths) break;
        go(longer.emplace_back(path), rest);
      }
    }
    paths = std::move(longer);
  }

  /// The events of a chain in their order: those of its parts between its own two. Parts side by side are
  /// ways of their own.
  std::vector<Events> paths_of(const Element& chain, std::size_t depth) {
    std::vector<Events> paths(1);
    collected_ += 1 + chain.children.size();
    is_endless_ = is_endless_ || depth > limits::calls || collected_ > most_collected;
    if (is_endless_) return paths;
    append(paths, documents_->target(chain, "stimulus"));
    std::vector<Events> strands;
    for (const Element& item : chain.children) {
      if (item.name != "items" && item.name != "segments" && item.name != "strands") continue;
      const Element* inner = item.child("eventChain");
      if (inner == nullptr || is_reference(*inner)) inner = documents_->target(item, "eventChain");
      if (inner == nullptr) continue;
      std::vector<Events> part = paths_of(*inner, depth + 1);
      for (const Events& one : part) collected_ += one.size();
      if (chain.attribute("itemType") == "parallel" || item.name == "strands") {
        if (strands.size() <= most_paths) std::move(part.begin(), part.end(), std::back_inserter(strands));
      } else {
        go_on(paths, part);
      }
    }
    go_on(paths, strands);
    append(paths, documents_->target(chain, "response"));
    return paths;
  }

  /// The only task whose work the event is about.
  std::optional<TaskIndex> task_of(const Element& event) {
    const auto [known, is_new] = owner_of_.try_emplace(&event);
    if (!is_new) return known->second;
    Users users;
    for (const char* role : {"process", "entity", "runnable"}) {
      const Element* about = documents_->target(event, role);
      if (about == nullptr || users.one != nullptr) continue;
      const auto task = tasks_.find(about);
      if (task != tasks_.end()) {
        users.one = task->second;
      } else if (const auto found = users_.find(about); found != users_.end()) {
        users = found->second;
      }
    }
    const auto owner = owners_->find(users.one);
    if (!users.are_several && owner != owners_->end() && owner->second.size() == 1)
      known->second = owner->second.front();
    return known->second;
  }

  const Model* model_;
  const Owners* owners_;
  Notes* notes_;
  const Documents* documents_;
  std::unordered_map<const Element*, const Process*> tasks_;
  std::unordered_map<const Element*, Users> users_;                        // of a runnable or stimulus
  std::unordered_map<const Element*, std::optional<TaskIndex>> owner_of_;  // of events
  std::unordered_map<const Element*, Latencies> limits_;                   // of a chain, or a part of one
  std::vector<const Element*> limited_;                                    // in the order of the model
  std::set<std::string> names_;
  std::size_t next_ = 0;       // number for a name
  std::size_t collected_ = 0;  // chains and events, so that chains that hold themselves end
  bool is_endless_ = false;
};

}  // namespace

void add_chains(const Model& model, const Owners& owners, Notes& notes, System& system) {
  ChainReader{model, owners, notes}.read_all(system);
  if (!system.chains.empty() && model.software.timed != nullptr) {
    notes.warn(
        "chain", model.software.timed,
        "accesses are `timed` here (logical execution time); data of chains passes when jobs start and end, "
        "so it may be there earlier than in the model",
        "`communication: let-period` of the chains in the system file");
  }
  if (!system.chains.empty()) {
    notes.assume(
        "chains", nullptr,
        "data of event chains passes when jobs start and end: a job reads at its start what was last written",
        "`communication: let-period` of a chain in the system file: at releases and ends of periods");
  }
  const bool has_reaction =
      std::ranges::any_of(system.chains, [](const EffectChain& one) { return one.reaction.has_value(); });
  if (has_reaction) {
    notes.assume(
        "chains", nullptr,
        "limits of reactions count from the event in the first task, reactions here from an input that "
        "may wait for its release: such limits are longer here by the period of a periodic first task");
  }
}

}  // namespace tactus::import
