// The ledger of a sweep as a file, from which the next run continues after a kill.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "tactus/sweep/experiment.hpp"
#include "tactus/sweep/ledger.hpp"

namespace tactus::sweep {

/// All runs of one sweep together, from its first start on.
struct History {
  std::chrono::system_clock::time_point begun;
  std::chrono::duration<double> took{};
  std::int64_t runs = 0;
};

struct SweepProgress {
  Ledger ledger;
  History history;
};

std::string to_text(const Experiment& experiment, const SweepProgress& progress);

/// Whether a sweep has written the text, of any experiment and even if it was damaged since.
[[nodiscard]] bool is_progress(std::string_view text);

/// Reads what `to_text` wrote for the same experiment. InputError when it belongs to another experiment (with
/// all that differs) or is damaged; `folder` is the name that the message carries.
SweepProgress read_progress(std::string_view text, const Experiment& experiment, const std::string& folder);

}  // namespace tactus::sweep
