// One-off changes to a system file: --strategy, --order and --set.
#pragma once

#include <string>
#include <vector>

#include "tactus/cli/verb.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::cli {

struct OverrideOptions {
  std::string strategy;
  std::string order;
  std::vector<std::string> set;

  /// Strategy, order, then the other changes in the order given. InputError for a `--set` without key or
  /// value.
  [[nodiscard]] std::vector<Override> changes() const;
};

/// Adds --set only.
void add_set_option(Verb verb, OverrideOptions& options);
/// Adds all three.
void add_override_options(Verb verb, OverrideOptions& options);

}  // namespace tactus::cli
