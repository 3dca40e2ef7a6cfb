#include "tactus/analysis/priority_points.hpp"

#include <algorithm>
#include <functional>

#include "tactus/base/exact.hpp"
#include "tactus/base/ratio_sum.hpp"

namespace tactus::analysis {

namespace {

Int128 checked_product(Int128 a, Int128 b) {
  Int128 product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw OverflowError{"a response time leaves 128 bits of nanoseconds"};
  }
  return product;
}

/// For positive divisors.
Int128 divided_up(Int128 number, Int128 divisor) {
  const Int128 quotient = number / divisor;
  return quotient * divisor < number ? quotient + 1 : quotient;
}

Duration duration_of(Int128 ns) {
  if (ns > Duration::max().count()) throw OverflowError{"a response time leaves 64 bits of nanoseconds"};
  return nanoseconds(static_cast<std::int64_t>(ns));
}

template <class Source>
std::vector<Ratio> load_of(std::span<const Source> sources) {
  std::vector<Ratio> load;
  load.reserve(sources.size());
  for (const Source& source : sources) load.push_back({source.work.count(), source.period.count()});
  return load;
}

/// ceil(U); nothing where it is more than `most`.
std::optional<std::int64_t> load_rounded_up(std::span<const Ratio> load, std::int64_t most) {
  RatioSum sum;
  for (const Ratio& ratio : load) sum.add(ratio);
  const auto least =
      static_cast<std::int64_t>(std::min<UInt128>(sum.lower() >> 64U, static_cast<UInt128>(most)));
  for (std::int64_t rounded = least; rounded <= most; ++rounded) {
    if (compare_sum(load, {rounded, 1}) <= 0) return rounded;
    if (rounded > least + 1) return std::nullopt;
  }
  return std::nullopt;
}

/// The sources as the claim has them.
class Points {
 public:
  Points(std::span<const PointSource> sources, std::span<const Ratio> load, std::int64_t cores,
         std::int64_t rounded)
      : sources_{sources}, load_{load}, cores_{cores}, others_{rounded - 1} {
    Duration first = Duration::max();
    for (const PointSource& source : sources) first = std::min(first, source.point);
    for (const PointSource& source : sources) {
      after_.push_back(checked_sum(source.point, first));
      const Int128 early = std::max<Int128>(0, Int128{source.period.count()} - after_.back().count());
      share_.push_back(divided_up(checked_product(source.work.count(), early), source.period.count()));
      all_shares_ += share_.back();
      longest_ = std::max(longest_, Int128{source.work.count()});
    }
  }

  [[nodiscard]] Duration parallel(std::size_t k, const RatioSum& load, bool preemptive) const {
    const Int128 begun = checked_product(preemptive ? std::max<std::int64_t>(0, others_) : cores_, longest_);
    const Int128 work = sources_[k].work.count();
    return duration_of(work + divided_up(load_during(load, after_[k]) + all_shares_ + begun - work, cores_));
  }

  /// The smallest s.
  [[nodiscard]] Int128 delay() const {
    Int128 enough = 1;
    while (demand(enough) > checked_product(cores_, enough)) enough = checked_product(enough, 2);
    Int128 least = 0;
    while (least < enough) {
      const Int128 middle = least + (enough - least) / 2;
      if (demand(middle) <= cores_ * middle) {
        enough = middle;
      } else {
        least = middle + 1;
      }
    }
    return enough;
  }

  [[nodiscard]] Duration sequential(std::size_t k, Int128 delay) const {
    const Int128 work = sources_[k].work.count();
    return duration_of(after_[k].count() + delay + divided_up(work * (cores_ - 1), cores_));
  }

 private:
  static Duration checked_sum(Duration point, Duration first) {
    const Int128 after = Int128{point.count()} - first.count();
    return duration_of(after);
  }

  /// U t, rounded up.
  [[nodiscard]] Int128 load_during(const RatioSum& sum, Duration time) const {
    const UInt128 scaled = sum.lower();
    const Int128 whole = checked_product(static_cast<Int128>(scaled >> 64U), time.count());
    const UInt128 part = static_cast<UInt128>(static_cast<std::uint64_t>(scaled)) *
                         static_cast<UInt128>(static_cast<std::uint64_t>(time.count()));
    const Int128 least =
        whole + static_cast<Int128>(part >> 64U) + (static_cast<std::uint64_t>(part) != 0 ? 1 : 0);
    if (time == Duration{}) return 0;
    const bool is_enough = compare_sum(load_, {duration_of(least).count(), time.count()}) <= 0;
    return is_enough ? least : least + 1;
  }

  /// The right side for an s.
  [[nodiscard]] Int128 demand(Int128 s) const {
    std::vector<Int128> carried;
    carried.reserve(sources_.size());
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const Int128 work = sources_[i].work.count();
      const Int128 late = checked_product(work, checked_product(cores_, s) - work);
      carried.push_back(std::max<Int128>(
          0, divided_up(late, checked_product(cores_, sources_[i].period.count())) + work - share_[i]));
    }
    const auto most =
        std::min<std::size_t>(carried.size(), static_cast<std::size_t>(std::max<std::int64_t>(0, others_)));
    std::partial_sort(carried.begin(), carried.begin() + static_cast<std::ptrdiff_t>(most), carried.end(),
                      std::greater<>{});
    Int128 sum = all_shares_;
    for (std::size_t i = 0; i < most; ++i) sum += carried[i];
    return sum;
  }

  std::span<const PointSource> sources_;
  std::span<const Ratio> load_;
  Int128 cores_;
  std::int64_t others_;          // n
  std::vector<Duration> after_;  // Y'
  std::vector<Int128> share_;    // S
  Int128 all_shares_ = 0;
  Int128 longest_ = 0;
};

}  // namespace

std::optional<std::vector<Duration>> responses_on_cores(std::span<const PointSource> sources,
                                                        std::int64_t cores, JobsOfSource jobs) {
  const std::vector<Ratio> load = load_of(sources);
  const std::optional<std::int64_t> rounded = load_rounded_up(load, cores);
  if (!rounded) return std::nullopt;
  const bool is_sequential = jobs == JobsOfSource::sequential;
  const auto overlaps = [](const PointSource& source) { return source.work > source.period; };
  if (is_sequential && std::ranges::any_of(sources, overlaps)) return std::nullopt;
  const Points points{sources, load, cores, *rounded};
  RatioSum sum;
  for (const Ratio& ratio : load) sum.add(ratio);
  const Int128 delay = is_sequential ? points.delay() : 0;
  std::vector<Duration> responses;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    responses.push_back(is_sequential ? points.sequential(k, delay)
                                      : points.parallel(k, sum, jobs == JobsOfSource::parallel));
  }
  return responses;
}

std::optional<std::vector<Duration>> responses_at_engines(std::span<const RequestSource> sources,
                                                          std::int64_t engines) {
  if (compare_sum(load_of(sources), {engines, 1}) > 0) return std::nullopt;
  Int128 all = 0;
  Int128 longest = 0;
  for (const RequestSource& source : sources) {
    const Int128 work = source.work.count();
    all += work + divided_up(checked_product(work, source.late.count()), source.period.count());
    longest = std::max(longest, work);
  }
  std::vector<Duration> responses;
  for (const RequestSource& source : sources) {
    const Int128 work = source.work.count();
    responses.push_back(duration_of(work + divided_up(all - work + (engines - 1) * longest, engines)));
  }
  return responses;
}

}  // namespace tactus::analysis
