#include "support/chain_simulator.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

namespace tactus::test {

namespace {

using analysis::ChainNode;
using analysis::ChainServer;
using analysis::ChainSystem;
using analysis::ChainTask;
using analysis::ServiceKind;
using Number = std::int64_t;

constexpr Number far = Number{1} << 50U;
constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

/// A node of the job of a task that is in progress; a task has one job at a time.
struct Place {
  std::size_t task = nobody;
  std::size_t node = 0;
  friend bool operator==(const Place&, const Place&) = default;
  [[nodiscard]] bool is_none() const { return task == nobody; }
};

struct NodeState {
  bool is_ready = false;  // all that it waits for is done
  bool in_queue = false;  // it has reached its server
  bool is_over = false;   // it ran, and nothing is left
  bool is_done = false;
  Number ready = 0;
  Number queued = 0;  // when it reaches the server
  Number left = 0;
};

struct Job {
  bool active = false;
  std::size_t index = 0;
  Number nominal = 0;
  std::vector<NodeState> nodes;
};

/// On one of several places.
struct Block {
  Place place;
  Number left = 0;
};

struct Server {
  std::vector<Place> engines;  // what runs on each, without preemption
  std::vector<Place> levels;   // by stream; 0 is the lowest
  Place running;               // levels: whose block runs
  std::vector<Block> blocks;   // the same with several places
  Number block_left = 0;
};

class Simulation {
 public:
  Simulation(const ChainSystem& system, const ChainSchedule& schedule)
      : system_{system},
        schedule_{schedule},
        jobs_(system.tasks.size()),
        next_(system.tasks.size()),
        nominal_(system.tasks.size()),
        servers_(system.servers.size()),
        at_(system.servers.size()) {
    for (std::size_t s = 0; s < servers_.size(); ++s) {
      const ChainServer& server = system.servers[s];
      servers_[s].engines.resize(static_cast<std::size_t>(server.engines));
      servers_[s].levels.resize(static_cast<std::size_t>(server.levels));
    }
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      observed_.responses.push_back(-1);
      const std::size_t nodes = system.tasks[i].nodes.size();
      observed_.ready.emplace_back(nodes, -1);
      observed_.ends.emplace_back(nodes, -1);
      observed_.spans.emplace_back(nodes, -1);
      nominal_[i] = schedule.jobs[i].empty() ? far : schedule.jobs[i].front().after;
      for (std::size_t v = 0; v < nodes; ++v) at_[system.tasks[i].nodes[v].server].push_back({i, v});
    }
  }

  ChainObserved run() {
    constexpr Number too_long = 100'000;
    while (now_ < too_long) {
      settle();
      const Number next = next_event();
      if (next >= far) break;
      advance(next - now_);
      now_ = next;
    }
    return observed_;
  }

 private:
  [[nodiscard]] const ChainJob& plan(std::size_t i) const { return schedule_.jobs[i][jobs_[i].index]; }
  [[nodiscard]] const ChainNode& node_of(Place place) const {
    return system_.tasks[place.task].nodes[place.node];
  }
  [[nodiscard]] NodeState& state(Place place) { return jobs_[place.task].nodes[place.node]; }
  [[nodiscard]] const NodeState& state(Place place) const { return jobs_[place.task].nodes[place.node]; }
  [[nodiscard]] bool is_queued(Place place) const {
    return jobs_[place.task].active && state(place).in_queue && !state(place).is_done;
  }
  [[nodiscard]] ServiceKind service(std::size_t s) const { return system_.servers[s].service; }

  /// Less is more urgent. Nodes of one job are equal.
  [[nodiscard]] std::tuple<bool, Number, Number, std::size_t> urgency(Place place, std::size_t s) const {
    const std::size_t i = place.task;
    const ChainTask& task = system_.tasks[i];
    const auto tie = static_cast<Number>(plan(i).bits & 7U);
    if (service(s) == ServiceKind::fifo) return {false, state(place).queued, tie, i};
    if (task.best_effort) return {true, 0, 0, i};
    if (system_.servers[s].order == Order::fp) {
      const std::vector<std::size_t>& ranks = system_.servers[s].ranks;
      return {false, 0, 0, ranks.empty() ? i : ranks[i]};
    }
    const bool by_point = system_.servers[s].order == Order::fair_lateness && task.priority_point;
    return {false, jobs_[i].nominal + (by_point ? *task.priority_point : task.deadline).count(), tie, i};
  }
  /// Those that are equal are taken in any order.
  [[nodiscard]] bool comes_before(Place a, Place b, std::size_t s) const {
    if (a.task == b.task && service(s) != ServiceKind::fifo) {
      const std::uint64_t bits = plan(a.task).bits;
      return ((bits >> (20U + a.node % 16U)) & 1U) < ((bits >> (20U + b.node % 16U)) & 1U);
    }
    return urgency(a, s) < urgency(b, s);
  }

