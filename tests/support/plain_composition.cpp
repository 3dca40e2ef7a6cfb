#include "support/plain_composition.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace tactus::test {

namespace {

using analysis::ChainForm;
using analysis::ChainSystem;
using analysis::ServiceKind;
using Number = std::int64_t;

constexpr Number endless = Number{1} << 50U;

Number capped(Number value) { return std::min(value, endless); }
/// For value > 0.
Number rounded_up(Number value, Number by) { return value <= 0 ? 0 : (value + by - 1) / by; }

struct Node {
  std::size_t server = 0;
  Number b = 0;
  Number w = 0;
  Number o = 0;
  Number block = 0;
  Number pb = 0;
  Number tb = 0;
  std::vector<std::size_t> before;  // nodes that it waits for, directly
  // Unknowns
  Number r = 0;
  Number s = 0;
  Number f = 0;
};

struct Task {
  std::vector<Node> nodes;
  Number t = endless;
  Number d = endless;
  Number j = 0;
  std::optional<std::size_t> core;
  bool best_effort = false;
  std::optional<Number> point;
  Number sum_w = 0;  // of a graph: the longest way
  Number sum_b = 0;
  std::vector<std::vector<std::size_t>> ways;
  // Unknowns
  Number r = 0;
  bool calm = true;
  Number spin = 0;
};

/// What a task puts on one server, a node of it or all the time for which it keeps its core.
struct Part {
  Number e = 0;
  Number pb = 0;
  Number b = 0;
  Number f = 0;
  Number latest = 0;  // S + o
  std::size_t node = 0;
};

struct Blocker {
  std::size_t task = 0;
  std::size_t node = 0;
  Number length = 0;
  friend auto operator<=>(const Blocker&, const Blocker&) = default;
};

class Twin {
 public:
  Twin(const ChainSystem& system, ChainForm form, const CompositionMistake& mistake,
       const CompositionCoarsening& coarsening)
      : system_{system}, plain_{form == ChainForm::plain}, mistake_{mistake}, as_rtgpu_{coarsening.as_rtgpu} {
    for (const analysis::ChainTask& given : system.tasks) {
      Task task;
      if (given.period) task.t = given.period->count();
      task.best_effort = given.best_effort;
      if (!given.best_effort) task.d = given.deadline.count();
      task.j = given.jitter.count();
      if (!mistake.busy_is_suspended) task.core = given.held_core;
      for (const analysis::ChainNode& node : given.nodes) {
        Node own;
        own.server = node.server;
        own.b = node.time.best.count();
        own.w = node.time.worst.count();
        own.o = node.ahead.count();
        own.block = node.longest_block.count();
        const std::size_t v = task.nodes.size();
        if (!given.predecessors.empty()) {
          own.before = given.predecessors[v];
        } else if (v > 0) {
          own.before = {v - 1};
        }
        task.nodes.push_back(own);
      }
      if (given.priority_point) task.point = given.priority_point->count();
      for (std::size_t v = 0; v < task.nodes.size(); ++v) {
        task.nodes[v].pb = longest_to(task, v, mistake.worst_in_gaps);
        task.nodes[v].tb = longest_from(task, v);
        task.sum_b = std::max(task.sum_b, longest_to(task, v, false) + task.nodes[v].b);
        task.sum_w = std::max(task.sum_w, longest_to(task, v, true) + task.nodes[v].w);
        if (task.nodes[v].before.empty()) add_ways(task, {v});
      }
      task.r = task.best_effort ? endless : task.j + task.sum_w;
      task.spin = task.sum_w;
      for (Node& node : task.nodes) node.r = node.w;
      place_nodes(task);
      tasks_.push_back(task);
    }
  }

  PlainBounds run() {
    for (int sweep = 0; sweep < 5000; ++sweep) {
      bool changed = false;
      for (std::size_t i = 0; i < tasks_.size(); ++i) changed = update(i) || changed;
      if (!changed) return bounds();
    }
    for (Task& task : tasks_) task.r = endless;
    return bounds();
  }

 private:
  [[nodiscard]] PlainBounds bounds() const {
    PlainBounds bounds;
    for (const Task& task : tasks_) {
      bounds.responses.push_back(task.r < endless ? std::optional{task.r} : std::nullopt);
      bounds.calm.push_back(task.calm && task.r < endless);
      auto& ready = bounds.ready.emplace_back();
      auto& end = bounds.end.emplace_back();
      auto& node_bounds = bounds.node.emplace_back();
      for (const Node& node : task.nodes) {
        const bool known = task.r < endless;
        ready.push_back(known && node.s < endless ? node.s : -1);
        end.push_back(known && node.f < endless ? node.f : -1);
        node_bounds.push_back(known && node.r < endless ? node.r : -1);
      }
    }
    return bounds;
  }

  void place_nodes(Task& task) const {
    for (Node& node : task.nodes) {
      Number before = node.before.empty() ? (task.calm ? task.j : endless) : 0;
      for (const std::size_t u : node.before) before = std::max(before, task.nodes[u].f);
      node.s = task.r >= endless ? endless : std::min(before, task.r - node.tb - node.b);
      node.f = task.r >= endless ? endless : std::min(capped(node.s + node.r), task.r - node.tb);
      if (as_rtgpu_ && task.r < endless) node.f = task.r - node.tb;
    }
  }

