#include "support/gpu_sharing_simulator.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "support/dice.hpp"

namespace tactus::test {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

std::int64_t draw(Dice& dice, Interval interval) {
  const std::int64_t way = dice.between(0, 4);
  if (way == 0) return interval.best.count();
  if (way <= 2) return interval.worst.count();
  return dice.between(interval.best.count(), interval.worst.count());
}

std::int64_t draw_up_to(Dice& dice, Duration most) { return draw(dice, {Duration{}, most}); }

/// Of a request: what runs on the GPU, or launches and completions.
struct Piece {
  bool is_launch = false;
  std::int64_t left = 0;
};

/// What a job does until it changes between CPU and GPU.
struct Stretch {
  bool is_cpu = true;
  bool is_issued = false;       // it can take time
  std::vector<Piece> pieces{};  // of CPU work: one

  [[nodiscard]] bool is_over() const {
    return std::all_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.left == 0; });
  }
  [[nodiscard]] Piece& next() {
    return *std::find_if(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.left > 0; });
  }
};

/// The way of one job.
std::vector<Stretch> draw_way(const System& system, const Task& task, Dice& dice) {
  const Overheads& overheads = system.platform.overheads;
  std::vector<Stretch> way;
  for (const Node& node : task.work.nodes) {
    const bool is_cpu = std::holds_alternative<CpuSegment>(node.segment);
    if (way.empty() || way.back().is_cpu != is_cpu) way.push_back({.is_cpu = is_cpu});
    Stretch& now = way.back();
    Interval time = drawn_time(node.segment);
    if (const auto* kernel = std::get_if<KernelSegment>(&node.segment)) {
      const std::int64_t waves = waves_of(*kernel, system.platform.gpu, system.platform.gpu.sms);
      time = {kernel->block_time.best * waves, kernel->block_time.worst * waves};
    }
    if (const auto* gpu = std::get_if<GpuSegment>(&node.segment)) {
      time = gpu_time(*gpu, system.platform.gpu.sms * system.platform.gpu.virtual_sms_per_sm);
    }
    const bool on_gpu = server_of(node.segment) == ServerKind::gpu;
    if (time.worst == Duration{} && !on_gpu) continue;
    if (on_gpu) now.pieces.push_back({true, draw_up_to(dice, overheads.launch)});
    std::int64_t length = draw(dice, time);
    if (is_cpu) length += draw_up_to(dice, overheads.cpu);
    if (!is_cpu && !on_gpu) length += draw_up_to(dice, overheads.copy);
    now.pieces.push_back({false, length});
    if (on_gpu) now.pieces.push_back({true, draw_up_to(dice, overheads.completion)});
    const bool can_take_time = time.worst + overheads.launch + overheads.completion > Duration{};
    now.is_issued = now.is_issued || can_take_time;
  }
  return way;
}

struct Job {
  std::int64_t nominal = 0;
  std::vector<Stretch> way;
  std::size_t at = 0;
  bool waits = false;        // its request was made and is not over
  bool interrupted = false;  // preemptive: it has to be gone on with
  bool began = false;        // round robin: it has had a turn

  [[nodiscard]] bool is_done() const { return at == way.size(); }
};

struct Player {
  std::optional<Job> job;
  std::int64_t next_nominal = 0;
  std::int64_t next_seen = 0;
};

class Simulation {
 public:
  Simulation(const System& system, GpuSharing sharing, std::uint64_t seed)
      : system_{system},
        sharing_{sharing},
        dice_{seed},
        cyclic_{dice_.percent(50)},
        order_{urgency_order(system)},
        players_(system.tasks.size()),
        longest_(system.tasks.size()),
        kept_(static_cast<std::size_t>(system.platform.cpus())) {
    for (TaskIndex i = 0; i < players_.size(); ++i) {
      const Task& task = system.tasks[i];
      plan_release(i, dice_.percent(40) ? 0 : dice_.between(0, task.period ? task.period->count() : 9));
    }
  }

  std::vector<std::optional<Duration>> run(std::int64_t horizon) {
    for (; now_ < horizon; ++now_) {
      settle();
      work();
    }
    for (TaskIndex i = 0; i < players_.size(); ++i) {
      if (players_[i].job) note(i);
    }
    return std::move(longest_);
  }

