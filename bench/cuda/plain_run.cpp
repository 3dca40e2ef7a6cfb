#include "plain_run.hpp"

#include <algorithm>
#include <random>

#include "harness.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/absence_watch.hpp"
#include "tactus/device/cuda/completion.hpp"
#include "tactus/device/cuda/error.hpp"

namespace tactus::bench {

namespace {

constexpr std::size_t job_word = 0;
constexpr std::size_t best_effort_word = 1;
/// No best-effort launch this shortly before a release: it would delay the job.
constexpr std::int64_t quiet_ns = 20'000;
constexpr std::int64_t patience_ns = 5'000'000'000;

/// Keeps two best-effort launches in its stream.
class Feeder {
 public:
  Feeder(const PlainSettings& settings, const cuda::CompletionWords& words)
      : settings_{settings}, words_{words} {}

  /// Whether it launched anything.
  bool feed() {
    if (!settings_.launch_best_effort) return false;
    const unsigned ended = words_.value(best_effort_word);
    if (ended != ended_) {
      ended_ = ended;
      note_end();
    }
    const unsigned before = launched_;
    while (launched_ - ended_ < 2) {
      settings_.launch_best_effort(settings_.best_effort, launched_ % 2);
      ++launched_;
      words_.signal(settings_.best_effort, best_effort_word, launched_);
    }
    return launched_ != before;
  }

  /// Ends count from here on.
  void start_counting() { first_ns_ = 0; }

  [[nodiscard]] double rate() const {
    if (!settings_.launch_best_effort) return 0;
    if (first_ns_ == 0 || last_ == first_) throw FailureError{"too little best-effort work ended"};
    return 1e9 * static_cast<double>(last_ - first_) / static_cast<double>(last_ns_ - first_ns_);
  }

 private:
  void note_end() {
    last_ns_ = now_ns();
    last_ = ended_;
    if (first_ns_ != 0) return;
    first_ns_ = last_ns_;
    first_ = ended_;
  }

  const PlainSettings& settings_;
  const cuda::CompletionWords& words_;
  unsigned launched_ = 0;
  unsigned ended_ = 0;
  unsigned first_ = 0;
  unsigned last_ = 0;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
};

class Separations {
 public:
  explicit Separations(Duration least) : between_{in_ns(least), 2 * in_ns(least)} {}
  std::int64_t next() { return between_(random_); }

 private:
  std::mt19937_64 random_{1};
  std::uniform_int_distribution<std::int64_t> between_;
};

/// A loop that uses nothing but the CPU.
void compute(std::int64_t rounds) {
  std::uint64_t value = 1;
  for (std::int64_t i = 0; i < rounds; ++i) {
    value = value * 6364136223846793005U + 1;
    asm volatile("" : "+r"(value));  // keeps the loop
  }
}

std::int64_t rounds_for(Duration length) {
  constexpr std::int64_t many = 10'000'000;
  const std::int64_t begin = now_ns();
  compute(many);
  return many * in_ns(length) / std::max<std::int64_t>(1, now_ns() - begin);
}

/// Reads the clock and records when the last absence ended.
class Watch {
 public:
  std::int64_t now() {
    const std::int64_t now = now_ns();
    const std::uint64_t before = absences_.seen().times;
    absences_.look(time_at(nanoseconds(now)));
    if (absences_.seen().times != before) last_ns_ = now;
    return now;
  }
  void pause() { absences_.pause(); }
  [[nodiscard]] bool was_away_since(std::int64_t instant) const { return last_ns_ > instant; }

 private:
  device::AbsenceWatch absences_;
  std::int64_t last_ns_ = 0;
};

void feed_until(Feeder& feeder, std::int64_t instant, Watch& watch) {
  for (std::int64_t now = watch.now(); now < instant; now = watch.now()) {
    if (instant - now > quiet_ns && feeder.feed()) watch.pause();
  }
}

void wait_for_job(const cuda::CompletionWords& words, unsigned value, Feeder& feeder, Watch& watch) {
  watch.pause();
  const std::int64_t begin = watch.now();
  while (words.value(job_word) != value) {
    if (feeder.feed()) watch.pause();
    if (watch.now() - begin > patience_ns) throw FailureError{"a job did not end"};
  }
}

}  // namespace

PlainResult run_plain(const PlainSettings& settings) {
  constexpr std::int64_t warm_up_ns = 100'000'000;
  const cuda::CompletionWords words{2};
  Feeder feeder{settings, words};
  PlainResult result;
  result.responses_ns.reserve(static_cast<std::size_t>(settings.jobs));
  result.disturbed.reserve(static_cast<std::size_t>(settings.jobs));
  Watch watch;
  std::int64_t release = now_ns() + warm_up_ns;
  feed_until(feeder, release, watch);
  feeder.start_counting();
  Separations separations{settings.separation};
  unsigned value = 0;
  for (std::int64_t job = -settings.skipped; job < settings.jobs; ++job) {
    feed_until(feeder, release, watch);
    if (settings.launch_job) {
      ++value;
      settings.launch_job(settings.urgent);
      words.signal(settings.urgent, job_word, value);
      wait_for_job(words, value, feeder, watch);
      const std::int64_t known = watch.now();
      if (job >= 0) {
        result.responses_ns.push_back(known - release);
        result.disturbed.push_back(watch.was_away_since(release));
      }
    }
    release += separations.next();
  }
  feed_until(feeder, release, watch);
  result.best_effort_rate = feeder.rate();
  cuda::check(cudaStreamSynchronize(settings.best_effort), "best-effort work failed");
  return result;
}

std::vector<std::int64_t> run_on_cpu(const PlainSettings& settings, Duration length) {
  const std::int64_t rounds = rounds_for(length);
  std::vector<std::int64_t> responses;
  responses.reserve(static_cast<std::size_t>(settings.jobs));
  Separations separations{settings.separation};
  std::int64_t release = now_ns();
  for (std::int64_t job = -settings.skipped; job < settings.jobs; ++job) {
    release += separations.next();
    while (now_ns() < release) {
    }
    compute(rounds);
    if (job >= 0) responses.push_back(now_ns() - release);
  }
  return responses;
}

}  // namespace tactus::bench