  // Graphs

  /// The longest way to a node, without it.
  static Number longest_to(const Task& task, std::size_t v, bool worst) {
    Number longest = 0;
    for (const std::size_t u : task.nodes[v].before) {
      longest = std::max(longest, longest_to(task, u, worst) + (worst ? task.nodes[u].w : task.nodes[u].b));
    }
    return longest;
  }
  static std::vector<std::size_t> successors(const Task& task, std::size_t v) {
    std::vector<std::size_t> all;
    for (std::size_t next = 0; next < task.nodes.size(); ++next) {
      const auto& before = task.nodes[next].before;
      if (std::find(before.begin(), before.end(), v) != before.end()) all.push_back(next);
    }
    return all;
  }
  static Number longest_from(const Task& task, std::size_t v) {
    Number longest = 0;
    for (const std::size_t next : successors(task, v)) {
      longest = std::max(longest, task.nodes[next].b + longest_from(task, next));
    }
    return longest;
  }
  static void add_ways(Task& task, const std::vector<std::size_t>& way) {
    const std::vector<std::size_t> next = successors(task, way.back());
    if (next.empty()) task.ways.push_back(way);
    for (const std::size_t v : next) {
      std::vector<std::size_t> longer = way;
      longer.push_back(v);
      add_ways(task, longer);
    }
  }
  static bool waits_for(const Task& task, std::size_t v, std::size_t u) {
    return std::any_of(task.nodes[v].before.begin(), task.nodes[v].before.end(),
                       [&](std::size_t before) { return before == u || waits_for(task, before, u); });
  }
  /// The longest way between two nodes; -1 for none.
  [[nodiscard]] Number gap_between(const Task& task, std::size_t from, std::size_t to) const {
    Number longest = -1;
    for (const std::size_t before : task.nodes[to].before) {
      if (before == from) longest = std::max(longest, Number{0});
      const Number gap = before == from ? -1 : gap_between(task, from, before);
      if (gap >= 0)
        longest =
            std::max(longest, gap + (mistake_.worst_in_gaps ? task.nodes[before].w : task.nodes[before].b));
    }
    return longest;
  }
  [[nodiscard]] static bool is_beside(const Task& task, std::size_t v, std::size_t u) {
    return u != v && task.nodes[u].server == task.nodes[v].server && !waits_for(task, u, v) &&
           !waits_for(task, v, u);
  }

  // Servers

  [[nodiscard]] bool is_edf(std::size_t s) const { return system_.servers[s].order != Order::fp; }
  [[nodiscard]] Number point(const Task& task, std::size_t s) const {
    return system_.servers[s].order == Order::fair_lateness && task.point ? *task.point : task.d;
  }
  [[nodiscard]] ServiceKind service(std::size_t s) const {
    const ServiceKind service = system_.servers[s].service;
    return service == ServiceKind::levels && system_.servers[s].levels == 1 ? ServiceKind::non_preemptive
                                                                            : service;
  }

  [[nodiscard]] std::vector<Part> parts(const Task& task, std::size_t s) const {
    if (task.core == s) {
      return {{task.spin, 0, 0, task.r, task.calm ? task.j : task.r - task.sum_b, 0}};
    }
    std::vector<Part> parts;
    for (std::size_t v = 0; v < task.nodes.size(); ++v) {
      const Node& node = task.nodes[v];
      if (node.server != s) continue;
      Number latest = node.s + (mistake_.ready_without_ahead ? 0 : node.o);
      if (mistake_.release_jitter_only) latest = node.pb + task.j;
      parts.push_back({node.w, node.pb, node.b, node.f, latest, v});
    }
    return parts;
  }

  /// Parts of which each waits for the one before it.
  [[nodiscard]] std::vector<std::vector<Part>> lines(const Task& task, std::size_t s) const {
    std::vector<std::vector<Part>> lines;
    for (const Part& part : parts(task, s)) {
      const auto line = std::find_if(lines.begin(), lines.end(), [&](const std::vector<Part>& some) {
        return waits_for(task, part.node, some.back().node);
      });
      if (line == lines.end()) {
        lines.push_back({part});
      } else {
        line->push_back(part);
      }
    }
    return lines;
  }

  /// Work in [0, x) if part h starts at 0, gaps are the least, the first wrap is wrap1, the later ones wrap2.
  [[nodiscard]] Number walk(const Task& task, const std::vector<Part>& parts, std::size_t h, Number x) const {
    Number wrap2 = task.t;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      wrap2 -= parts[p].e;
      if (p > 0) wrap2 -= gap_between(task, parts[p - 1].node, parts[p].node);
    }
    const Number wrap1 = mistake_.no_carry_in ? wrap2 : task.t + parts.front().pb - parts.back().f;
    Number now = 0;
    Number work = 0;
    bool wrapped = false;
    for (std::size_t p = h; now < x; p = (p + 1) % parts.size()) {
      work += std::min(parts[p].e, x - now);
      now += parts[p].e;
      if (p + 1 < parts.size()) {
        now += gap_between(task, parts[p].node, parts[p + 1].node);
      } else {
        now += wrapped ? wrap2 : wrap1;
        wrapped = true;
      }
    }
    return work;
  }

