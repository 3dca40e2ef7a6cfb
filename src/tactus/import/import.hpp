// A model in, a system out, with all that was noticed on the way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/import/census.hpp"
#include "tactus/import/convert.hpp"

namespace tactus::import {

/// What a runnable takes on one kind of processing unit, ticks alone.
struct RunnableTime {
  std::string runnable;
  std::string definition;
  std::string unit;  // one of that definition
  Span time;
};

struct Imported {
  std::string name;     // of the system
  std::string source;   // the path that was read
  std::string version;  // of the metamodel
  Census census;
  std::vector<Finding> findings;
  std::vector<RunnableTime> times;
  /// Nothing where the model lacks what times need; `problems` says what.
  std::optional<Converted> converted;
  std::vector<Problem> problems;
};

/// Reads and converts the model at this path. InputError when it cannot be read at all.
Imported import_model(const std::string& path, const Options& options);

/// The same of texts that were read already.
Imported import_model(std::vector<SourceText> sources, const std::string& path, const Options& options);

/// A system file, with comments that say where it comes from and what was assumed.
std::string to_commented_file(const Imported& imported);

}  // namespace tactus::import
