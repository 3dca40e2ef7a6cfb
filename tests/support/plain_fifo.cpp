#include "support/plain_fifo.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <variant>

#include "tactus/model/dispatch.hpp"

namespace tactus::test {

namespace {

constexpr std::size_t resources = 4;  // slots, registers, shared memory, threads
using Amounts = std::array<double, resources>;

struct Kernel {
  double blocks = 0;
  double length = 0;
  double period = std::numeric_limits<double>::infinity();
  double late = 0;
  Amounts needs{};
};

struct Shapes {
  std::vector<Kernel> kernels;
  Amounts of_sm{};
  Amounts most{};
  Amounts step{};
  std::array<bool, resources> kept{};
  double sms = 1;

  [[nodiscard]] double full(std::size_t d, const FifoTerms& terms) const {
    return terms.left_free ? of_sm[d] - most[d] + step[d] : of_sm[d];
  }
  [[nodiscard]] double share(const Kernel& kernel, const FifoTerms& terms) const {
    double largest = 0;
    for (std::size_t d = 0; d < resources; ++d) {
      if (kept[d]) largest = std::max(largest, kernel.needs[d] / full(d, terms));
    }
    return largest;
  }
};

bool is_dropped(const Shapes& shapes, std::size_t d) {
  for (std::size_t e = 0; e < resources; ++e) {
    if (e == d || !shapes.kept[e]) continue;
    bool covers = true;
    double ratio = 0;
    for (const Kernel& kernel : shapes.kernels) {
      if (kernel.needs[d] == 0) continue;
      covers = covers && kernel.needs[e] > 0;
      if (covers) ratio = std::max(ratio, kernel.needs[d] / kernel.needs[e]);
    }
    const double rest = shapes.of_sm[d] - shapes.most[d];
    if (covers && rest >= (shapes.of_sm[e] - shapes.most[e]) * ratio - 1e-9) return true;
  }
  return false;
}

Shapes shapes_of(std::span<const PlainKernel> kernels, const Gpu& gpu, const FifoTerms& terms) {
  const std::array<std::int64_t, resources> of_sm{gpu.blocks_per_sm, gpu.registers_per_sm,
                                                  gpu.shared_memory_per_sm, gpu.threads_per_sm};
  std::array<std::int64_t, resources> divisor = of_sm;
  Shapes shapes;
  shapes.sms = gpu.sms;
  for (const PlainKernel& given : kernels) {
    const KernelSegment& segment = *given.kernel;
    const BlockDemand demand = block_demand(segment, gpu);
    Kernel& kernel = shapes.kernels.emplace_back();
    kernel.blocks = static_cast<double>(segment.blocks());
    kernel.length = static_cast<double>(in_ns(segment.block_time.worst));
    kernel.period = given.period;
    kernel.late = given.late;
    const std::array<std::int64_t, resources> needs{1, demand.registers, demand.shared_memory,
                                                    demand.threads};
    for (std::size_t d = 0; d < resources; ++d) {
      kernel.needs[d] = static_cast<double>(needs[d]);
      divisor[d] = std::gcd(divisor[d], needs[d]);
      shapes.most[d] = std::max(shapes.most[d], kernel.needs[d]);
    }
  }
  for (std::size_t d = 0; d < resources; ++d) {
    shapes.of_sm[d] = static_cast<double>(of_sm[d]);
    shapes.step[d] = static_cast<double>(divisor[d]);
    shapes.kept[d] = shapes.most[d] > 0 && (terms.all_resources || d == resources - 1);
  }
  for (std::size_t d = 0; d < resources; ++d) shapes.kept[d] = shapes.kept[d] && !is_dropped(shapes, d);
  return shapes;
}

/// The largest sum of shares of blocks on so many SMs, one of which has room for the largest block.
double shares_of_begun(const Shapes& shapes, const FifoTerms& terms) {
  const double full_sms = terms.other_sms ? shapes.sms - 1 : 0;
  const auto taken = [&](std::size_t d) {
    return full_sms * shapes.of_sm[d] + shapes.of_sm[d] - shapes.most[d];
  };
  double least = 0;
  for (std::size_t d = 0; d < resources; ++d) {
    if (shapes.kept[d]) least += taken(d) / shapes.full(d, terms);
  }
  for (std::size_t d = 0; d < resources; ++d) {
    double most = 0;
    bool all_need_it = true;
    for (const Kernel& kernel : shapes.kernels) {
      all_need_it = all_need_it && kernel.needs[d] > 0;
      if (all_need_it) most = std::max(most, taken(d) * shapes.share(kernel, terms) / kernel.needs[d]);
    }
    if (all_need_it) least = std::min(least, most);
  }
  return least;
}

}  // namespace

std::vector<double> plain_kernel_responses(std::span<const PlainKernel> kernels, const Gpu& gpu,
                                           const FifoTerms& terms) {
  const Shapes shapes = shapes_of(kernels, gpu, terms);
  double rate = 0;
  double work = 0;
  double longest = 0;
  for (const Kernel& kernel : shapes.kernels) {
    const double of_one = kernel.blocks * kernel.length * shapes.share(kernel, terms);
    rate += of_one / kernel.period;
    work += of_one * ((terms.first_of_each ? 1 : 0) + (terms.late ? kernel.late / kernel.period : 0));
    longest = std::max(longest, kernel.length);
  }
  if (rate > shapes.sms + 1e-9) return {};
  if (terms.begun) work += longest * shares_of_begun(shapes, terms);
  std::vector<double> responses;
  for (const Kernel& kernel : shapes.kernels) {
    const double spared = terms.other_blocks_too ? 1 : kernel.blocks;
    const double waiting =
        std::max(0.0, work - spared * kernel.length * shapes.share(kernel, terms)) / shapes.sms;
    responses.push_back(waiting + kernel.length);
  }
  return responses;
}

std::vector<double> plain_fifo_bounds(const System& system, const FifoTerms& terms) {
  std::vector<PlainKernel> kernels;
  for (const Task& task : system.tasks) {
    const Overheads overheads = dispatch_overheads(system, task);
    PlainKernel& kernel = kernels.emplace_back();
    kernel.kernel = &std::get<KernelSegment>(task.work.nodes.front().segment);
    if (task.period) kernel.period = static_cast<double>(in_ns(*task.period));
    kernel.late = static_cast<double>(in_ns(task.jitter + overheads.release + overheads.launch));
  }
  std::vector<double> bounds = plain_kernel_responses(kernels, system.platform.gpu, terms);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const Duration after = dispatch_overheads(system, system.tasks[i]).completion;
    bounds[i] += kernels[i].late + static_cast<double>(in_ns(after));
  }
  return bounds;
}

}  // namespace tactus::test
