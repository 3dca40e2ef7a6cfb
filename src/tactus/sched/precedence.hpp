// The precedence constraints between the segments of a job.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/model/task.hpp"

namespace tactus::sched {

class Precedence {
 public:
  explicit Precedence(const Work& work);

  /// By segment: the number of its predecessors.
  [[nodiscard]] std::span<const std::uint32_t> predecessors() const { return predecessors_; }
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t segment) const {
    return std::span{successors_}.subspan(first_[segment], first_[segment + 1] - first_[segment]);
  }

 private:
  std::vector<std::uint32_t> predecessors_;
  std::vector<std::uint32_t> successors_;  // of all segments, in segment order
  std::vector<std::uint32_t> first_;       // by segment: index of its first successor; one more for the end
};

}  // namespace tactus::sched
