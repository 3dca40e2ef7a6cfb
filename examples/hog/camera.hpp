// A camera: where its frames come from, the buffers of those on their way, and what was found in them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "accelerator.hpp"
#include "classifier.hpp"
#include "collect.hpp"
#include "scene.hpp"

namespace hog {

/// What all cameras have in common.
struct Vision {
  Pyramid pyramid;
  Classifier classifier;
  std::shared_ptr<void> weights;  // of the classifier, in the memory of the accelerator
  std::vector<Image> images;      // frames in turn, instead of drawn ones
};
Vision make_vision(Accelerator& accelerator, int width, int height, int levels);

/// Jobs of a task overlap, so each has buffers of its own: frame n those of n modulo the depth.
class FrameRing {
 public:
  FrameRing(Accelerator& accelerator, const Vision& vision, int depth);

  /// Claims the buffers of a frame; std::runtime_error when an earlier frame still has them.
  const FrameBuffers& begin(std::uint64_t frame);
  [[nodiscard]] const FrameBuffers& of(std::uint64_t frame) const { return slots_[place(frame)].buffers; }
  void end(std::uint64_t frame) { slots_[place(frame)].busy.store(false); }

 private:
  struct Slot {
    std::shared_ptr<void> data;
    std::shared_ptr<void> frame;
    std::shared_ptr<void> scores;
    FrameBuffers buffers;
    std::atomic<bool> busy{false};
  };
  [[nodiscard]] std::size_t place(std::uint64_t frame) const { return frame % slots_.size(); }

  std::vector<Slot> slots_;
};

/// Of all frames of a camera.
struct Found {
  std::uint64_t frames = 0;
  std::uint64_t drawn = 0;
  std::uint64_t found = 0;
  std::uint64_t elsewhere = 0;
  std::uint64_t detections = 0;
};

class Camera {
 public:
  Camera(Accelerator& accelerator, const Vision& vision, int number, int depth);

  /// Steps of a frame, one after the other: those on the CPU here, others on the accelerator.
  void perform(std::span<const Step> steps, std::uint64_t frame);
  [[nodiscard]] const FrameBuffers& buffers(std::uint64_t frame) const { return ring_.of(frame); }
  [[nodiscard]] Found found() const;

 private:
  void draw(std::uint64_t frame);
  void suppress(std::uint64_t frame);

  Accelerator& accelerator_;
  const Vision& vision_;
  Scene scene_;
  FrameRing ring_;
  mutable std::mutex mutex_;
  Found found_;  // guarded by the mutex
};

}  // namespace hog
