#include "tactus/analysis/kernel_fifo.hpp"

#include "tactus/base/exact.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

std::vector<const KernelSegment*> kernels_of(std::span<const KernelSource> sources) {
  std::vector<const KernelSegment*> kernels;
  for (const KernelSource& source : sources) kernels.push_back(source.kernel);
  return kernels;
}

}  // namespace

KernelFifo::KernelFifo(std::span<const KernelSource> sources, const Gpu& gpu)
    : sources_{sources}, shares_{kernels_of(sources), gpu}, sms_{gpu.sms} {
  for (const KernelSource& source : sources) {
    all_ = checked_add(all_, demand(source, 0));
    if (!source.period) continue;
    load_.push_back(
        {shares_.time_of(*source.kernel, source.kernel->blocks(), sms_).count(), source.period->count()});
  }
}

bool KernelFifo::is_bounded() const { return compare_sum(load_, {1, 1}) <= 0; }

RatioSum KernelFifo::load() const {
  RatioSum sum;
  for (const Ratio& ratio : load_) sum.add(ratio);
  return sum;
}

Duration KernelFifo::begun() const { return shares_.time_of_begun(sms_); }

Duration KernelFifo::waiting(std::size_t source) const {
  const KernelSource& own = sources_[source];
  return checked_add(begun(), checked_add(all_ - demand(own, 0), demand(own, 1)));
}

Duration KernelFifo::demand(const KernelSource& source, std::int64_t spared) const {
  const KernelSegment& kernel = *source.kernel;
  const Duration time = shares_.time_of(kernel, kernel.blocks() - spared, sms_);
  if (!source.period) return time;
  const Int128 late =
      static_cast<Int128>(shares_.time_of(kernel, kernel.blocks(), sms_).count()) * source.late.count();
  const Int128 period = source.period->count();
  const Int128 more = (late + period - 1) / period;
  if (more > Duration::max().count()) throw OverflowError{"a response time leaves 64 bits of nanoseconds"};
  return checked_add(time, Duration{static_cast<std::int64_t>(more)});
}

}  // namespace tactus::analysis
