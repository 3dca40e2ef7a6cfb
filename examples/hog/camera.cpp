#include "camera.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "stages.hpp"

namespace hog {

Vision make_vision(Accelerator& accelerator, int width, int height, int levels) {
  Vision vision{make_pyramid(width, height, levels), train_classifier(), {}, {}};
  const std::span<const std::int16_t> weights = vision.classifier.weights;
  vision.weights = accelerator.allocate(weights.size_bytes(), Accelerator::Place::device);
  accelerator.fill(vision.weights.get(), weights);
  return vision;
}

FrameRing::FrameRing(Accelerator& accelerator, const Vision& vision, int depth)
    : slots_(static_cast<std::size_t>(depth)) {
  using Place = Accelerator::Place;
  const Pyramid& pyramid = vision.pyramid;
  const auto pixels = static_cast<std::size_t>(pyramid.width * pyramid.height);
  const auto windows = static_cast<std::size_t>(pyramid.windows);
  for (Slot& slot : slots_) {
    slot.data = accelerator.allocate(frame_bytes(pyramid), Place::device);
    slot.frame = accelerator.allocate(pixels, Place::host);
    slot.scores = accelerator.allocate(windows * sizeof(std::int32_t), Place::host);
    slot.buffers = {lay_out(pyramid, slot.data.get(), static_cast<const std::int16_t*>(vision.weights.get())),
                    {static_cast<std::uint8_t*>(slot.frame.get()), pixels},
                    {static_cast<std::int32_t*>(slot.scores.get()), windows}};
  }
}

const FrameBuffers& FrameRing::begin(std::uint64_t frame) {
  Slot& slot = slots_[place(frame)];
  if (slot.busy.exchange(true)) {
    throw std::runtime_error{"more than " + std::to_string(slots_.size()) +
                             " frames of a camera are on their way: use more --buffers"};
  }
  return slot.buffers;
}

Camera::Camera(Accelerator& accelerator, const Vision& vision, int number, int depth)
    : accelerator_{accelerator},
      vision_{vision},
      scene_{static_cast<std::uint64_t>(number), vision.pyramid.width, vision.pyramid.height,
             static_cast<double>(vision.pyramid.levels.back().scale) / full_scale},
      ring_{accelerator, vision, depth} {}

void Camera::draw(std::uint64_t frame) {
  const std::span<std::uint8_t> pixels = ring_.begin(frame).drawn;
  if (vision_.images.empty()) {
    scene_.draw(frame, {vision_.pyramid.width, vision_.pyramid.height, pixels});
  } else {
    std::ranges::copy(vision_.images[frame % vision_.images.size()].pixels, pixels.begin());
  }
}

void Camera::suppress(std::uint64_t frame) {
  const std::vector<Detection> detections =
      collect(vision_.pyramid, ring_.of(frame).scores_on_host, vision_.classifier.threshold);
  std::vector<Box> drawn;
  if (vision_.images.empty()) {
    for (const Figure& figure : scene_.figures(frame)) drawn.push_back(box_of(figure));
  }
  const Matches matches = match(detections, drawn);
  ring_.end(frame);
  const std::lock_guard lock{mutex_};
  ++found_.frames;
  found_.drawn += static_cast<std::uint64_t>(matches.drawn);
  found_.found += static_cast<std::uint64_t>(matches.found);
  found_.elsewhere += static_cast<std::uint64_t>(matches.elsewhere);
  found_.detections += detections.size();
}

void Camera::perform(std::span<const Step> steps, std::uint64_t frame) {
  while (!steps.empty()) {
    const Step& first = steps.front();
    if (first.action == Action::draw) {
      draw(frame);
    } else if (first.action == Action::suppress) {
      suppress(frame);
    }
    const auto end = std::ranges::find_if(steps, &Step::is_cpu);
    const auto count = first.is_cpu() ? 1 : static_cast<std::size_t>(end - steps.begin());
    if (!first.is_cpu()) accelerator_.perform(steps.first(count), vision_.pyramid, ring_.of(frame));
    steps = steps.subspan(count);
  }
}

Found Camera::found() const {
  const std::lock_guard lock{mutex_};
  return found_;
}

}  // namespace hog