  /// The most urgent node at s that waits and `fits`.
  template <class Fits>
  [[nodiscard]] Place best(std::size_t s, const Fits& fits) const {
    Place found;
    for (const Place& place : at_[s]) {
      if (!is_queued(place) || !fits(place)) continue;
      if (found.is_none() || comes_before(place, found, s)) found = place;
    }
    return found;
  }

  void make_ready(Place place) {
    NodeState& node = state(place);
    node.is_ready = true;
    node.ready = now_;
    node.queued = now_ + plan(place.task).ahead[place.node];
    // What is there at once competes at this instant; a server never passes it over.
    node.in_queue = node.queued <= now_;
    node.left = plan(place.task).times[place.node];
    auto& latest = observed_.ready[place.task][place.node];
    latest = std::max(latest, now_ - jobs_[place.task].nominal);
  }

  /// Makes those ready that wait for nothing any more.
  void start_nodes(std::size_t i) {
    const ChainTask& task = system_.tasks[i];
    for (std::size_t v = 0; v < task.nodes.size(); ++v) {
      if (jobs_[i].nodes[v].is_ready) continue;
      const bool waits = task.predecessors.empty()
                             ? v > 0 && !jobs_[i].nodes[v - 1].is_done
                             : std::any_of(task.predecessors[v].begin(), task.predecessors[v].end(),
                                           [&](std::size_t u) { return !jobs_[i].nodes[u].is_done; });
      if (!waits) make_ready({i, v});
    }
  }

  void complete(Place place) {
    const std::size_t i = place.task;
    Job& job = jobs_[i];
    state(place).is_done = true;
    Number& end = observed_.ends[i][place.node];
    end = std::max(end, now_ - job.nominal);
    Number& span = observed_.spans[i][place.node];
    span = std::max(span, now_ - state(place).ready);
    if (std::any_of(job.nodes.begin(), job.nodes.end(),
                    [](const NodeState& node) { return !node.is_done; })) {
      start_nodes(i);
      return;
    }
    job.active = false;
    observed_.responses[i] = std::max(observed_.responses[i], now_ - job.nominal);
    if (system_.tasks[i].best_effort && next_[i] < schedule_.jobs[i].size()) {
      nominal_[i] = now_ + schedule_.jobs[i][next_[i]].after;
    }
    release(i);
  }

  [[nodiscard]] bool has_next(std::size_t i) const {
    return !jobs_[i].active && next_[i] < schedule_.jobs[i].size();
  }
  [[nodiscard]] Number seen_at(std::size_t i) const { return nominal_[i] + schedule_.jobs[i][next_[i]].late; }

  bool release(std::size_t i) {
    if (!has_next(i) || seen_at(i) > now_) return false;
    const ChainTask& task = system_.tasks[i];
    jobs_[i].active = true;
    jobs_[i].index = next_[i];
    jobs_[i].nominal = nominal_[i];
    jobs_[i].nodes.assign(task.nodes.size(), {});
    start_nodes(i);
    ++next_[i];
    if (task.period && next_[i] < schedule_.jobs[i].size()) {
      nominal_[i] += task.period->count() + schedule_.jobs[i][next_[i]].after;
    }
    return true;
  }

  bool release() {
    bool changed = false;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      changed = release(i) || changed;
      if (!jobs_[i].active) continue;
      for (NodeState& node : jobs_[i].nodes) {
        if (!node.is_ready || node.in_queue || node.queued > now_) continue;
        node.in_queue = true;
        changed = true;
      }
    }
    return changed;
  }

  /// Everything that happens at this instant.
  void settle() {
    for (bool changed = true; changed;) {
      changed = release();
      for (std::size_t s = 0; s < servers_.size(); ++s) changed = serve(s) || changed;
    }
  }

