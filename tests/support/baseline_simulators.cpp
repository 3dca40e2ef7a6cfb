#include "support/baseline_simulators.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "support/dice.hpp"

namespace tactus::test {

namespace {

constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();

/// A copy or GPU work, as drawn.
struct Piece {
  bool is_copy = false;
  std::int64_t left = 0;
};

/// What a job does until it changes between CPU and device.
struct Phase {
  bool is_cpu = true;
  bool is_issued = false;  // it can take time
  std::int64_t left = 0;   // of the whole phase
  std::vector<Piece> pieces;
};

std::int64_t draw(Dice& dice, Interval interval) {
  const std::int64_t way = dice.between(0, 4);
  if (way == 0) return interval.best.count();
  if (way <= 2) return interval.worst.count();
  return dice.between(interval.best.count(), interval.worst.count());
}

std::int64_t draw_up_to(Dice& dice, Duration most) { return draw(dice, {Duration{}, most}); }

/// One job's way through its phases.
class DrawPhases {
 public:
  DrawPhases(const System& system, std::int64_t sms, Dice& dice) : system_{system}, sms_{sms}, dice_{dice} {}

  std::vector<Phase> of(const Task& task) {
    for (const Node& node : task.work.nodes) std::visit(*this, node.segment);
    return std::move(phases_);
  }

  void operator()(const CpuSegment& cpu) {
    Phase& phase = enter(true);
    phase.left += draw(dice_, cpu.time);
    if (cpu.time.worst > Duration{} && system_.platform.overheads.cpu > Duration{})
      phase.left += draw_up_to(dice_, system_.platform.overheads.cpu);
    phase.is_issued = phase.is_issued || cpu.time.worst > Duration{};
  }
  void operator()(const CopySegment& copy) {
    if (copy.time.worst == Duration{}) {
      enter(false);
      return;
    }
    add(true, draw(dice_, copy.time) + draw_up_to(dice_, system_.platform.overheads.copy), true);
  }
  void operator()(const KernelSegment& kernel) {
    const std::int64_t rounds = waves_of(kernel, system_.platform.gpu, sms_);
    add_gpu(draw(dice_, kernel.block_time) * rounds, kernel.block_time.worst);
  }
  void operator()(const GpuSegment& gpu) {
    const Interval time = gpu_time(gpu, sms_ * system_.platform.gpu.virtual_sms_per_sm);
    add_gpu(draw(dice_, time), time.worst);
  }
  void operator()(const ExclusiveSegment& exclusive) {
    add_gpu(draw(dice_, exclusive.time), exclusive.time.worst);
  }

 private:
  Phase& enter(bool is_cpu) {
    if (phases_.empty() || phases_.back().is_cpu != is_cpu) {
      phases_.emplace_back();
      phases_.back().is_cpu = is_cpu;
    }
    return phases_.back();
  }
  void add_gpu(std::int64_t time, Duration worst) {
    const Duration added = system_.platform.overheads.launch + system_.platform.overheads.completion;
    add(false, time + draw_up_to(dice_, added), worst + added > Duration{});
  }
  /// Neighbouring copies hold the engine without a break.
  void add(bool is_copy, std::int64_t time, bool can_take_time) {
    Phase& phase = enter(false);
    phase.is_issued = phase.is_issued || can_take_time;
    phase.left += time;
    if (!phase.pieces.empty() && phase.pieces.back().is_copy && is_copy) {
      phase.pieces.back().left += time;
    } else {
      phase.pieces.push_back({is_copy, time});
    }
  }

  const System& system_;
  std::int64_t sms_;
  Dice& dice_;
  std::vector<Phase> phases_;
};

struct Job {
  std::int64_t nominal = 0;
  std::vector<Phase> phases;
  std::size_t at = 0;
  bool submitted = false;  // its run: handed over, waiting or running
  std::size_t piece = 0;   // of the run

