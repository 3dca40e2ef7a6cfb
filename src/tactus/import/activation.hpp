// When each task's jobs arrive, also of tasks that others trigger.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tactus/import/model.hpp"

namespace tactus::import {

/// One source of jobs of a task. Of a triggered one the arrivals are those of the task that triggers it.
struct Source {
  Arrivals arrivals;
  const Element* stimulus = nullptr;
  const Process* trigger = nullptr;  // the task that triggers it, if one does
  std::size_t of_trigger = 0;        // which source of that one
};

class Activations {
 public:
  Activations(const Model& model, const Options& options, Notes& notes)
      : model_{&model}, options_{&options}, notes_{&notes} {}

  /// Every source of a task's jobs with a known period, or that comes once. What is not known is a problem.
  const std::vector<Source>& sources_of(const Process& task);

  /// The upper limit that requirements set for a task; nothing where none does.
  [[nodiscard]] std::optional<Duration> requirement_of(const Process& task) const;

 private:
  std::vector<Source> find_sources(const Process& task);
  void add_triggered(const Process& task, const Element& stimulus, const Arrivals& own,
                     std::vector<Source>& sources);
  void ask_for_rate(const Process& task, const Element& stimulus);

  const Model* model_;
  const Options* options_;
  Notes* notes_;
  std::vector<const Process*> inside_;
  std::map<const Process*, std::vector<Source>> known_;
};

}  // namespace tactus::import
