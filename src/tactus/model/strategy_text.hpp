// Strategies in sentences: which of them something is true of.
#pragma once

#include <string>

#include "tactus/model/strategy.hpp"

namespace tactus {

/// Those for which `holds`, but for planned ones, in the order of `known_strategies`: "`a`, `b` or `c`".
std::string strategies_text(bool (*holds)(const StrategyFacts& strategy));

/// Whether tasks have SMs that nobody else uses.
inline bool has_own_sms(const StrategyFacts& strategy) { return strategy.sms == SmSharing::owned; }

}  // namespace tactus
