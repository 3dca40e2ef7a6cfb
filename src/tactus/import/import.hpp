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

/// "4 labels", or "4 labels, 1 mode label": both may be mapped to a memory.
std::string labels_text(const Census& census);

/// "cpu 2ms, copy 100us, gpu 7 x 6ms": worst cases, of kernels of several blocks that of each block.
std::string work_text(const std::vector<Part>& parts);

}  // namespace tactus::import
