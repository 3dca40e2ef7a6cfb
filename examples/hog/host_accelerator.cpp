#include "host_accelerator.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>
#include <utility>

#include "stages.hpp"

namespace hog {

tactus::MemoryCopy copy_of(Action action, const FrameBuffers& buffers) {
  if (action == Action::upload) return {buffers.data.frame, buffers.drawn.data(), buffers.drawn.size_bytes()};
  return {buffers.scores_on_host.data(), buffers.data.scores, buffers.scores_on_host.size_bytes()};
}

namespace {

using Clock = std::chrono::steady_clock;

tactus::Duration since(Clock::time_point begin) {
  return std::chrono::duration_cast<tactus::Duration>(Clock::now() - begin);
}

void perform_copy(Action action, const FrameBuffers& buffers) {
  const tactus::MemoryCopy copy = copy_of(action, buffers);
  std::memcpy(copy.to, copy.from, copy.bytes);
}

class HostAccelerator final : public Accelerator {
 public:
  [[nodiscard]] std::string_view name() const override { return "host"; }

  [[nodiscard]] tactus::Platform platform(int cpus) const override {
    tactus::Platform platform;
    platform.clusters = {cpus};
    platform.gpu.sms = static_cast<std::int32_t>(std::max(1U, std::thread::hardware_concurrency()));
    platform.gpu.threads_per_sm = block_threads;  // a block of C++ has its SM to itself
    platform.gpu.blocks_per_sm = 1;
    return platform;
  }
  [[nodiscard]] std::unique_ptr<tactus::device::Device> make_device() override {
    return tactus::host_device();
  }
  [[nodiscard]] BlockNeeds needs_of(Stage /*stage*/) const override { return {}; }

  [[nodiscard]] std::shared_ptr<void> allocate(std::size_t bytes, Place /*place*/) override {
    auto memory = std::make_shared<std::vector<std::max_align_t>>(bytes / sizeof(std::max_align_t) + 1);
    void* const first = memory->data();
    return {std::move(memory), first};
  }
  void fill(void* memory, std::span<const std::int16_t> values) override {
    std::memcpy(memory, values.data(), values.size_bytes());
  }
  void read(const void* memory, std::span<std::byte> bytes) override {
    std::memcpy(bytes.data(), memory, bytes.size());
  }

  void perform(std::span<const Step> steps, const Pyramid& pyramid, const FrameBuffers& buffers) override {
    for (const Step& step : steps) {
      if (step.action == Action::kernel) {
        run_stage(step.stage, level_of(step, pyramid), buffers.data);
      } else {
        perform_copy(step.action, buffers);
      }
    }
  }
  std::vector<tactus::Duration> time(const Step& step, const Pyramid& pyramid,
                                     const FrameBuffers& buffers) override {
    std::vector<tactus::Duration> times;
    if (step.action != Action::kernel) {
      const Clock::time_point begin = Clock::now();
      perform_copy(step.action, buffers);
      return {since(begin)};
    }
    const Level& level = level_of(step, pyramid);
    const Grid grid = grid_of(step.stage, level);
    for (int block = 0; block < grid.blocks(); ++block) {
      const Clock::time_point begin = Clock::now();
      run_block(step.stage, level, buffers.data, block);
      times.push_back(since(begin));
    }
    return times;
  }
  void bind_kernel(tactus::Runtime& runtime, const std::string& task, const std::string& node, Stage stage,
                   const Level& level, DataOfJob data_of) override {
    runtime.bind_blocks(task, node, [stage, level, data_of = std::move(data_of)](tactus::Job& job) {
      run_block(stage, level, data_of(job), static_cast<int>(job.first_block()));
    });
  }

 private:
  static const Level& level_of(const Step& step, const Pyramid& pyramid) {
    return pyramid.levels[static_cast<std::size_t>(step.level)];
  }
};

}  // namespace

std::unique_ptr<Accelerator> make_host_accelerator() { return std::make_unique<HostAccelerator>(); }

}  // namespace hog
