// What runs the kernels and copies of a frame: a GPU, or threads of this machine in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tactus/runtime.hpp>
#include <vector>

#include "graph.hpp"
#include "stage_math.hpp"

namespace hog {

/// The memory of a frame on its way.
struct FrameBuffers {
  FrameData data;                          // where the stages find it
  std::span<std::uint8_t> drawn;           // on the host
  std::span<std::int32_t> scores_on_host;  // likewise
};

/// The buffers of a copy.
tactus::MemoryCopy copy_of(Action action, const FrameBuffers& buffers);

using DataOfJob = std::function<const FrameData&(const tactus::Job&)>;

/// Registers and bytes of shared memory that a block occupies.
struct BlockNeeds {
  std::int64_t registers = 0;
  std::int64_t shared_memory = 0;
};

class Accelerator {
 public:
  Accelerator() = default;
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;
  virtual ~Accelerator() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// This machine with so many CPU cores, without overheads.
  [[nodiscard]] virtual tactus::Platform platform(int cpus) const = 0;
  [[nodiscard]] virtual std::unique_ptr<tactus::device::Device> make_device() = 0;
  [[nodiscard]] virtual BlockNeeds needs_of(Stage stage) const = 0;

  /// Memory of the accelerator, or of the host where the accelerator can copy it. All bytes are zero.
  enum class Place { device, host };
  [[nodiscard]] virtual std::shared_ptr<void> allocate(std::size_t bytes, Place place) = 0;
  /// Copies to memory of the accelerator, before a run.
  virtual void fill(void* memory, std::span<const std::int16_t> values) = 0;
  /// Any memory of the accelerator, for comparisons.
  virtual void read(const void* memory, std::span<std::byte> bytes) = 0;

  /// Copies and kernels in order, for one CPU node that waits for all of them. Any thread may call it.
  virtual void perform(std::span<const Step> steps, const Pyramid& pyramid, const FrameBuffers& buffers) = 0;
  /// Performs one step. Returns its time; of a kernel, the time of each block.
  virtual std::vector<tactus::Duration> time(const Step& step, const Pyramid& pyramid,
                                             const FrameBuffers& buffers) = 0;
  /// Makes a kernel of the program the work of a node.
  virtual void bind_kernel(tactus::Runtime& runtime, const std::string& task, const std::string& node,
                           Stage stage, const Level& level, DataOfJob data_of) = 0;
};

}  // namespace hog
