#include "tactus/import/calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"

namespace tactus::import {

namespace {

struct Call {
  const Element* element = nullptr;
  std::size_t callee = 0;  // index of a runnable
  std::size_t around = 0;  // choices and loops
};

void cut(Activity& activity, const std::set<const Element*>& calls) {
  std::erase_if(activity, [&calls](const Step& step) { return calls.contains(step.element); });
  for (Step& step : activity) {
    for (Activity& way : step.ways) cut(way, calls);
  }
}

/// Depth first, without recursion: a file may hold as many calls behind each other as it has lines.
class Following {
 public:
  Following(Software& software, Notes& notes)
      : software_{&software},
        notes_{&notes},
        states_(software.runnables.size()),
        levels_(software.runnables.size()) {}

  void follow() {
    for (Process& task : software_->tasks) {
      std::vector<Call> calls;
      collect(task.activity, 0, calls);
      for (const Call& call : calls) follow(call.callee);
      task.has_uninterruptible = task.has_uninterruptible || any_of(calls, &Runnable::has_uninterruptible);
    }
    is_used_ = false;
    for (std::size_t i = 0; i < software_->runnables.size(); ++i) follow(i);
  }

 private:
  enum class State : std::uint8_t { unseen, open, done };

  struct Open {
    std::size_t runnable = 0;
    std::vector<Call> calls;
    std::size_t next = 0;
  };

  void collect(const Activity& activity, std::size_t around, std::vector<Call>& calls) const {
    for (const Step& step : activity) {
      const auto callee = step.kind == StepKind::call ? software_->runnable_of.find(step.target)
                                                      : software_->runnable_of.end();
      if (callee != software_->runnable_of.end()) calls.push_back({step.element, callee->second, around});
      for (const Activity& way : step.ways) collect(way, around + 1, calls);
    }
  }

  [[nodiscard]] bool any_of(const std::vector<Call>& calls, bool Runnable::*fact) const {
    return std::any_of(calls.begin(), calls.end(),
                       [this, fact](const Call& call) { return software_->runnables[call.callee].*fact; });
  }

  void follow(std::size_t root) {
    enter(root);
    while (!open_.empty()) {
      Open& last = open_.back();
      if (last.next < last.calls.size()) {
        enter(last.calls[last.next++].callee);
      } else {
        leave(last);
        open_.pop_back();
      }
    }
  }

  void enter(std::size_t runnable) {
    if (states_[runnable] != State::unseen) return;
    states_[runnable] = State::open;
    open_.push_back({.runnable = runnable, .calls = {}});
    collect(software_->runnables[runnable].activity, 0, open_.back().calls);
  }

  void leave(const Open& one) {
    Runnable& runnable = software_->runnables[one.runnable];
    runnable.is_cut = any_of(one.calls, &Runnable::is_cut);
    std::set<const Element*> endless;
    for (const Call& call : one.calls) {
      const std::size_t levels = call.around + 1 + levels_[call.callee];
      if (states_[call.callee] == State::open) {
        refuse(call, ProblemId::incomplete_model, fmt::format("runnable {} calls itself", name_of(call)),
               "remove the call: how often it repeats is not known");
      } else if (levels > limits::calls) {
        if (!runnable.is_cut)
          refuse(call, ProblemId::too_large,
                 fmt::format("runnable {} calls {}, and so on: calls, with choices and loops around them, go "
                             "deeper than {}",
                             in_backticks(runnable.name), name_of(call), limits::calls),
                 "let tasks, or runnables nearer to them, make these calls");
      } else {
        levels_[one.runnable] = std::max(levels_[one.runnable], levels);
        continue;
      }
      runnable.is_cut = true;
      endless.insert(call.element);
    }
    if (!endless.empty()) cut(runnable.activity, endless);
    note_facts(runnable);
    software_->callees_first.push_back(one.runnable);
    states_[one.runnable] = State::done;
  }

  void note_facts(Runnable& runnable) const {
    for_each_step(runnable.activity, [&](const Step& step) {
      runnable.has_ticks = runnable.has_ticks || software_->has_ticks(step);
      runnable.acts = runnable.acts || software_->acts(step);
      const Runnable* called = software_->called_in(step);
      if (called != nullptr && called->has_uninterruptible) runnable.has_uninterruptible = true;
    });
  }

  [[nodiscard]] std::string name_of(const Call& call) const {
    return in_backticks(software_->runnables[call.callee].name);
  }

  void refuse(const Call& call, ProblemId id, const std::string& message, const std::string& hint) const {
    if (is_used_) notes_->refuse(*call.element, id, message, hint);
  }

  Software* software_;
  Notes* notes_;
  std::vector<State> states_;
  std::vector<std::size_t> levels_;  // of calls below each runnable
  std::vector<Open> open_;           // each called by the one before it
  bool is_used_ = true;              // by tasks
};

}  // namespace

void follow_calls(Software& software, Notes& notes) { Following{software, notes}.follow(); }

}  // namespace tactus::import
