// When each task's jobs arrive, also of tasks that others trigger.
#pragma once

#include <string>
#include <vector>

#include "tactus/import/model.hpp"

namespace tactus::import {

/// One source of jobs of a task.
struct Source {
  Arrivals arrivals;
  const Element* stimulus = nullptr;
  const Process* trigger = nullptr;  // the task that triggers it, if one does
};

class Activations {
 public:
  Activations(const Model& model, const Options& options, Notes& notes)
      : model_{&model}, options_{&options}, notes_{&notes} {}

  /// Every source of a task's jobs with a known period, or that comes once. Others are noted.
  std::vector<Source> sources_of(const Process& task);

  /// The upper limit that requirements set for a task; else its period.
  [[nodiscard]] std::optional<Duration> deadline_of(const Process& task, const Arrivals& arrivals) const;

 private:
  void add_triggered(const Process& task, const Element& stimulus, const Arrivals& own,
                     std::vector<Source>& sources);
  void note_unknown(const Process& task, const Element& stimulus);

  const Model* model_;
  const Options* options_;
  Notes* notes_;
  std::vector<const Process*> inside_;
};

}  // namespace tactus::import
