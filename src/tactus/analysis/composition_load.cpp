#include "tactus/analysis/composition_load.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tactus/analysis/effort.hpp"

namespace tactus::analysis {

namespace {

/// The parts as the stages of a chain; all that lies between two of them is one stage elsewhere.
Stages stages_of(std::span<const LoadPart> parts) {
  Stages stages;
  std::int64_t gap = parts.front().before;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (p > 0) gap = parts[p - 1].behind - parts[p].behind - parts[p].length;
    stages.push_back(Stage::whole(ServerKind::gpu, Interval::exactly(Duration{gap})));
    stages.push_back(Stage::whole(ServerKind::cpu, Interval::exactly(Duration{parts[p].length})));
  }
  return stages;
}

/// All of the window.
Demand all_of(std::int64_t length) { return {length, std::numeric_limits<std::int64_t>::max()}; }

}  // namespace

Int128 capped_product(Int128 count, Int128 work) {
  Int128 product = 0;
  return __builtin_mul_overflow(count, work, &product) ? endless : capped(product);
}

ServerLoad::ServerLoad(const LoadOwner& owner, const std::vector<LoadLine>& lines, WindowWork window_work)
    : is_bounded_{true},
      has_window_work_{window_work != WindowWork::none},
      has_chain_{window_work == WindowWork::parts_and_chain},
      owner_{owner} {
  for (const LoadLine& line : lines) parts_.insert(parts_.end(), line.begin(), line.end());
  std::size_t first = 0;
  for (const LoadLine& line : lines) {
    lines_.push_back(std::span<const LoadPart>{parts_}.subspan(first, line.size()));
    first += line.size();
  }
  for (const LoadPart& part : parts_) {
    total_ = checked_add(total_, part.length);
    whole_after_ = std::max({whole_after_, checked_add(owner.response - part.end, part.length),
                             checked_add(part.behind, part.length)});
    // Two jobs of one part could be in the way at once.
    if (owner.period && part.length > *owner.period) has_window_work_ = false;
  }
  has_chain_ = has_chain_ && has_window_work_ && (!owner.period || owner.response <= *owner.period);
  if (!has_chain_) return;
  // Where there is one job only, the next one is farther away than any window is long.
  const std::int64_t period = owner.period.value_or(std::numeric_limits<std::int64_t>::max());
  for (const std::span<const LoadPart> line : lines_) {
    chains_.emplace_back(stages_of(line), ServerKind::cpu, Duration{period}, Duration{line.back().end});
  }
}

/// ceil(length / T); one job where there is no period.
Int128 ServerLoad::jobs_in(Int128 length) const {
  if (length <= 0) return 0;
  return owner_.period ? (length + *owner_.period - 1) / *owner_.period : 1;
}

/// floor(length / T) + 1 from 0 on.
Int128 ServerLoad::jobs_since(Int128 length) const {
  if (length < 0) return 0;
  return owner_.period ? length / *owner_.period + 1 : 1;
}

Demand ServerLoad::by_parts(std::int64_t length, std::span<const LoadPart> parts) const {
  Demand sum;
  for (const LoadPart& part : parts) {
    const Int128 reach = static_cast<Int128>(length) + part.end - part.before - part.length;
    const Int128 whole = jobs_since(reach - part.length);  // jobs that count with all of the part
    Demand work{whole * part.length, 0};
    if (owner_.period || whole == 0) {
      const Int128 rest = reach - whole * owner_.period.value_or(0);
      if (rest >= 0) {
        work.work += rest;
        work.grows_for = static_cast<std::int64_t>(part.length - rest);
      }
    }
    sum = sum + work;
  }
  return sum;
}

Demand ServerLoad::in_any(std::int64_t length) const {
  if (!is_bounded_ || !has_window_work_) return {endless, 0};
  spend_steps(parts_.size());
  Demand sum;
  for (std::size_t line = 0; line < lines_.size(); ++line) sum = sum + of_line(length, line);
  return lesser(all_of(length), sum);
}