  [[nodiscard]] bool is_done() const { return at == phases.size(); }
  [[nodiscard]] bool does_something() const {
    return std::any_of(phases.begin(), phases.end(), [](const Phase& phase) { return phase.is_issued; });
  }
  [[nodiscard]] Phase& phase() { return phases[at]; }
};

struct Player {
  std::optional<Job> job;
  std::int64_t next_nominal = 0;
  std::int64_t next_seen = 0;
};

class Simulation {
 public:
  Simulation(const System& system, SharingModel model, const std::vector<std::int64_t>& sms,
             std::uint64_t seed, std::int64_t horizon)
      : system_{system},
        model_{model},
        sms_{sms},
        dice_{seed},
        horizon_{horizon},
        order_{urgency_order(system)},
        players_(system.tasks.size()),
        longest_(system.tasks.size()) {
    for (std::size_t i = 0; i < players_.size(); ++i) {
      const Task& task = system.tasks[i];
      const std::int64_t first =
          dice_.percent(40) ? 0 : dice_.between(0, task.period ? task.period->count() : 9);
      plan_release(i, first);
    }
  }

  std::vector<std::optional<Duration>> run() {
    while (now_ < horizon_) {
      settle();
      advance(next_event() - now_);
    }
    for (std::size_t i = 0; i < players_.size(); ++i) {
      if (players_[i].job) note(i, players_[i].job->nominal);
    }
    return std::move(longest_);
  }

 private:
  void plan_release(std::size_t i, std::int64_t nominal) {
    const Task& task = system_.tasks[i];
    players_[i].next_nominal = nominal;
    players_[i].next_seen =
        nominal +
        draw_up_to(dice_, repeats(task) ? task.jitter + system_.platform.overheads.release : Duration{});
  }

  void note(std::size_t i, std::int64_t nominal) {
    if (!repeats(system_.tasks[i])) return;
    const Duration response{now_ - nominal};
    if (!longest_[i] || *longest_[i] < response) longest_[i] = response;
  }

  /// Everything that happens at this instant.
  void settle() {
    // What is over is over before a more urgent release can take the CPU away.
    while (step_all()) {
    }
    if (dice_.percent(50)) serve();
    while (release() || step_all() || serve()) {
    }
  }

  bool step_all() {
    bool any = false;
    for (const TaskIndex i : order_) any = step(i) || any;
    return any;
  }

  bool release() {
    bool any = false;
    for (std::size_t i = 0; i < players_.size(); ++i) {
      Player& player = players_[i];
      if (player.job || player.next_seen > now_) continue;
      const Task& task = system_.tasks[i];
      const std::int64_t sms = model_ == SharingModel::gpu_lock ? system_.platform.gpu.sms : sms_[i];
      player.job = Job{};
      player.job->nominal = player.next_nominal;
      player.job->phases = DrawPhases{system_, sms, dice_}.of(task);
      if (repeats(task)) {
        const std::int64_t more = dice_.percent(60) ? 0 : dice_.between(0, task.period->count());
        plan_release(i, player.next_nominal + task.period->count() + more);
      } else {
        player.next_seen = far;
      }
      any = true;
    }
    return any;
  }

  /// Who holds the core of the task: the most urgent job that wants it.
  [[nodiscard]] bool holds_cpu(TaskIndex task) {
    for (const TaskIndex i : order_) {
      if (system_.tasks[i].core != system_.tasks[task].core || !wants_cpu(i)) continue;
      return i == task;
    }
    return false;
  }
  [[nodiscard]] bool wants_cpu(TaskIndex i) {
    std::optional<Job>& job = players_[i].job;
    if (!job) return false;
    if (model_ == SharingModel::busy_waiting || job->is_done()) return true;
    return job->phase().is_cpu && job->phase().is_issued;
  }

  /// Moves one job on if something of it is over; says whether it did.
  bool step(TaskIndex i) {
    std::optional<Job>& job = players_[i].job;
    if (!job) return false;
    const bool needs_cpu = model_ == SharingModel::busy_waiting && job->does_something();
    if (job->is_done()) {
      finish(i);
      return true;
    }
    Phase& phase = job->phase();
    if (phase.is_cpu) {
      if ((needs_cpu || phase.is_issued) && !holds_cpu(i)) return false;
      if (phase.left > 0) return false;
      ++job->at;
      return true;
    }
    return step_run(i, *job, phase);
  }

