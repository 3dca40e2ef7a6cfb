// The program on any accelerator: measure, run, check.
#pragma once

#include <memory>

#include "accelerator.hpp"

namespace hog {

/// The accelerator is made once the arguments are known to be right.
int run_program(int argc, char** argv, std::unique_ptr<Accelerator> (*make_accelerator)());

}  // namespace hog