  // Section 2

  [[nodiscard]] Number w_of(const Task& task, std::size_t s, Number x) const {
    const std::vector<Part> all = parts(task, s);
    if (x <= 0 || all.empty()) return 0;
    if (task.r >= endless) return endless;
    for (const Part& part : all) {
      if (part.e > task.t) return endless;
    }
    if (plain_ && !is_edf(s) && system_.servers[s].engines == 1) return endless;
    Number sum = 0;
    for (const std::vector<Part>& line : lines(task, s)) sum += line_of(task, line, x);
    return plain_ ? sum : std::min(sum, x);
  }

  [[nodiscard]] Number line_of(const Task& task, const std::vector<Part>& line, Number x) const {
    Number work = 0;
    for (const Part& part : line) {
      for (Number k = 0; x + part.f - part.pb - part.e - k * task.t > 0; ++k) {
        work += std::min(part.e, x + part.f - part.pb - part.e - k * task.t);
      }
    }
    if (plain_ || task.r > task.t) return work;
    Number chain = 0;
    for (std::size_t h = 0; h < line.size(); ++h) chain = std::max(chain, walk(task, line, h, x));
    return as_rtgpu_ ? chain : std::min(work, chain);
  }

  [[nodiscard]] Number m_of(const Task& task, std::size_t s, Number x) const {
    if (x <= 0) return 0;
    Number count = 0;
    for (const Part& part : parts(task, s)) {
      if (task.r >= endless) return endless;
      count += rounded_up(x + part.f - part.pb - part.b, task.t);
    }
    return count;
  }

  [[nodiscard]] Number n_of(const Task& task, std::size_t s, Number x, Number c) const {
    if (x <= 0) return 0;
    Number work = 0;
    for (const Part& part : parts(task, s)) {
      if (task.r >= endless) return endless;
      work += rounded_up(x + part.latest - part.pb, task.t) * (part.e + c);
    }
    return work;
  }

  [[nodiscard]] Number back(const Task& task, std::size_t s, Number z) const {
    Number work = 0;
    for (const std::vector<Part>& line : lines(task, s)) {
      Number left = z - task.nodes[line.back().node].tb;
      for (std::size_t p = line.size(); p > 0 && left > 0; --p) {
        work += std::min(line[p - 1].e, left);
        left -= line[p - 1].e;
        if (p > 1) left -= gap_between(task, line[p - 2].node, line[p - 1].node);
      }
    }
    return work;
  }

  [[nodiscard]] Number e_of(const Task& task, std::size_t s, Number y) const {
    const std::vector<Part> all = parts(task, s);
    if (all.empty()) return 0;
    if (task.r >= endless) return endless;
    Number work = 0;
    const Number d = point(task, s);
    for (Number k = 0; y - d + task.r - k * task.t >= 0; ++k) {
      const Number z = y - d + task.r - k * task.t;
      if (task.core == s) {
        work += std::min(task.spin, z);
        continue;
      }
      Number apart = 0;
      for (const Part& part : all) {
        apart += std::min(part.e, std::max(Number{0}, y - d + part.f - k * task.t));
      }
      work += plain_ ? apart : std::min(apart, back(task, s, z));
    }
    return work;
  }

  [[nodiscard]] Number mdl_of(const Task& task, std::size_t s, Number y) const {
    Number count = 0;
    for (const Part& part : parts(task, s)) {
      if (task.r >= endless) return endless;
      for (Number k = 0; y - point(task, s) + part.f - k * task.t >= 0; ++k) ++count;
    }
    return count;
  }

  // Section 3

  [[nodiscard]] bool uses(const Task& task, std::size_t s) const { return !parts(task, s).empty(); }

  /// Whether j is more urgent than i on s.
  [[nodiscard]] bool above(std::size_t j, std::size_t i, std::size_t s) const {
    const std::vector<std::size_t>& ranks = system_.servers[s].ranks;
    if (ranks.empty() || mistake_.one_order_for_all_servers) return j < i;
    return ranks[j] < ranks[i];
  }

  [[nodiscard]] std::vector<std::size_t> rivals(std::size_t i, std::size_t s) const {
    std::vector<std::size_t> all;
    for (std::size_t j = 0; j < tasks_.size(); ++j) {
      if (j == i || tasks_[j].best_effort || !uses(tasks_[j], s)) continue;
      if (is_edf(s) || above(j, i, s)) all.push_back(j);
    }
    return all;
  }

  [[nodiscard]] Number low_block(std::size_t i, std::size_t s) const {
    if (service(s) != ServiceKind::levels) return 0;
    Number longest = 0;
    for (std::size_t l = 0; l < tasks_.size(); ++l) {
      if (l == i || (!is_edf(s) && above(l, i, s))) continue;
      for (const Node& node : tasks_[l].nodes) {
        if (node.server == s) longest = std::max(longest, node.block);
      }
    }
    return longest;
  }

