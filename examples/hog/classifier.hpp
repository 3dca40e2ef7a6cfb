// The weights of the linear classifier. They are learnt at the start from figures and backgrounds that the
// generator draws, always the same ones.
#pragma once

#include <cstdint>
#include <vector>

namespace hog {

struct Classifier {
  /// For each of 15 rows of blocks, 36 values for each of 7 blocks: value by value, block by block.
  std::vector<std::int16_t> weights;
  std::int32_t threshold = 0;
};

/// A linear support vector machine. No window's score leaves 32 bits.
Classifier train_classifier();

}  // namespace hog