  bool serve(std::size_t s) {
    switch (service(s)) {
      case ServiceKind::preemptive:
        return end_those_over(s) || serve_preemptive(s);
      case ServiceKind::window:
        return serve_window(s);
      case ServiceKind::non_preemptive:
      case ServiceKind::fifo:
        return serve_engines(s);
      case ServiceKind::levels:
        return places(s) > 0 ? serve_blocks(s) : serve_levels(s);
      case ServiceKind::own:
        return end_those_over(s) || serve_own(s);
    }
    return false;
  }

  /// What runs on the cores of s. A task that holds a core there and has nothing to run is one of them.
  [[nodiscard]] std::vector<Place> chosen(std::size_t s) const {
    constexpr std::size_t none_of_its_nodes = nobody;
    std::vector<Place> all;
    for (const Place& place : at_[s]) {
      if (is_queued(place)) all.push_back(place);
    }
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const bool runs = std::any_of(all.begin(), all.end(), [&](Place place) { return place.task == i; });
      if (jobs_[i].active && system_.tasks[i].held_core == s && !runs) all.push_back({i, none_of_its_nodes});
    }
    std::stable_sort(all.begin(), all.end(), [&](Place a, Place b) { return comes_before(a, b, s); });
    const auto cores = static_cast<std::size_t>(system_.servers[s].engines);
    if (all.size() > cores) all.resize(cores);
    std::erase_if(all, [](Place place) { return place.node == none_of_its_nodes; });
    return all;
  }

  /// Completes the first that `is_over`.
  template <class IsOver>
  bool complete_first(const std::vector<Place>& places, const IsOver& is_over) {
    const auto place = std::find_if(places.begin(), places.end(), is_over);
    if (place == places.end()) return false;
    complete(*place);
    return true;
  }

  bool end_those_over(std::size_t s) {
    return complete_first(at_[s], [&](Place place) { return is_queued(place) && state(place).is_over; });
  }

  /// Nodes that take no time wait for their turn, too.
  bool serve_preemptive(std::size_t s) {
    return complete_first(chosen(s), [&](Place place) { return state(place).left == 0; });
  }

  [[nodiscard]] Number left_of_window(std::size_t s) const {
    const ChainServer& server = system_.servers[s];
    const Number p = server.period.count();
    if (server.budget >= server.period) return far;
    return server.budget.count() - (now_ + p - schedule_.window_starts[s] % p) % p;
  }

  /// A block is not interrupted, and begins only if it fits the window.
  bool serve_window(std::size_t s) {
    Server& server = servers_[s];
    if (!server.running.is_none() && server.block_left == 0) server.running = {};
    if (end_those_over(s)) return true;
    if (!server.running.is_none() || left_of_window(s) <= 0) return false;
    Place place = best(s, [](Place) { return true; });
    if (place.is_none()) return false;
    if (state(place).left == 0) {
      complete(place);
      return true;
    }
    const auto block_of = [&](Place some) {
      return std::min(node_of(some).longest_block.count(), state(some).left);
    };
    // The rest of a window may be used by a shorter block of another.
    if (block_of(place) > left_of_window(s) && (plan(place.task).bits & 32U) != 0) {
      place = best(s, [&](Place some) { return block_of(some) > 0 && block_of(some) <= left_of_window(s); });
      if (place.is_none()) return false;
    }
    // What stops anywhere is chosen anew at every instant.
    if (block_of(place) == 0 || block_of(place) > left_of_window(s)) return false;
    server.running = place;
    server.block_left = block_of(place);
    return true;
  }

  /// The nodes of one job share its SMs, one at a time.
  [[nodiscard]] std::vector<Place> own_runs(std::size_t s) const {
    std::vector<Place> all;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const Place place = best(s, [&](Place some) { return some.task == i; });
      if (!place.is_none()) all.push_back(place);
    }
    return all;
  }
  bool serve_own(std::size_t s) {
    return complete_first(own_runs(s), [&](Place place) { return state(place).left == 0; });
  }

  bool serve_engines(std::size_t s) {
    bool changed = false;
    for (Place& running : servers_[s].engines) {
      if (running.is_none() || state(running).left > 0) continue;
      complete(std::exchange(running, {}));
      changed = true;
    }
    for (Place& running : servers_[s].engines) {
      if (!running.is_none()) continue;
      const auto& engines = servers_[s].engines;
      running = best(
          s, [&](Place place) { return std::find(engines.begin(), engines.end(), place) == engines.end(); });
      changed = changed || !running.is_none();
    }
    return changed;
  }

  void start_block(std::size_t s) {
    Server& server = servers_[s];
    for (std::size_t level = server.levels.size(); level > 0; --level) {
      const Place place = server.levels[level - 1];
      if (place.is_none()) continue;
      const std::uint64_t bits = plan(place.task).bits;
      Number block = std::max<Number>(node_of(place).longest_block.count(), 1);
      // Slices may be shorter.
      if ((bits & 8U) != 0 && block > 1) block = 1 + static_cast<Number>(bits >> 8U) % block;
      server.running = place;
      server.block_left = std::min(block, state(place).left);
      return;
    }
  }

  bool serve_levels(std::size_t s) {
    Server& server = servers_[s];
    bool changed = false;
    if (!server.running.is_none() && server.block_left == 0) {
      const Place place = std::exchange(server.running, {});
      const bool lazy = (plan(place.task).bits & 16U) == 0;
      const bool is_over = state(place).left == 0;
      if (is_over) std::replace(server.levels.begin(), server.levels.end(), place, Place{});
      if (lazy) start_block(s);
      if (is_over) complete(place);
      changed = true;
    }
    changed = submit(s) || changed;
    if (server.running.is_none()) {
      start_block(s);
      changed = changed || !server.running.is_none();
    }
    return changed;
  }

  [[nodiscard]] Number places(std::size_t s) const {
    return schedule_.places.empty() ? 0 : schedule_.places[s];
  }

  /// Blocks of the highest streams that have some take the free places.
  bool fill_places(std::size_t s) {
    Server& server = servers_[s];
    bool changed = false;
    for (std::size_t level = server.levels.size(); level > 0; --level) {
      const Place place = server.levels[level - 1];
      if (place.is_none()) continue;
      while (state(place).left > 0 && std::ssize(server.blocks) < places(s)) {
        const std::uint64_t bits = plan(place.task).bits;
        Number block = std::max<Number>(node_of(place).longest_block.count(), 1);
        // Blocks may be shorter.
        if ((bits & 8U) != 0) block = 1 + static_cast<Number>(bits >> (8U + state(place).left % 8)) % block;
        server.blocks.push_back({place, block});
        --state(place).left;
        changed = true;
      }
    }
    return changed;
  }

  bool serve_blocks(std::size_t s) {
    Server& server = servers_[s];
    bool changed = false;
    bool lazy = false;
    std::vector<Place> over;
    for (const Block& block : server.blocks) {
      if (block.left > 0) continue;
      changed = true;
      lazy = lazy || (plan(block.place.task).bits & 16U) == 0;
      over.push_back(block.place);
    }
    std::erase_if(server.blocks, [](const Block& block) { return block.left == 0; });
    std::erase_if(over, [&](Place place) {
      return state(place).left > 0 || std::any_of(server.blocks.begin(), server.blocks.end(),
                                                  [&](const Block& block) { return block.place == place; });
    });
    for (const Place& place : over) std::replace(server.levels.begin(), server.levels.end(), place, Place{});
    if (lazy) fill_places(s);
    for (const Place& place : over) {
      if (is_queued(place)) complete(place);
    }
    changed = submit(s) || changed;
    return fill_places(s) || changed;
  }

  bool submit(std::size_t s) {
    Server& server = servers_[s];
    bool changed = false;
    while (true) {
      std::size_t highest = nobody;
      for (std::size_t level = 0; level < server.levels.size(); ++level) {
        if (!server.levels[level].is_none()) highest = level;
      }
      const Place place = best(s, [&](Place some) {
        return std::find(server.levels.begin(), server.levels.end(), some) == server.levels.end();
      });
      if (place.is_none()) return changed;
      if (highest == nobody) {
        server.levels[0] = place;
      } else {
        if (highest + 1 == server.levels.size() || system_.tasks[place.task].best_effort) return changed;
        if (!(urgency(place, s) < urgency(server.levels[highest], s))) return changed;
        server.levels[highest + 1] = place;
      }
      changed = true;
    }
  }

  [[nodiscard]] Number next_event() const {
    Number next = far;
    const auto consider = [&](Number at) { next = std::min(next, std::max(at, now_ + 1)); };
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (has_next(i)) consider(seen_at(i));
      if (!jobs_[i].active) continue;
      for (const NodeState& node : jobs_[i].nodes) {
        if (node.is_ready && !node.in_queue) consider(node.queued);
      }
    }
    for (std::size_t s = 0; s < servers_.size(); ++s) {
      switch (service(s)) {
        case ServiceKind::preemptive:
          for (const Place& place : chosen(s)) consider(now_ + state(place).left);
          break;
        case ServiceKind::window:
          if (std::any_of(at_[s].begin(), at_[s].end(), [&](Place place) { return is_queued(place); })) {
            consider(now_ + 1);
          }
          break;
        case ServiceKind::non_preemptive:
        case ServiceKind::fifo:
          for (const Place& place : servers_[s].engines) {
            if (!place.is_none()) consider(now_ + state(place).left);
          }
          break;
        case ServiceKind::levels:
          for (const Block& block : servers_[s].blocks) consider(now_ + block.left);
          if (!servers_[s].running.is_none()) consider(now_ + servers_[s].block_left);
          break;
        case ServiceKind::own:
          for (const Place& place : own_runs(s)) consider(now_ + state(place).left);
          break;
      }
    }
    return next;
  }

  void run_for(Place place, Number by) {
    state(place).left -= by;
    state(place).is_over = state(place).left == 0;
  }

  void run_anywhere(std::size_t s, Number by) {
    if (left_of_window(s) <= 0) return;
    const Place place = best(s, [](Place) { return true; });
    if (!place.is_none() && node_of(place).longest_block == Duration{}) run_for(place, by);
  }

  void advance(Number by) {
    for (std::size_t s = 0; s < servers_.size(); ++s) {
      for (Block& block : servers_[s].blocks) block.left -= by;
      switch (service(s)) {
        case ServiceKind::preemptive:
          for (const Place& place : chosen(s)) run_for(place, by);
          break;
        case ServiceKind::non_preemptive:
        case ServiceKind::fifo:
          for (const Place& place : servers_[s].engines) {
            if (!place.is_none()) run_for(place, by);
          }
          break;
        case ServiceKind::window:
        case ServiceKind::levels:
          if (servers_[s].running.is_none()) {
            if (service(s) == ServiceKind::window) run_anywhere(s, by);
            break;
          }
          run_for(servers_[s].running, by);
          servers_[s].block_left -= by;
          break;
        case ServiceKind::own:
          for (const Place& place : own_runs(s)) run_for(place, by);
          break;
      }
    }
  }

  const ChainSystem& system_;
  const ChainSchedule& schedule_;
  std::vector<Job> jobs_;
  std::vector<std::size_t> next_;  // by task: the next job
  std::vector<Number> nominal_;    // by task: its nominal release
  std::vector<Server> servers_;
  std::vector<std::vector<Place>> at_;  // by server: the nodes there
  ChainObserved observed_;
  Number now_ = 0;
};

