// The adversary: searches for a schedule that breaks a bound which an analysis claims.
//
//   const auto summary = tactus::falsify::falsify(analysis, *tactus::falsify::family_of("np-edf"), {});
//   if (summary.broken) std::cout << tactus::falsify::replay_file(analysis, *summary.broken);
//
// The analysis may be your own (<tactus/check.hpp>); its `Family` says what systems it is about.
#pragma once

#include "tactus/falsify/falsify.hpp"