  [[nodiscard]] Number any(std::size_t i, std::size_t s, Number x, std::optional<Number> y) const {
    const Number c = low_block(i, s);
    Number sum = 0;
    for (const std::size_t j : rivals(i, s)) {
      const Task& task = tasks_[j];
      Number work = capped(w_of(task, s, x));
      if (c > 0 && !mistake_.low_blocks_once)
        work = capped(work + c * std::min(endless / c, m_of(task, s, x)));
      if (is_edf(s) && y) {
        Number by_deadline = capped(e_of(task, s, *y));
        if (c > 0 && !mistake_.low_blocks_once) {
          by_deadline = capped(by_deadline + c * std::min(endless / c, mdl_of(task, s, *y)));
        }
        work = std::min(work, by_deadline);
      }
      sum = capped(sum + work);
    }
    return sum;
  }

  [[nodiscard]] Number fresh(std::size_t i, std::size_t s, Number x) const {
    const Number c = mistake_.low_blocks_once ? 0 : low_block(i, s);
    Number sum = 0;
    for (const std::size_t j : rivals(i, s)) {
      const Task& task = tasks_[j];
      Number work = capped(w_of(task, s, x));
      if (c > 0) work = capped(work + c * std::min(endless / c, m_of(task, s, x)));
      sum = capped(sum + (as_rtgpu_ ? work : std::min(work, capped(n_of(task, s, x, c)))));
    }
    return sum;
  }