Number draw_time(const ChainNode& node, Number ahead, Dice& dice) {
  const Number best = node.time.best.count();
  const Number worst = node.time.worst.count() - ahead;
  switch (dice.between(0, 3)) {
    case 0:
      return best;
    case 1:
      return dice.between(best, worst);
    default:
      return worst;
  }
}

/// The most blocks of a kernel that takes no longer than the node's worst case.
Number max_blocks(const ChainNode& node, Number places) {
  const Number block = node.longest_block.count();
  return (node.time.worst.count() - block) * places / block + 1;
}

Number draw_late(const ChainTask& task, Dice& dice) {
  return dice.percent(40) ? task.jitter.count() : dice.percent(50) ? 0 : dice.between(0, task.jitter.count());
}

void draw_node(const ChainTask& task, std::size_t v, const BlockPlaces& places, ChainJob& job, Dice& dice) {
  const ChainNode& node = task.nodes[v];
  if (!places.empty() && places[node.server] > 0) {
    const Number most = max_blocks(node, places[node.server]);
    job.times[v] = dice.percent(70) ? most : dice.between(1, most);
    return;
  }
  const Number most = std::min(node.ahead.count(), node.time.worst.count() - node.time.best.count());
  job.ahead[v] = dice.percent(50) ? 0 : dice.between(0, most);
  job.times[v] = draw_time(node, job.ahead[v], dice);
}

