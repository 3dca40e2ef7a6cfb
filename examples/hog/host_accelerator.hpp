// Threads of this machine in place of a GPU: every kernel is C++ that is called once for each block.
#pragma once

#include <memory>

#include "accelerator.hpp"

namespace hog {

std::unique_ptr<Accelerator> make_host_accelerator();

}  // namespace hog
