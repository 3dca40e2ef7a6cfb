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

class Offloads {
 public:
  explicit Offloads(const Model& model);

  /// What a job of the task does, one step after the other.
  [[nodiscard]] const Activity& steps_of(const Process& task) const { return model_->steps.at(&task); }

  /// The tasks whose work the trigger in this step causes and a later step waits for, in their order; empty:
  /// nothing waits for it.
  [[nodiscard]] const std::vector<const Process*>& caused_by(const Process& task, std::size_t step) const;

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
  using Path = std::vector<const Process*>;
  using Steps = std::pair<const Process*, std::size_t>;

  void find_paths(const Process& task);
  void note_path(const Process& task, std::size_t step, Path path);
  [[nodiscard]] bool goes_on(const Path& path) const;
  bool find_path(const Element* stimulus, const Step& wait, Path& path, std::set<const Process*>& seen);
  [[nodiscard]] bool is_covered(const Process& by, const Process& task) const;
  void find_offloaded();

  const Model* model_;
  std::map<const Element*, std::vector<const Process*>> activated_by_;  // by stimulus
  std::map<Steps, Path> paths_;
  std::set<Steps> caused_waits_;
  std::map<const Process*, std::map<const Process*, std::int64_t>> users_;
  std::set<const Process*> loose_;
  std::set<std::pair<const Process*, const Process*>> direct_;  // the first waits for what it triggers
  std::set<std::pair<const Process*, const Process*>> inner_;   // one behind the other in a path
  std::set<const Process*> offloaded_;
  std::size_t looked_at_ = 0;  // so that tasks that trigger each other in many ways end
};

}  // namespace tactus::import