ChainJob draw_job(const ChainTask& task, const BlockPlaces& places, Dice& dice) {
  ChainJob job;
  job.after = dice.percent(70) ? 0 : dice.between(0, 6);
  job.late = draw_late(task, dice);
  job.bits = dice.bits();
  job.ahead.resize(task.nodes.size());
  job.times.resize(task.nodes.size());
  for (std::size_t v = 0; v < task.nodes.size(); ++v) draw_node(task, v, places, job, dice);
  return job;
}

void keep_latest(std::vector<Number>& kept, const std::vector<Number>& other) {
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = std::max(kept[i], other[i]);
}

void keep_latest(std::vector<std::vector<Number>>& kept, const std::vector<std::vector<Number>>& other) {
  for (std::size_t i = 0; i < kept.size(); ++i) keep_latest(kept[i], other[i]);
}

}  // namespace

ChainObserved simulate_chains(const ChainSystem& system, const ChainSchedule& schedule) {
  return Simulation{system, schedule}.run();
}

ChainSchedule draw_chain_schedule(const ChainSystem& system, Number horizon, Dice& dice,
                                  const BlockPlaces& places) {
  ChainSchedule schedule;
  schedule.places = places;
  for (const ChainServer& server : system.servers) {
    const Number period = server.period.count();
    schedule.window_starts.push_back(period > 0 ? dice.between(0, period - 1) : 0);
  }
  for (const ChainTask& task : system.tasks) {
    Number count = 1;
    if (task.period) count = std::clamp<Number>(horizon / task.period->count(), 2, 16);
    if (task.best_effort) count = 12;
    std::vector<ChainJob>& jobs = schedule.jobs.emplace_back();
    for (Number k = 0; k < count; ++k) jobs.push_back(draw_job(task, places, dice));
    if (task.period) jobs.front().after = dice.between(0, std::min(task.period->count(), horizon));
    if (!task.period && !task.best_effort) jobs.front().after = dice.between(0, horizon / 2);
  }
  return schedule;
}

