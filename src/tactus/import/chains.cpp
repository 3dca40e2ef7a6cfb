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
      if (class_of(*one) == "EventChainLatencyConstraint")
        constraints_[documents_->target(*one, "scope")].push_back(one);
    }
  }

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

 private:
  using Events = std::vector<const Element*>;
  static constexpr std::size_t most_paths = 16;
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
    set_limits(element, chain);
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
    notes_->note("chain", &chain,
                 fmt::format("event chain {} is left out: {}", in_backticks(name_of(chain)), why),
                 "write it into `chains` of the system file");
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

  void set_limits(const Element& element, EffectChain& chain) const {
    const auto found = constraints_.find(&element);
    if (found == constraints_.end()) return;
    for (const Element* constraint : found->second) {
      const Element* maximum = constraint->child("maximum");
      const std::optional<Rational> limit = maximum == nullptr ? std::nullopt : nanoseconds_of(*maximum);
      if (!limit || *limit < Rational{1}) continue;
      (constraint->attribute("type") == "Age" ? chain.age : chain.reaction) = rounded_down(*limit);
    }
  }

  const Model* model_;
  const Owners* owners_;
  Notes* notes_;
  const Documents* documents_;
  std::unordered_map<const Element*, const Process*> tasks_;
  std::unordered_map<const Element*, Users> users_;                              // of a runnable or stimulus
  std::unordered_map<const Element*, std::vector<const Element*>> constraints_;  // by chain
  std::unordered_map<const Element*, std::optional<TaskIndex>> owner_of_;        // of events
  std::set<std::string> names_;
  std::size_t next_ = 0;       // number for a name
  std::size_t collected_ = 0;  // chains and events, so that chains that hold themselves end
  bool is_endless_ = false;
};

}  // namespace

void add_chains(const Model& model, const Owners& owners, Notes& notes, System& system) {
  const std::vector<const Element*> chains = notes.documents().listed("constraintsModel", "eventChains");
  if (chains.empty()) return;
  ChainReader reader{model, owners, notes};
  for (const Element* one : chains) reader.read(*one, system);
  if (!system.chains.empty()) {
    notes.assume(
        "chains", nullptr,
        "data of event chains passes when jobs start and end: a job reads at its start what was last written",
        "`communication: let-period` of a chain in the system file: at releases and ends of periods");
  }
}

}  // namespace tactus::import
