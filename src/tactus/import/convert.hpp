// From a model to a system that the other verbs understand.
#pragma once

#include <string>
#include <vector>

#include "tactus/import/parts.hpp"
#include "tactus/model/system.hpp"

namespace tactus::import {

/// How much of a processing unit its tasks need; fractions of its time.
struct Load {
  std::string unit;
  std::string definition;
  UnitKind kind = UnitKind::cpu;
  Rational hertz;
  std::vector<std::string> tasks;
  Rational average;
  Rational worst;
  Rational worst_with_waiting;  // with the time that tasks wait busily
};

/// Where a task of the system comes from.
struct Origin {
  std::string text;  // one line: task, stimulus, unit
  std::vector<Part> parts;
  bool is_busy = false;
};

struct Converted {
  System system;
  std::vector<Origin> origins;     // by task of the system
  std::vector<std::string> cores;  // names of the model, by core of the system
  std::vector<Load> loads;
};

/// What has no answer is a problem in `notes`; the system is then not to be used.
Converted convert(const Model& model, const Options& options, Notes& notes);

/// The times that the system gets of a span.
Interval interval_of(const Span& span, Times times);

}  // namespace tactus::import