void change_chain_schedule(const ChainSystem& system, ChainSchedule& schedule, Dice& dice) {
  for (auto changes = dice.between(1, 3); changes > 0; --changes) {
    const auto i = static_cast<std::size_t>(dice.between(0, static_cast<Number>(system.tasks.size()) - 1));
    const ChainTask& task = system.tasks[i];
    auto& jobs = schedule.jobs[i];
    if (jobs.empty()) continue;
    const auto k = static_cast<std::size_t>(dice.between(0, static_cast<Number>(jobs.size()) - 1));
    ChainJob& job = jobs[k];
    switch (dice.between(0, 6)) {
      case 0:
        jobs.front().after = std::max<Number>(0, jobs.front().after + dice.between(-3, 3));
        break;
      case 1:
        job.after = std::max<Number>(0, job.after + dice.between(-2, 2));
        break;
      case 2:
        job.late = draw_late(task, dice);
        break;
      case 3:
        job.bits = dice.bits();
        break;
      case 4: {
        const auto s =
            static_cast<std::size_t>(dice.between(0, static_cast<Number>(system.servers.size()) - 1));
        const Number period = system.servers[s].period.count();
        if (period > 0) schedule.window_starts[s] = dice.between(0, period - 1);
        break;
      }
      default:
        if (task.nodes.empty()) break;
        draw_node(task, static_cast<std::size_t>(dice.between(0, static_cast<Number>(task.nodes.size()) - 1)),
                  schedule.places, job, dice);
    }
  }
}

ChainObserved climb_chains(const ChainSystem& system, std::size_t task, int simulations, Dice& dice,
                           const BlockPlaces& places) {
  Number horizon = 0;
  for (const ChainTask& other : system.tasks) {
    if (other.period) horizon = std::max(horizon, 2 * other.period->count() + other.deadline.count());
  }
  horizon = std::clamp<Number>(horizon, 20, 400);
  ChainSchedule kept = draw_chain_schedule(system, horizon, dice, places);
  ChainObserved seen = simulate_chains(system, kept);
  Number reached = seen.responses[task];
  int without_gain = 0;
  for (int n = 1; n < simulations; ++n) {
    ChainSchedule tried = kept;
    const bool anew = without_gain > 60;
    if (anew) {
      tried = draw_chain_schedule(system, horizon, dice, places);
      without_gain = 0;
    } else {
      change_chain_schedule(system, tried, dice);
    }
    const ChainObserved result = simulate_chains(system, tried);
    keep_latest(seen.responses, result.responses);
    keep_latest(seen.ready, result.ready);
    keep_latest(seen.ends, result.ends);
    keep_latest(seen.spans, result.spans);
    without_gain = !anew && result.responses[task] <= reached ? without_gain + 1 : 0;
    if (anew || result.responses[task] >= reached) {
      reached = result.responses[task];
      kept = std::move(tried);
    }
  }
  return seen;
}

}  // namespace tactus::test