 private:
  void plan_release(TaskIndex i, std::int64_t nominal) {
    const Task& task = system_.tasks[i];
    const Duration late = repeats(task) ? task.jitter + system_.platform.overheads.release : Duration{};
    players_[i].next_nominal = nominal;
    players_[i].next_seen = nominal + draw_up_to(dice_, late);
  }

  void note(TaskIndex i) {
    if (!repeats(system_.tasks[i])) return;
    const Duration response{now_ - players_[i].job->nominal};
    if (!longest_[i] || *longest_[i] < response) longest_[i] = response;
  }

  /// Everything that happens at this instant.
  void settle() {
    while (step_all()) {
    }
    if (dice_.percent(50)) take_next();
    while (release() || step_all()) {
    }
    take_next();
    // What was taken first may have been over at once.
    while (step_all() || release()) take_next();
  }

  bool release() {
    bool any = false;
    for (TaskIndex i = 0; i < players_.size(); ++i) {
      Player& player = players_[i];
      if (player.job || player.next_seen > now_) continue;
      const Task& task = system_.tasks[i];
      player.job = Job{.nominal = player.next_nominal, .way = draw_way(system_, task, dice_)};
      if (repeats(task)) {
        const std::int64_t more = dice_.percent(60) ? 0 : dice_.between(0, task.period->count());
        plan_release(i, player.next_nominal + task.period->count() + more);
      } else {
        player.next_nominal = now_;
        player.next_seen = never;
      }
      any = true;
    }
    return any;
  }

  bool step_all() {
    bool any = false;
    for (const TaskIndex i : order_) any = step(i) || any;
    return any;
  }

  /// Moves one job on if something of it is over; says whether it did.
  bool step(TaskIndex i) {
    std::optional<Job>& job = players_[i].job;
    if (!job) return false;
    if (job->is_done()) {
      note(i);
      if (!repeats(system_.tasks[i])) {
        players_[i].next_seen = players_[i].next_nominal == now_ ? now_ + 1 : now_;
      }
      job.reset();
      return true;
    }
    const Stretch& now = job->way[job->at];
    if (!now.is_issued) return advance(*job);
    if (now.is_cpu) return now.is_over() && holder(core_of(i)) == i && advance(*job);
    if (!job->waits) return ask(i, *job);
    if (served_ != i || switching_ > 0 || !now.is_over()) return false;
    served_.reset();
    job->waits = job->interrupted = job->began = false;
    if (kept_[core_of(i)] == i) kept_[core_of(i)].reset();
    return advance(*job);
  }

  /// What cannot take time is passed at once.
  static bool advance(Job& job) {
    do {
      ++job.at;
    } while (!job.is_done() && !job.way[job.at].is_issued);
    return true;
  }

  /// A request begins to wait; that of a job that spins then or later needs its core for that.
  bool ask(TaskIndex i, Job& job) {
    if (asks_on_core(i) && holder(core_of(i)) != i) return false;
    if (sharing_ == GpuSharing::spin) kept_[core_of(i)] = i;
    job.waits = true;
    queue_.push_back(i);
    return true;
  }

  [[nodiscard]] bool asks_on_core(TaskIndex i) const {
    const bool is_busy = system_.tasks[i].wait == Waiting::busy;
    return sharing_ == GpuSharing::spin || (sharing_ == GpuSharing::lock && is_busy);
  }

  [[nodiscard]] std::size_t core_of(TaskIndex i) const {
    return static_cast<std::size_t>(system_.tasks[i].core);
  }

  [[nodiscard]] bool launches() {
    return sharing_ == GpuSharing::server && served_ && request(*served_).next().is_launch;
  }

  /// Who has the core now; the server is nobody.
  std::optional<TaskIndex> holder(std::size_t core) {
    if (kept_[core]) return kept_[core];
    if (core + 1 == kept_.size() && served_ && !request(*served_).is_over() && launches()) return {};
    const bool spins_above = sharing_ == GpuSharing::lock && served_ && core_of(*served_) == core &&
                             system_.tasks[*served_].wait == Waiting::busy;
    if (spins_above) return served_;
    for (const TaskIndex i : order_) {
      if (core_of(i) == core && wants_core(i)) return i;
    }
    return {};
  }

  bool wants_core(TaskIndex i) {
    const std::optional<Job>& job = players_[i].job;
    if (!job || job->is_done()) return false;
    const Stretch& now = job->way[job->at];
    if (now.is_cpu) return now.is_issued;
    if (!now.is_issued) return false;
    if (asks_on_core(i)) return !job->waits;
    const bool holds = sharing_ == GpuSharing::preemptive || sharing_ == GpuSharing::round_robin;
    return holds && system_.tasks[i].wait == Waiting::busy;
  }

