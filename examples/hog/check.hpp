// Whether the stages compute what they should: against the plain reference, and on the accelerator against
// the CPU.
#pragma once

#include <string>

#include "camera.hpp"

namespace hog {

struct CheckResult {
  std::string text;
  bool holds = true;
};

CheckResult check_stages(Accelerator& accelerator, const Vision& vision);

}  // namespace hog
