#include "tactus/analysis/chain_workload.hpp"

#include <algorithm>

#include "tactus/analysis/effort.hpp"

namespace tactus::analysis {

namespace {

std::uint64_t positive(Duration d) { return static_cast<std::uint64_t>(d.count()); }

/// own / (1 - sum of the shares), rounded down: no fixed point is less. Nothing where there is no time left.
std::optional<UInt128> min_by_share(std::span<const ChainWorkload* const> chains, std::int64_t own) {
  RatioSum share;
  for (const ChainWorkload* chain : chains) share.add(chain->share());
  constexpr UInt128 one = static_cast<UInt128>(1) << 64U;
  if (share.lower() >= one) return std::nullopt;
  return (static_cast<UInt128>(own) << 64U) / (one - share.lower());
}

}  // namespace

ChainWorkload::ChainWorkload(std::span<const Stage> stages, ServerKind server, Duration period,
                             Duration response)
    : ChainWorkload{stages, {server}, period, response} {}

ChainWorkload::ChainWorkload(std::span<const Stage> stages, std::initializer_list<ServerKind> servers,
                             Duration period, Duration response)
    : period_{positive(period)} {
  // A job's stages in their best case between pieces, in their worst case in them: no more than all of them
  // in the worst case, so nothing here leaves 64 bits.
  std::uint64_t place = 0;
  std::uint64_t end = 0;
  std::uint64_t before_first = 0;
  for (const Stage& stage : stages) {
    if (std::find(servers.begin(), servers.end(), stage.server) == servers.end() || !stage.is_issued()) {
      place += positive(stage.time.best);
      continue;
    }
    if (pieces_.empty()) {
      before_first = place;
      place = 0;
    }
    pieces_.push_back({place, positive(stage.time.worst), total_});
    place += pieces_.back().length;
    total_ += pieces_.back().length;
    end = place;
  }
  const std::uint64_t behind_last = place - end;
  if (pieces_.empty()) return;
  period_ = std::max(period_, end);
  const std::uint64_t rest = positive(std::max(Duration{}, period - response));
  restart_ = std::min(end + behind_last + before_first + rest, period_);
}

ChainWorkload::WorkSoFar ChainWorkload::within_job(std::uint64_t since_start) const {
  const auto behind =
      std::upper_bound(pieces_.begin() + 1, pieces_.end(), since_start,
                       [](std::uint64_t time, const Piece& piece) { return time < piece.start; });
  const Piece& piece = *(behind - 1);
  const std::uint64_t done = std::min(since_start - piece.start, piece.length);
  return {piece.before + done, piece.length - done};
}

ChainWorkload::WorkSoFar ChainWorkload::from_first_piece(std::uint64_t since_start) const {
  if (since_start < restart_) return within_job(since_start);
  const std::uint64_t later = since_start - restart_;
  WorkSoFar progress = within_job(later % period_);
  progress.work += (1 + later / period_) * total_;
  return progress;
}

ChainWorkload ChainWorkload::min_of(std::vector<ChainWorkload> several) {
  ChainWorkload result = several.front();
  if (several.size() > 1) result.several_ = std::move(several);
  return result;
}

ChainWorkload ChainWorkload::with_last_instant() const {
  ChainWorkload result = *this;
  result.lead_ = 1;
  for (ChainWorkload& each : result.several_) each.lead_ = 1;
  return result;
}

ChainWorkload::WorkSoFar ChainWorkload::max_in(std::uint64_t length) const {
  // W^h(t) = F(t + start of E[h]) - F(start of E[h]) with F = W^0. A length and a place within a period are
  // below 2^63 each, and no work exceeds its interval.
  spend_steps(pieces_.size());
  WorkSoFar most;
  for (const Piece& piece : pieces_) {
    WorkSoFar progress = from_first_piece(piece.start + length + lead_);
    progress.work -= piece.before;
    if (progress.work > most.work || (progress.work == most.work && progress.grows_for > most.grows_for)) {
      most = progress;
    }
  }
  return most;
}

ChainWorkload::Point ChainWorkload::at(Duration length) const {
  WorkSoFar least = several_.empty() ? max_in(positive(length)) : several_.front().max_in(positive(length));
  for (std::size_t i = 1; i < several_.size(); ++i) {
    // The minimum grows at least until another one could become the minimum.
    const WorkSoFar other = several_[i].max_in(positive(length));
    const std::uint64_t until = std::min(least.work + least.grows_for, other.work + other.grows_for);
    least.work = std::min(least.work, other.work);
    least.grows_for = until - least.work;
  }
  return {Duration{static_cast<std::int64_t>(least.work)},
          Duration{static_cast<std::int64_t>(least.grows_for)}};
}

FixedPoint min_length(std::span<const ChainWorkload* const> chains, Duration own, Duration limit) {
  using Outcome = FixedPoint::Outcome;
  constexpr int max_rounds = 1'000'000;
  constexpr int rounds_before_shares = 32;
  const std::uint64_t most = positive(limit);
  std::uint64_t length = positive(own);
  if (own > limit) return {Outcome::passes, limit.count()};
  for (int round = 0; round < max_rounds; ++round) {
    spend_steps(chains.size());
    std::uint64_t needed = positive(own);
    std::uint64_t grows_for = 0;
    for (const ChainWorkload* chain : chains) {
      const ChainWorkload::Point point = chain->at(Duration{static_cast<std::int64_t>(length)});
      needed += positive(point.work);
      if (needed > most) return {Outcome::passes, static_cast<std::int64_t>(length)};
      grows_for = std::max(grows_for, positive(point.grows_for));
    }
    if (needed <= length) return {Outcome::found, static_cast<std::int64_t>(length)};
    // The shortfall does not shrink while any chain goes on working.
    const std::uint64_t next = needed + grows_for;
    if (next > most) return {Outcome::passes, static_cast<std::int64_t>(length)};
    length = next;
    if (round == rounds_before_shares) {
      const std::optional<UInt128> by_share = min_by_share(chains, own.count());
      if (!by_share || *by_share > most) return {Outcome::passes, static_cast<std::int64_t>(length)};
      length = std::max(length, static_cast<std::uint64_t>(*by_share));
    }
  }
  return {Outcome::gave_up, static_cast<std::int64_t>(length)};
}

FixedPoint latest_start(std::span<const ChainWorkload* const> chains, Duration before, Duration limit) {
  // With t = s + 1 this is the least t with before + 1 + sum Wmax(t) <= t.
  constexpr Duration unit{1};
  if (before > limit) return {FixedPoint::Outcome::passes, limit.count()};
  FixedPoint point = min_length(chains, checked_add(before, unit), checked_add(limit, unit));
  point.length -= unit.count();
  return point;
}

}  // namespace tactus::analysis