  bool step_run(TaskIndex i, Job& job, Phase& phase) {
    if (!phase.is_issued) {
      ++job.at;
      return true;
    }
    if (!job.submitted) {
      if (model_ == SharingModel::busy_waiting && !holds_cpu(i)) return false;
      job.submitted = true;
      job.piece = 0;
      return true;
    }
    if (model_ != SharingModel::busy_waiting) {
      if (server_ != i || phase.left > 0) return false;
      server_.reset();
    } else {
      if (job.piece < phase.pieces.size()) return step_piece(i, job, phase.pieces[job.piece]);
      if (!holds_cpu(i)) return false;
    }
    job.submitted = false;
    ++job.at;
    return true;
  }

  bool step_piece(TaskIndex i, Job& job, const Piece& piece) {
    if (piece.left > 0 || (piece.is_copy && server_ != i)) return false;
    if (piece.is_copy) server_.reset();
    ++job.piece;
    return true;
  }

  /// The server (the device, the lock or the copy engine), if idle, takes the most urgent that waits.
  bool serve() {
    if (server_) return false;
    for (const TaskIndex i : order_) {
      std::optional<Job>& job = players_[i].job;
      if (!job || job->is_done() || !job->submitted) continue;
      if (model_ == SharingModel::busy_waiting) {
        const std::vector<Piece>& pieces = job->phase().pieces;
        if (job->piece == pieces.size() || !pieces[job->piece].is_copy) continue;
      }
      server_ = i;
      return true;
    }
    return false;
  }

  void finish(TaskIndex i) {
    note(i, players_[i].job->nominal);
    players_[i].job.reset();
    if (!repeats(system_.tasks[i])) players_[i].next_seen = now_;
  }

  /// Calls `use` with all that is running: how much of it is left.
  template <typename Use>
  void for_each_running(Use use) {
    for (const TaskIndex i : order_) {
      std::optional<Job>& job = players_[i].job;
      if (!job || job->is_done()) continue;
      Phase& phase = job->phase();
      if (phase.is_cpu) {
        if (holds_cpu(i)) use(phase.left);
      } else if (model_ != SharingModel::busy_waiting) {
        if (server_ == i) use(phase.left);
      } else if (job->submitted && job->piece < phase.pieces.size()) {
        Piece& piece = phase.pieces[job->piece];
        if (!piece.is_copy || server_ == i) use(piece.left);
      }
    }
  }

  std::int64_t next_event() {
    std::int64_t next = horizon_;
    for (const Player& player : players_) {
      if (!player.job) next = std::min(next, player.next_seen);
    }
    for_each_running([&](const std::int64_t& left) { next = std::min(next, now_ + left); });
    assert(next > now_);
    return next;
  }

  void advance(std::int64_t length) {
    for_each_running([&](std::int64_t& left) { left -= length; });
    now_ += length;
    // CPU code that ends now has ended, whoever may want the CPU from now on.
    std::vector<Job*> ended;
    for (const TaskIndex i : order_) {
      std::optional<Job>& job = players_[i].job;
      if (!job || job->is_done() || !job->phase().is_cpu) continue;
      if (holds_cpu(i) && job->phase().left == 0) ended.push_back(&*job);
    }
    for (Job* job : ended) ++job->at;
  }

  const System& system_;
  SharingModel model_;
  const std::vector<std::int64_t>& sms_;
  Dice dice_;
  std::int64_t horizon_;
  std::vector<TaskIndex> order_;
  std::vector<Player> players_;
  std::vector<std::optional<Duration>> longest_;
  std::optional<TaskIndex> server_;
  std::int64_t now_ = 0;
};

}  // namespace

std::vector<std::optional<Duration>> play(const System& system, SharingModel model,
                                          const std::vector<std::int64_t>& sms, std::uint64_t seed,
                                          Duration horizon) {
  return Simulation{system, model, sms, seed, horizon.count()}.run();
}

}  // namespace tactus::test