Demand ServerLoad::in_any(std::int64_t length, std::size_t line) const {
  if (!is_bounded_ || !has_window_work_) return {endless, 0};
  spend_steps(lines_[line].size());
  return lesser(all_of(length), of_line(length, line));
}

Demand ServerLoad::of_line(std::int64_t length, std::size_t line) const {
  const Demand work = by_parts(length, lines_[line]);
  if (!has_chain_) return work;
  const ChainWorkload::Point point = chains_[line].at(Duration{length});
  return lesser(work, {point.work.count(), point.grows_for.count()});
}

Int128 ServerLoad::ends_in_any(std::int64_t length) const {
  if (!is_bounded_) return endless;
  spend_steps(parts_.size());
  Int128 count = 0;
  for (const LoadPart& part : parts_) {
    count += jobs_in(static_cast<Int128>(length) + part.end - part.before - part.best);
  }
  return count;
}

Int128 ServerLoad::in_fresh(std::int64_t length, std::int64_t added) const {
  if (!is_bounded_) return endless;
  spend_steps(parts_.size());
  Int128 work = 0;
  for (const LoadPart& part : parts_) {
    const Int128 jobs = jobs_in(static_cast<Int128>(length) + part.seen - part.before);
    work = capped(work + capped_product(jobs, static_cast<Int128>(part.length) + added));
  }
  return work;
}

Int128 ServerLoad::in_fresh_by(std::int64_t length, std::int64_t deadline) const {
  if (!is_bounded_) return endless;
  spend_steps(parts_.size());
  Int128 work = 0;
  for (const LoadPart& part : parts_) {
    const Int128 latest = std::min<Int128>(static_cast<Int128>(length) - part.before - 1,
                                           static_cast<Int128>(deadline) - owner_.deadline);
    work = capped(work + capped_product(jobs_since(latest + part.seen), part.length));
  }
  return work;
}

/// Work of one job in its last `until_end`, counted from the latest end that it may have.
Int128 ServerLoad::of_job(Int128 until_end) const {
  const auto work_after = [&](const LoadPart& part, Int128 free) {
    return std::clamp<Int128>(until_end - free, 0, part.length);
  };
  Int128 apart = 0;
  Int128 in_order = 0;
  for (const LoadPart& part : parts_) {
    apart += work_after(part, static_cast<Int128>(owner_.response) - part.end);
    in_order += work_after(part, part.behind);
  }
  return std::min(apart, in_order);
}

Int128 ServerLoad::by_deadline(std::int64_t length) const {
  constexpr Int128 max_cut = 1'000'000;
  if (!is_bounded_) return endless;
  const Int128 until_end = static_cast<Int128>(length) - owner_.deadline + owner_.response;
  Int128 work = 0;
  const Int128 whole = jobs_since(until_end - whole_after_);
  work = capped_product(whole, total_);
  if (!owner_.period) return whole > 0 ? work : of_job(until_end);
  const Int128 cut = jobs_since(until_end) - whole;  // jobs that may have part of their work before
  if (cut > max_cut) return endless;
  spend_steps(static_cast<std::uint64_t>(cut) * parts_.size());
  for (Int128 k = whole; k < whole + cut; ++k) work += of_job(until_end - k * *owner_.period);
  return capped(work);
}

Int128 ServerLoad::ends_by_deadline(std::int64_t length) const {
  if (!is_bounded_) return endless;
  spend_steps(parts_.size());
  Int128 count = 0;
  for (const LoadPart& part : parts_) {
    count += jobs_since(static_cast<Int128>(length) - owner_.deadline + part.end);
  }
  return count;
}

Ratio ServerLoad::share() const {
  return {total_, owner_.period.value_or(std::numeric_limits<std::int64_t>::max())};
}

}  // namespace tactus::analysis