  /// How many tasks use s; below a task where that is given.
  [[nodiscard]] std::size_t gpu_tasks(std::size_t s, std::optional<std::size_t> below) const {
    std::size_t count = 0;
    for (std::size_t l = 0; l < tasks_.size(); ++l) {
      if (below && !above(*below, l, s)) continue;
      const auto& nodes = tasks_[l].nodes;
      if (std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) { return node.server == s; }))
        ++count;
    }
    return count;
  }

  [[nodiscard]] bool reaches_last_level(std::size_t l, std::size_t s) const {
    if (mistake_.last_level_forgotten) return false;
    const auto levels = static_cast<std::size_t>(system_.servers[s].levels);
    return is_edf(s) ? gpu_tasks(s, std::nullopt) >= levels + 1 : gpu_tasks(s, l) >= levels - 1;
  }

  [[nodiscard]] std::vector<Blocker> blockers(std::size_t i, const Node& v) const {
    const std::size_t s = v.server;
    const ServiceKind kind = service(s);
    std::vector<Blocker> all;
    if (kind != ServiceKind::non_preemptive && kind != ServiceKind::levels && kind != ServiceKind::window)
      return all;
    if (is_edf(s) && mistake_.edf_never_blocked) return all;
    for (std::size_t l = 0; l < tasks_.size(); ++l) {
      if (l == i || (!is_edf(s) && above(l, i, s))) continue;
      const Task& task = tasks_[l];
      Number more = 0;
      if (kind == ServiceKind::levels) {
        if (!reaches_last_level(l, s)) continue;
        more = (is_edf(s) ? low_block(i, s) : low_block(l, s)) * (mistake_.one_low_block ? 1 : 2);
      }
      for (std::size_t u = 0; u < task.nodes.size(); ++u) {
        const Node& node = task.nodes[u];
        if (node.server != s) continue;
        if (is_edf(s) && !(point(task, s) - node.pb >
                           point(tasks_[i], s) - v.s - (mistake_.blocked_until_ready_only ? 0 : v.o)))
          continue;
        all.push_back({l, u, kind == ServiceKind::window ? node.block : node.w + more});
      }
    }
    return all;
  }

  [[nodiscard]] Number blocking(std::size_t i, const Node& v) const {
    Number longest = low_block(i, v.server);
    for (const Blocker& blocker : blockers(i, v)) longest = std::max(longest, blocker.length);
    return longest;
  }

  /// The least x with demand(x) <= x, for a demand that never falls.
  static Number least(Number from, Number limit, const std::function<Number(Number)>& demand) {
    Number x = from;
    while (x <= limit) {
      const Number needed = demand(x);
      if (needed <= x) return x;
      x = needed;
    }
    return endless;
  }

  [[nodiscard]] bool closes(std::size_t s) const {
    return service(s) == ServiceKind::window && system_.servers[s].budget < system_.servers[s].period;
  }

  [[nodiscard]] Number supply(std::size_t s, Number x) const {
    const Number p = system_.servers[s].period.count();
    Number longest = 0;
    for (const Task& task : tasks_) {
      for (const Node& node : task.nodes) {
        if (!task.best_effort && node.server == s) longest = std::max(longest, node.block);
      }
    }
    if (system_.servers[s].budget.count() >= p) return x;
    if (mistake_.window_ends_ignored) longest = 0;
    const Number q = std::max(Number{0}, system_.servers[s].budget.count() - longest);
    if (mistake_.supply_at_once) return x / p * q + std::min(x % p, q);
    return x / p * q + std::max(Number{0}, x % p - (p - q));
  }

  /// The longest time for which all cores can be busy with others.
  [[nodiscard]] Number all_busy(std::size_t i, std::size_t s, Number x, std::optional<Number> y,
                                const std::vector<Number>& beside) const {
    const auto work_in = [&](Number busy) {
      Number sum = 0;
      for (const std::size_t j : rivals(i, s)) {
        const Task& task = tasks_[j];
        if (task.r >= endless) return endless;
        Number work = 0;
        const std::vector<Part> all = parts(task, s);
        const bool fits =
            std::all_of(all.begin(), all.end(), [&](const Part& part) { return part.e <= task.t; });
        for (const std::vector<Part>& line : lines(task, s)) {
          const Number most =
              mistake_.no_carry_in_on_cores ? rounded_up(x, task.t) * line.front().e : line_of(task, line, x);
          work += std::min(busy, fits ? most : endless);
        }
        sum += y ? std::min(work, capped(e_of(task, s, *y))) : work;
      }
      for (const Number other : beside) sum += std::min(busy, other);
      return sum;
    };
    for (Number busy = x; busy > 0; --busy) {
      if (system_.servers[s].engines * busy <= work_in(busy)) return busy;
    }
    return 0;
  }

  [[nodiscard]] std::vector<Number> beside_of(const Task& task, const std::vector<std::size_t>& way,
                                              std::size_t s) const {
    std::vector<Number> all;
    if (mistake_.own_branches_forgotten) return all;
    for (std::size_t u = 0; u < task.nodes.size(); ++u) {
      if (std::find(way.begin(), way.end(), u) != way.end()) continue;
      if (std::any_of(way.begin(), way.end(),
                      [&](std::size_t v) { return task.nodes[v].server == s && is_beside(task, v, u); })) {
        all.push_back(task.nodes[u].w);
      }
    }
    return all;
  }

  [[nodiscard]] Number queue_of(std::size_t j, std::size_t s) const {
    const Task& task = tasks_[j];
    std::vector<std::vector<std::size_t>> found;
    for (std::size_t v = 0; v < task.nodes.size(); ++v) {
      if (task.nodes[v].server != s) continue;
      const auto line = std::find_if(found.begin(), found.end(), [&](const std::vector<std::size_t>& some) {
        return waits_for(task, v, some.back());
      });
      if (line == found.end()) {
        found.push_back({v});
      } else {
        line->push_back(v);
      }
    }
    Number sum = 0;
    for (const auto& line : found) {
      Number longest = 0;
      for (const std::size_t v : line) longest = std::max(longest, task.nodes[v].w);
      sum = mistake_.one_node_in_queue ? std::max(sum, longest) : sum + longest;
    }
    return sum;
  }

  /// One node, and what its response is made of.
  struct Asked {
    std::size_t i = 0;
    const Task& own;
    const Node& v;
    std::size_t s = 0;
    Number limit = 0;
    std::optional<Number> y{};     // under EDF
    std::vector<Number> others{};  // of the own job, beside it
    Number beside = 0;
    Number b = 0;
  };

  [[nodiscard]] Number response(std::size_t i, std::size_t index) const {
    const Task& own = tasks_[i];
    const Node& v = own.nodes[index];
    Asked asked{.i = i, .own = own, .v = v, .s = v.server, .limit = own.d - own.j};
    if (is_edf(v.server)) asked.y = point(own, v.server) - v.pb;
    asked.others = beside_of(own, {index}, v.server);
    for (const Number other : asked.others) asked.beside += other + low_block(i, v.server);
    asked.b = blocking(i, v);
    switch (service(v.server)) {
      case ServiceKind::own:
        return v.w + asked.beside;
      case ServiceKind::fifo:
        return in_turn(asked);
      case ServiceKind::preemptive:
        return std::min(preemptive(asked), by_deadlines(asked, index));
      case ServiceKind::window:
        return std::min(in_windows(asked), by_deadlines(asked, index));
      case ServiceKind::non_preemptive:
        return std::min(non_preemptive(asked), by_deadlines(asked, index));
      case ServiceKind::levels:
        return on_levels(asked);
    }
    return endless;
  }

  [[nodiscard]] Number interference(const Asked& asked, Number x) const {
    return asked.y ? any(asked.i, asked.s, x, asked.y) : fresh(asked.i, asked.s, x);
  }

  [[nodiscard]] Number in_turn(const Asked& asked) const {
    Number sum = asked.v.w + asked.beside;
    Number largest = 0;
    for (std::size_t j = 0; j < tasks_.size(); ++j) {
      if (j == asked.i) continue;
      sum += queue_of(j, asked.s);
      largest = std::max(largest, queue_of(j, asked.s));
    }
    return mistake_.others_forgotten_in_fifo ? asked.v.w + largest : sum;
  }

  [[nodiscard]] Number preemptive(const Asked& asked) const {
    const Number w = asked.v.w;
    if (system_.servers[asked.s].engines > 1) {
      return least(w, asked.limit,
                   [&](Number x) { return w + all_busy(asked.i, asked.s, x, asked.y, asked.others); });
    }
    return least(w, asked.limit, [&](Number x) { return w + asked.beside + interference(asked, x); });
  }

  [[nodiscard]] Number in_windows(const Asked& asked) const {
    const auto least_with = [&](Number b) {
      for (Number x = asked.v.w; x <= asked.limit; ++x) {
        if (b + asked.v.w + asked.beside + interference(asked, x) <= supply(asked.s, x)) return x;
      }
      return endless;
    };
    Number b = mistake_.window_blocks_ignored ? 0 : asked.b;
    const Number alone = least_with(b);
    if (asked.y || (asked.own.nodes.size() == 1 && asked.own.j + alone <= asked.own.t)) return alone;
    for (const Node& u : asked.own.nodes) {
      if (u.server == asked.s) b = std::max(b, u.block);
    }
    return least_with(b);
  }

  /// Jobs of a part released so that it reaches the server from 0 on, before x, with a deadline up to a.
  [[nodiscard]] static Number jobs_by(Number a, Number x, Number point, Number pb, Number latest, Number t) {
    const Number since = std::min(a - point, x - pb - 1) + latest;
    if (since < 0) return 0;
    return t >= endless ? 1 : since / t + 1;
  }

  /// EDF from the last instant without unfinished work of deadlines up to the job's: every distance a to its
  /// deadline.
  [[nodiscard]] Number by_deadlines(const Asked& asked, std::size_t index) const {
    const std::size_t s = asked.s;
    const Task& own = asked.own;
    if (plain_ || !asked.y || system_.servers[s].engines > 1 || own.core == s) return endless;
    const Number d = point(own, s);
    const bool starts = service(s) == ServiceKind::non_preemptive;
    const auto covered = [&](Number from, Number limit, const std::function<Number(Number)>& demand) {
      for (Number x = from; x <= limit; ++x) {
        if (demand(x) <= (closes(s) ? supply(s, x) : x)) return x;
        if (demand(x) > limit) break;
      }
      return endless;
    };
    const auto blocked = [&](Number a) {
      Node at = asked.v;
      at.s = d - a;
      at.o = 0;
      return blocking(asked.i, at);
    };
    for (const std::size_t j : rivals(asked.i, s)) {
      if (tasks_[j].r >= endless) return endless;
    }
    const Number first = d - asked.v.s - asked.v.o;
    const Number busy = covered(1, own.t >= endless ? own.d : std::max(own.d, 1000 * own.t), [&](Number x) {
      Number sum = blocked(first) + n_of(own, s, x, 0);
      for (const std::size_t j : rivals(asked.i, s)) sum = capped(sum + n_of(tasks_[j], s, x, 0));
      return sum;
    });
    if (busy >= endless) return endless;
    Number longest = 0;
    for (Number a = first; a <= busy - asked.v.pb + d; ++a) {
      Number before = 0;
      for (std::size_t u = 0; u < own.nodes.size(); ++u) {
        const Node& node = own.nodes[u];
        if (node.server != s) continue;
        const bool is_ahead = u < index && !is_beside(own, index, u);
        const Number jobs = jobs_by(a, endless, d, 0, node.s + node.o, own.t);
        if (mistake_.edf_own_jobs_forgotten) continue;
        before += std::max(Number{0}, jobs - (is_ahead ? 0 : 1)) * node.w;
      }
      const Number reached = std::max({Number{0}, before, a - d + asked.v.pb});
      const Number work = blocked(a) + asked.beside + before + (starts ? 1 : asked.v.w);
      const Number x = covered(work, asked.limit + reached, [&](Number length) {
        Number sum = work;
        for (const std::size_t j : rivals(asked.i, s)) {
          for (const Part& part : parts(tasks_[j], s)) {
            const Number latest = mistake_.release_jitter_only ? tasks_[j].j : part.latest;
            sum += jobs_by(a, length, point(tasks_[j], s), part.pb, latest, tasks_[j].t) * part.e;
          }
        }
        return sum;
      });
      if (x >= endless) return endless;
      longest = std::max(longest, (starts ? x - 1 + asked.v.w : x) - reached);
      if (mistake_.edf_from_release_only) break;
    }
    return longest;
  }

  [[nodiscard]] Number non_preemptive(const Asked& asked) const {
    const Number more = mistake_.no_back_off ? 0 : 1;
    const Number w = asked.v.w;
    const Number ahead = asked.b + asked.beside;
    const Number a =
        least(ahead, asked.limit, [&](Number x) { return ahead + any(asked.i, asked.s, x + more, asked.y); });
    if (asked.y || system_.servers[asked.s].engines > 1 || as_rtgpu_) return capped(w + a);
    Number later =
        least(ahead, asked.limit, [&](Number x) { return ahead + fresh(asked.i, asked.s, x + more); });
    for (const Node& u : asked.own.nodes) {
      if (u.server != asked.s || u.w <= asked.b || mistake_.own_nodes_forgotten) continue;
      const Number g = least(u.w + asked.beside, asked.limit + u.w, [&](Number x) {
        return u.w + asked.beside + fresh(asked.i, asked.s, x + more);
      });
      later = std::max(later, g >= endless ? endless : g - u.w);
    }
    return capped(w + std::min(a, later));
  }

  [[nodiscard]] Number on_levels(const Asked& asked) const {
    const Task& own = asked.own;
    const Number c = low_block(asked.i, asked.s);
    const Number all = asked.b + asked.v.w + asked.beside;
    const Number a =
        least(all, asked.limit, [&](Number x) { return all + any(asked.i, asked.s, x, asked.y); });
    if (asked.y) return a;
    Number later = least(all, asked.limit, [&](Number x) { return all + fresh(asked.i, asked.s, x); });
    if (own.nodes.size() == 1 && own.j + later <= own.t) return std::min(a, later);
    for (const Node& u : own.nodes) {
      if (u.server != asked.s) continue;
      const Number start = 2 * c + u.w + asked.v.w + asked.beside;
      const Number g =
          least(start, asked.limit + u.w + c, [&](Number x) { return start + fresh(asked.i, asked.s, x); });
      later = std::max(later, g >= endless ? endless : g - u.w - c);
    }
    return std::min(a, later);
  }

  // Section 4

  [[nodiscard]] Number others(std::size_t i, std::size_t s, Number q, Number x, Number nodes,
                              const std::vector<Number>& beside) const {
    const std::optional<Number> y = q == 1 && is_edf(s) ? std::optional{point(tasks_[i], s)} : std::nullopt;
    if (service(s) == ServiceKind::preemptive && system_.servers[s].engines > 1) {
      return all_busy(i, s, x, y, beside);
    }
    Number sum = 0;
    for (const Number other : beside) sum += q * (other + low_block(i, s));
    if (service(s) != ServiceKind::fifo) return capped(sum + any(i, s, x, y));
    for (std::size_t j = 0; j < tasks_.size(); ++j) {
      if (j != i) sum += std::min(q * nodes * queue_of(j, s), capped(w_of(tasks_[j], s, x)));
    }
    return sum;
  }

  [[nodiscard]] Number blocks(std::size_t i, const std::vector<std::size_t>& way, std::size_t s, Number q,
                              Number x) const {
    Number each = 0;
    Number count = 0;
    std::set<Blocker> all;
    for (const std::size_t index : way) {
      const Node& v = tasks_[i].nodes[index];
      if (v.server != s) continue;
      each += q * blocking(i, v);
      ++count;
      const std::vector<Blocker> some = blockers(i, v);
      all.insert(some.begin(), some.end());
    }
    count *= q;
    if (mistake_.blocked_once_a_job) count = q;
    std::vector<Number> lengths(static_cast<std::size_t>(count), low_block(i, s));
    for (const Blocker& blocker : all) {
      const Task& task = tasks_[blocker.task];
      const Node& node = task.nodes[blocker.node];
      Number times = count;
      if (task.r < endless) times = std::min(times, rounded_up(x + node.f - node.pb, task.t));
      if (mistake_.each_blocker_once) times = 1;
      for (Number n = 0; n < times; ++n) lengths.push_back(blocker.length);
    }
    std::sort(lengths.rbegin(), lengths.rend());
    Number sum = 0;
    for (Number n = 0; n < count; ++n) sum += lengths[static_cast<std::size_t>(n)];
    return as_rtgpu_ || service(s) == ServiceKind::window ? each : std::min(each, sum);
  }

  [[nodiscard]] Number stay(std::size_t i, const std::vector<std::size_t>& way, std::size_t s, Number q,
                            Number x) const {
    Number by_node = 0;
    Number own = 0;
    Number nodes = 0;
    for (const std::size_t index : way) {
      const Node& v = tasks_[i].nodes[index];
      if (v.server != s) continue;
      by_node = capped(by_node + q * std::min(v.r, endless / q));
      own += q * v.w;
      ++nodes;
    }
    if (nodes == 0) return 0;
    const std::vector<Number> beside = beside_of(tasks_[i], way, s);
    if (service(s) == ServiceKind::own) {
      for (const Number other : beside) own += q * other;
      return own;
    }
    if (plain_ || closes(s)) return by_node;
    return std::min(by_node, capped(own + blocks(i, way, s, q, x) + others(i, s, q, x, nodes, beside)));
  }

  [[nodiscard]] std::set<std::size_t> servers(const Task& task) const {
    std::set<std::size_t> all;
    for (const Node& node : task.nodes) all.insert(node.server);
    return all;
  }

  [[nodiscard]] static std::vector<std::size_t> all_nodes(const Task& task) {
    std::vector<std::size_t> all(task.nodes.size());
    for (std::size_t v = 0; v < all.size(); ++v) all[v] = v;
    return all;
  }

  [[nodiscard]] Number row(std::size_t i, Number q) const {
    const Task& own = tasks_[i];
    const Number limit = own.d - own.j + (q - 1) * (q > 1 ? own.t : 0);
    const std::set<std::size_t> all = servers(own);
    const auto along = [&](const std::vector<std::size_t>& way) {
      Number start = 0;
      for (const std::size_t v : way) start += q * own.nodes[v].w;
      return least(start, limit, [&](Number x) {
        Number sum = 0;
        for (const std::size_t s : all) sum = capped(sum + stay(i, way, s, q, x));
        return sum;
      });
    };
    Number longest = 0;
    if (q == 1) {
      for (const auto& way : own.ways) {
        longest = std::max(longest, along(way));
        if (mistake_.one_way_only) break;
      }
      return longest;
    }
    if (own.ways.size() == 1) return along(own.ways.front());
    for (const auto& way : own.ways) {
      Number sum = 0;
      for (const std::size_t v : way) sum = capped(sum + own.nodes[v].r);
      longest = std::max(longest, sum);
    }
    longest = capped(q * std::min(longest, endless / q));
    if (longest > limit) longest = endless;
    return std::min(longest, along(all_nodes(own)));
  }

  [[nodiscard]] bool has_np_fp(std::size_t i) const {
    const Task& own = tasks_[i];
    if (own.nodes.size() != 1 || own.core || as_rtgpu_) return false;
    if (own.nodes.front().o > 0 && !mistake_.all_jobs_at_once) return false;
    const std::size_t s = own.nodes.front().server;
    return service(s) == ServiceKind::non_preemptive && !is_edf(s) && system_.servers[s].engines == 1;
  }

  [[nodiscard]] Number np_fp(std::size_t i) const {
    const Task& own = tasks_[i];
    const Node& v = own.nodes.front();
    const Number b = blocking(i, v);
    const auto urgent = [&](Number x) {
      Number sum = 0;
      for (const std::size_t j : rivals(i, v.server)) sum = capped(sum + n_of(tasks_[j], v.server, x, 0));
      return sum;
    };
    const bool once = own.t >= endless;
    const Number limit = once ? own.d : 1000 * own.t;
    Number jobs = 1;
    if (!once) {
      const Number busy = least(b + v.w, limit, [&](Number x) {
        return capped(b + urgent(x) + rounded_up(x + own.j, own.t) * v.w);
      });
      if (busy >= endless) return endless;
      jobs = rounded_up(busy + own.j, own.t);
    }
    Number most = 0;
    for (Number k = 0; k < jobs; ++k) {
      const Number start = least(b + k * v.w, limit, [&](Number x) { return b + k * v.w + urgent(x + 1); });
      if (start >= endless) return endless;
      most = std::max(most, start - (once ? 0 : k * own.t) + v.w);
    }
    return own.j + most;
  }

  bool update(std::size_t i) {
    Task& own = tasks_[i];
    if (own.r >= endless) return false;
    const Task before = own;
    std::vector<Number> responses;
    for (std::size_t v = 0; v < own.nodes.size(); ++v) responses.push_back(response(i, v));
    for (std::size_t v = 0; v < own.nodes.size(); ++v) own.nodes[v].r = responses[v];
    Number most = 0;
    const Number first = row(i, 1);
    for (Number q = 1; most < endless; ++q) {
      const Number x = q == 1 ? first : row(i, q);
      if (q > 1000 || x >= endless) {
        most = endless;
        break;
      }
      most = std::max(most, x - (q == 1 ? 0 : (q - 1) * own.t));
      if (own.t >= endless || x <= q * own.t || mistake_.first_job_only) break;
    }
    own.r = capped(own.j + most);
    own.calm = first <= own.t;
    if (has_np_fp(i)) {
      own.r = std::min(own.r, np_fp(i));
      own.calm = own.calm && own.r <= own.t;
    }
    if (mistake_.first_job_only) own.calm = true;
    if (own.r > own.d) own.r = endless;
    place_nodes(own);
    if (own.core && own.r < endless) {
      const Number x = own.calm ? own.r - own.j : own.r;
      Number sum = 0;
      for (const auto& way : own.ways) {
        Number elsewhere = 0;
        for (const std::size_t s : servers(own)) {
          if (s != *own.core) elsewhere = capped(elsewhere + stay(i, way, s, 1, x));
        }
        sum = std::max(sum, elsewhere);
      }
      for (const Node& node : own.nodes) sum += node.server == *own.core ? node.w : 0;
      own.spin = std::min(x, sum);
    }
    return own.r != before.r || own.calm != before.calm || own.spin != before.spin ||
           !std::equal(own.nodes.begin(), own.nodes.end(), before.nodes.begin(),
                       [](const Node& a, const Node& b) { return a.r == b.r && a.s == b.s && a.f == b.f; });
  }

  const ChainSystem& system_;
  bool plain_;
  CompositionMistake mistake_;
  bool as_rtgpu_;
  std::vector<Task> tasks_;
};

}  // namespace

PlainBounds plain_composition(const ChainSystem& system, ChainForm form, const CompositionMistake& mistake,
                              const CompositionCoarsening& coarsening) {
  return Twin{system, form, mistake, coarsening}.run();
}

}  // namespace tactus::test