  Stretch& request(TaskIndex i) { return players_[i].job->way[players_[i].job->at]; }

  /// The GPU takes what is next, if it may.
  void take_next() {
    if (switching_ > 0) return;
    switch (sharing_) {
      case GpuSharing::lock:
      case GpuSharing::server:
        if (!served_) served_ = take_most_urgent();
        break;
      case GpuSharing::preemptive:
        take_preemptively();
        break;
      case GpuSharing::round_robin:
        take_turn();
        break;
      case GpuSharing::spin:
        if (!served_ && !queue_.empty()) {
          served_ = queue_.front();
          queue_.pop_front();
        }
        break;
    }
  }

  std::optional<TaskIndex> most_urgent() {
    for (const TaskIndex i : order_) {
      if (std::find(queue_.begin(), queue_.end(), i) != queue_.end()) return i;
    }
    return {};
  }

  std::optional<TaskIndex> take_most_urgent() {
    const std::optional<TaskIndex> next = most_urgent();
    if (next) std::erase(queue_, *next);
    return next;
  }

  [[nodiscard]] Duration switching_time() const {
    return system_.platform.overheads.launch + system_.platform.overheads.completion;
  }

  void take_preemptively() {
    const std::optional<TaskIndex> next = most_urgent();
    if (!next) return;
    if (served_) {
      const auto place = [&](TaskIndex i) { return std::find(order_.begin(), order_.end(), i); };
      if (place(*served_) < place(*next) || request(*served_).is_over()) return;
      players_[*served_].job->interrupted = true;
      queue_.push_back(*served_);
    }
    served_ = next;
    std::erase(queue_, *next);
    if (std::exchange(players_[*next].job->interrupted, false)) {
      switching_ = draw_up_to(dice_, switching_time());
    }
  }

  void take_turn() {
    if (served_ && turn_ > 0) return;
    if (served_) {
      if (request(*served_).is_over()) return;
      queue_.push_back(*served_);
    }
    if (queue_.empty()) return;
    auto next = queue_.begin();
    if (cyclic_) {  // by their places in the file, from the one served last
      const auto distance = [&](TaskIndex i) { return (i + players_.size() - last_ - 1) % players_.size(); };
      next = std::min_element(queue_.begin(), queue_.end(),
                              [&](TaskIndex a, TaskIndex b) { return distance(a) < distance(b); });
    }
    served_ = last_ = *next;
    queue_.erase(next);
    turn_ = time_slice_of(system_, last_).count();
    if (std::exchange(players_[last_].job->began, true)) switching_ = draw_up_to(dice_, switching_time());
  }

  /// One unit of time.
  void work() {
    for (std::size_t core = 0; core < kept_.size(); ++core) {
      const std::optional<TaskIndex> i = holder(core);
      if (i && request(*i).is_cpu) running_.push_back(*i);
    }
    if (switching_ > 0) {
      --switching_;
    } else if (served_) {
      --request(*served_).next().left;
      --turn_;
    }
    for (const TaskIndex i : running_) {
      Stretch& now = request(i);
      --now.next().left;
      // CPU work that ends now has ended, whoever may want the core from now on.
      if (now.is_over()) advance(*players_[i].job);
    }
    running_.clear();
  }

  const System& system_;
  GpuSharing sharing_;
  Dice dice_;
  bool cyclic_;
  std::vector<TaskIndex> order_;
  std::vector<Player> players_;
  std::vector<std::optional<Duration>> longest_;
  std::vector<std::optional<TaskIndex>> kept_;  // by core: who spins there without preemption
  std::deque<TaskIndex> queue_;                 // requests that wait, as they came
  std::optional<TaskIndex> served_;
  TaskIndex last_ = 0;
  std::int64_t switching_ = 0;
  std::int64_t turn_ = 0;
  std::vector<TaskIndex> running_;
  std::int64_t now_ = 0;
};

}  // namespace

std::vector<std::optional<Duration>> play(const System& system, GpuSharing sharing, std::uint64_t seed,
                                          Duration horizon) {
  return Simulation{system, sharing, seed}.run(horizon.count());
}

}  // namespace tactus::test
