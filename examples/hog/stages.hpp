// The stages on the CPU, in the pieces in which a GPU runs them: one call for each block of a kernel.
#pragma once

#include <cstddef>
#include <vector>

#include "geometry.hpp"
#include "stage_math.hpp"

namespace hog {

void run_block(Stage stage, const Level& level, const FrameData& data, int block);

/// All blocks, one after the other.
void run_stage(Stage stage, const Level& level, const FrameData& data);

/// The bytes that the data of a frame needs, and its arrays within such memory.
std::size_t frame_bytes(const Pyramid& pyramid);
FrameData lay_out(const Pyramid& pyramid, void* memory, const std::int16_t* weights);

/// The data of one frame on the CPU.
class FrameMemory {
 public:
  explicit FrameMemory(const Pyramid& pyramid, const std::int16_t* weights = nullptr)
      : memory_(frame_bytes(pyramid)), data_{lay_out(pyramid, memory_.data(), weights)} {}

  [[nodiscard]] const FrameData& data() const { return data_; }

 private:
  std::vector<std::byte> memory_;
  FrameData data_;
};

}  // namespace hog
