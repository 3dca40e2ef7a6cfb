// The measured times of one kernel, and the segments that follow from them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/measure/margin_rule.hpp"
#include "tactus/measure/work_fit.hpp"
#include "tactus/model/segment.hpp"

namespace tactus::measure {

struct KernelQuestion {
  std::vector<std::string> kernels;
  std::vector<int> sms;               // empty: the default ones
  std::vector<unsigned> virtual_sms;  // blocks on each SM
  std::optional<std::string> co_runner;
  unsigned blocks = 0;                  // with the largest number of threads; 0: eight for each SM
  unsigned threads = 1024;              // of a block, at most
  std::optional<std::uint64_t> amount;  // work of a block; nothing: chosen to take `block_time`
  Duration block_time = std::chrono::microseconds{10};
  int samples = 200;
};

struct KernelPoint {
  int sms = 1;
  SampleSummary times;
};

/// The time of the whole work by number of SMs.
struct KernelSeries {
  unsigned virtual_sms = 0;  // blocks on each SM, in a pinned loop; 0: a plain grid, as many as fit
  unsigned threads = 1;      // of a block
  unsigned blocks = 1;       // of the work; more of them if they have fewer threads
  std::string co_runner;     // what runs on the other SMs; empty: nothing
  std::vector<KernelPoint> points;
};

struct KernelMeasurement {
  std::string kernel;
  std::uint64_t amount = 0;  // work of a block: iterations, or nanoseconds of a spin
  std::vector<KernelSeries> series;
};

/// RTGPU's interleave ratio (section 6.2, Table 2): the work is cut into V pieces. alpha is the time of all
/// pieces at once on m SMs, V blocks on each, divided by the time of one piece alone on m SMs, one block on
/// each, which is a V-th of the time of the whole work. So interleaving gains a factor of V / alpha.
struct InterleaveRatio {
  int sms = 1;
  double median = 1;  // of the medians
  double max = 1;     // of the maxima
};

/// For every number of SMs that occurs in both series.
std::vector<InterleaveRatio> interleave_ratios(const KernelSeries& alone, const KernelSeries& interleaved);

/// The series with one block per SM, the same number of threads and no co-runner; null if there is none.
const KernelSeries* find_alone(const KernelMeasurement& measurement, const KernelSeries& interleaved);

/// A segment entry for systems with this many virtual SMs per SM.
struct KernelEntry {
  unsigned virtual_sms = 0;  // as in KernelSeries
  unsigned threads = 1;
  std::uint64_t samples = 0;
  Duration longest{};  // the longest time measured
  double excess = 0;   // largest relative excess of the entry over a time with its margin
  GpuSegment segment;
};

/// One for each number of virtual SMs, covering series with and without co-runner: the entry covers every
/// time with its margin. Whole SMs count as one virtual SM each.
std::vector<KernelEntry> kernel_entries(const KernelMeasurement& measurement, const MarginRule& rule);

}  // namespace tactus::measure
