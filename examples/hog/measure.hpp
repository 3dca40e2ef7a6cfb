// Measures every node of a graph on this machine, and makes the system of it.
#pragma once

#include <tactus/system.hpp>

#include "camera.hpp"
#include "settings.hpp"

namespace hog {

/// `samples` frames are processed alone, for the best cases, and as many while other cameras keep CPUs and
/// accelerator busy with theirs. The worst case is that of all samples with the margin.
tactus::System measure_system(Accelerator& accelerator, const Vision& vision, const Settings& settings);

}  // namespace hog
