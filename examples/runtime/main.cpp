// Three tasks on the host device: a lidar filter and a detector with deadlines, and a best-effort
// mapper. Every kernel is C++ that is called once for each block.
//
//   tactus_example_runtime [SYSTEM FILE [SECONDS]]
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <tactus/runtime.hpp>
#include <vector>

#include "print_report.hpp"

namespace {

/// An array of numbers; each block works on its own part.
class Signal {
 public:
  Signal(std::int64_t parts, std::size_t length)
      : length_{length}, values_(static_cast<std::size_t>(parts) * length) {}

  /// A low-pass filter.
  void smooth(std::int64_t part) {
    const std::size_t first = static_cast<std::size_t>(part) * length_;
    for (std::size_t i = first + 1; i < first + length_; ++i) {
      values_[i] = 0.5F * (values_[i] + values_[i - 1]) + 0.001F;
    }
  }
  [[nodiscard]] float largest() const {
    float largest = 0.0F;
    for (const float value : values_) largest = std::fmax(largest, value);
    return largest;
  }

 private:
  std::size_t length_;
  std::vector<float> values_;
};

int run(const char* file, std::chrono::seconds length) {
  Signal scan{8, 4096};
  Signal image{16, 8192};
  std::atomic<std::uint64_t> mapped{0};

  tactus::Runtime runtime{tactus::host_device(), tactus::load(file)};
  runtime.bind_blocks("lidar", [&](tactus::Job& job) { scan.smooth(job.first_block()); });
  runtime.bind_blocks("detector", [&](tactus::Job& job) { image.smooth(job.first_block()); });
  runtime.bind_blocks("mapper", [&](tactus::Job&) { ++mapped; });
  runtime.on_miss([](const tactus::runtime::Incident& miss) {
    std::fprintf(stderr, "job %llu of task %u is late\n", static_cast<unsigned long long>(miss.job.number),
                 miss.job.task);
  });
  const tactus::RunReport report = runtime.run_for(length);
  const int status = example::print_report(report);
  std::printf("largest values %.3f and %.3f, %llu blocks mapped\n", static_cast<double>(scan.largest()),
              static_cast<double>(image.largest()), static_cast<unsigned long long>(mapped.load()));
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "examples/runtime/robot.yaml",
               std::chrono::seconds{argc > 2 ? std::atoi(argv[2]) : 5});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
