// Work that a task causes and waits for: it triggers another task, which sets the event for which the first
// waits, or triggers one that does.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tactus/import/model.hpp"

namespace tactus::import {

/// A task whose work a trigger causes.
struct Caused {
  const Process* task = nullptr;
  const Process* by = nullptr;  // what triggers it, if not the task that waits
  std::size_t until = 0;        // the step that waits for all of it; behind the last: none does for certain
};

class Offloads {
 public:
  Offloads(const Model& model, Notes& notes);

  /// What a job of the task does, one step after the other.
  [[nodiscard]] const Activity& steps_of(const Process& task) const { return model_->steps.at(&task); }

  /// The tasks whose work the trigger in this step causes and a later step waits for, in their order; empty:
  /// nothing waits for it.
  [[nodiscard]] const std::vector<Caused>& caused_by(const Process& task, std::size_t step) const;

  /// Whether a trigger before this step causes what it waits for.
  [[nodiscard]] bool is_caused(const Process& task, std::size_t wait) const {
    return caused_waits_.contains({&task, wait});
  }

  /// Whether all jobs of the task are waited for, so that they are parts of those of others.
  [[nodiscard]] bool is_offloaded(const Process& task) const { return offloaded_.contains(&task); }

  /// The tasks that wait for jobs of this one, and how many each of them may have caused at a time.
  [[nodiscard]] const std::map<const Process*, std::int64_t>& users_of(const Process& task) const;

  /// Whether parts of a job may take less than they do by themselves, down to nothing: what is caused goes on
  /// behind the event that is waited for, or does not happen in every job.
  [[nodiscard]] bool may_take_less(const Process& task) const { return loose_.contains(&task); }

 private:
  using Steps = std::pair<const Process*, std::size_t>;
  using Jobs = std::map<const Process*, std::int64_t>;  // by the task that waits for them
  using Events = std::set<const Element*>;
  struct Search;
  struct Place;

  void find_work(const Process& task);
  void find_work(const Place& place);
  std::size_t follow(const Element* stimulus, const Process* by, Search& search, bool is_sure);
  void note_work(const Place& place, const Search& search, bool is_awaited);
  [[nodiscard]] bool is_every(const Step& trigger) const;
  [[nodiscard]] bool goes_on(const Process& task) const;
  [[nodiscard]] bool is_covered(const Process& by, const Process& task, const Element* stimulus) const;
  void find_offloaded();
  void look_for_early_events();
  [[nodiscard]] bool is_own(const Process& work, const Process& task) const;
  [[nodiscard]] bool causes(const Process& task, std::size_t step, const Element* event) const;
  bool is_cleared(const Process& task, std::size_t wait, const Element* event);
  void count(std::size_t steps);

  const Model* model_;
  Notes* notes_;
  std::map<const Element*, std::vector<const Process*>> activated_by_;  // by stimulus
  std::map<const Element*, std::vector<const Process*>> set_by_;        // by event
  std::map<Steps, std::vector<Caused>> work_;
  std::set<Steps> caused_waits_;
  std::map<const Process*, Jobs> users_;
  std::map<std::pair<const Process*, const Process*>, Jobs>
      inner_;  // work that the first triggers for others
  std::set<const Process*> loose_;
  std::set<const Process*> offloaded_;
  std::size_t looked_at_ = 0;  // so that tasks that trigger each other in many ways end
};

}  // namespace tactus::import
