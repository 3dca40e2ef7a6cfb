// Schedules of `single-stream`, `multi-stream` and `sm-cores`, worked out by hand from the rules.
#pragma once

#include <vector>

#include "support/worked_examples.hpp"

namespace tactus::test {

std::vector<WorkedExample> single_stream_examples();
std::vector<WorkedExample> multi_stream_examples();
std::vector<WorkedExample> sm_cores_examples();

}  // namespace tactus::test
