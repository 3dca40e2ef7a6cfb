#include "tactus/analysis/priority_points.hpp"

#include <algorithm>

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

/// Terms of E(s), so many of one size.
struct Terms {
  Int128 size = 0;
  std::int64_t count = 0;
};

/// The sources as the claim has them.
class Points {
 public:
  Points(std::span<const PointSource> sources, std::span<const Ratio> load, std::int64_t cores,
         std::int64_t rounded, bool is_preemptive, Duration lost)
      : sources_{sources},
        load_{load},
        cores_{cores},
        is_preemptive_{is_preemptive},
        begun_{is_preemptive ? std::max<std::int64_t>(0, rounded - 1) : cores},
        all_shares_{checked_product(cores, lost.count())} {
    RatioSum sum;
    for (const Ratio& ratio : load) sum.add(ratio);
    Duration first = Duration::max();
    for (const PointSource& source : sources) first = std::min(first, source.point);
    for (const PointSource& source : sources) {
      const Int128 work = source.work.count();
      const Int128 period = source.period.count();
      const Duration after = duration_of(Int128{source.point.count()} - first.count());
      const Int128 early = std::max<Int128>(0, period - after.count());
      const Int128 share = divided_up(checked_product(work, early), period);
      all_shares_ += share;
      const Int128 waited = source.in_turn ? checked_product(cores_, after.count()) : load_during(sum, after);
      waited_.push_back(waited);
      const Int128 overlapping = work / period;  // jobs that come while one is served
      late_.push_back(waited - work - checked_product(cores_, after.count()));
      carried_.push_back(work + checked_product(overlapping, work) -
                         checked_product(period, checked_product(overlapping, overlapping + 1) / 2) - share);
    }
  }

  /// The smallest s; nothing where there is none.
  [[nodiscard]] std::optional<Int128> delay() const {
    Int128 enough = 1;
    while (demand(enough) > checked_product(cores_, enough)) {
      if (enough > Duration::max().count()) return std::nullopt;
      enough *= 2;
    }
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

  /// R_k(s), and no more than E(s) itself allows: s is rounded up.
  [[nodiscard]] Duration response(std::size_t k, Int128 all) const {
    const Int128 work = sources_[k].work.count();
    return duration_of(work + divided_up(waited_[k] - work + all, cores_));
  }

  /// sum S + E(s)
  [[nodiscard]] Int128 demand(Int128 s) const {
    std::vector<Terms> terms;
    terms.reserve(2 * sources_.size());
    for (std::size_t i = 0; i < sources_.size(); ++i) add_terms(i, s, terms);
    const auto most = std::min<std::size_t>(terms.size(), static_cast<std::size_t>(begun_));
    std::partial_sort(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(most), terms.end(),
                      [](const Terms& a, const Terms& b) { return a.size > b.size; });
    Int128 sum = all_shares_;
    std::int64_t left = begun_;
    for (std::size_t i = 0; i < most && left > 0; ++i) {
      const std::int64_t taken = std::min(left, terms[i].count);
      sum += checked_product(terms[i].size, taken);
      left -= taken;
    }
    return sum;
  }

 private:
  void add_terms(std::size_t i, Int128 s, std::vector<Terms>& terms) const {
    const PointSource& source = sources_[i];
    const Int128 work = source.work.count();
    const Int128 late = checked_product(work, checked_product(cores_, s) + late_[i]);
    const Int128 pending =
        divided_up(late, checked_product(cores_, source.period.count())) + carried_[i];  // K
    if (!is_preemptive_) {
      terms.push_back(source.in_turn ? Terms{std::max(work, pending), 1} : Terms{work, begun_});
    } else if (pending > 0 && source.in_turn) {
      terms.push_back({pending, 1});
    } else if (pending > 0) {
      const Int128 whole = std::min<Int128>(pending / work, begun_);
      if (whole > 0) terms.push_back({work, static_cast<std::int64_t>(whole)});
      if (whole < begun_ && pending % work > 0) terms.push_back({pending % work, 1});
    }
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

  std::span<const PointSource> sources_;
  std::span<const Ratio> load_;
  Int128 cores_;
  bool is_preemptive_;
  std::int64_t begun_;           // n
  Int128 all_shares_;            // sum S, and what is lost
  std::vector<Int128> waited_;   // by source: m (R(s) - s) + C (1 - m): U Y', in turn m Y'
  std::vector<Int128> late_;     // by source: m (R(s) - C - Y' - s)
  std::vector<Int128> carried_;  // by source: K without what depends on s
};

}  // namespace

std::optional<std::vector<Duration>> responses_on_cores(std::span<const PointSource> sources,
                                                        std::int64_t cores, bool is_preemptive,
                                                        Duration lost) {
  const std::vector<Ratio> load = load_of(sources);
  const std::optional<std::int64_t> rounded = load_rounded_up(load, cores);
  if (!rounded) return std::nullopt;
  const auto overlaps = [](const PointSource& source) {
    return source.in_turn && source.work > source.period;
  };
  if (std::ranges::any_of(sources, overlaps)) return std::nullopt;
  const Points points{sources, load, cores, *rounded, is_preemptive, lost};
  const std::optional<Int128> delay = points.delay();
  if (!delay) return std::nullopt;
  const Int128 all = points.demand(*delay);
  std::vector<Duration> responses;
  for (std::size_t k = 0; k < sources.size(); ++k) responses.push_back(points.response(k, all));
  return responses;
}

std::optional<std::vector<Duration>> responses_at_engines(std::span<const RequestSource> sources,
                                                          std::int64_t engines, Duration lost) {
  if (compare_sum(load_of(sources), {engines, 1}) > 0) return std::nullopt;
  Int128 all = checked_product(engines, lost.count());
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
