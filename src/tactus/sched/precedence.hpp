// Which segments of a job wait for which.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/model/task.hpp"

namespace tactus::sched {

class Precedence {
 public:
  explicit Precedence(const Work& work);

  /// By segment: how many others must finish before it.
  [[nodiscard]] std::span<const std::uint32_t> predecessors() const { return predecessors_; }
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t segment) const {
    return std::span{successors_}.subspan(first_[segment], first_[segment + 1] - first_[segment]);
  }

 private:
  std::vector<std::uint32_t> predecessors_;
  std::vector<std::uint32_t> successors_;  // of all segments, in their order
  std::vector<std::uint32_t> first_;       // by segment: where its successors begin; one more for the end
};

}  // namespace tactus::sched
