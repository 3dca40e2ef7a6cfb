#include "tactus/analysis/composition_graph.hpp"

#include <algorithm>
#include <optional>

namespace tactus::analysis {

namespace {

constexpr std::size_t max_ways = 256;

/// A job's nodes and edges, each node behind its predecessors.
class Graph {
 public:
  Graph(const ChainTask& task, ChainFacts& facts) : task_{task}, facts_{facts}, size_{task.nodes.size()} {}

  void find_facts() {
    find_edges();
    find_lengths();
    find_reach();
    find_servers();
    find_ways();
  }

 private:
  [[nodiscard]] std::int64_t best(std::size_t v) const { return task_.nodes[v].time.best.count(); }
  [[nodiscard]] std::int64_t worst(std::size_t v) const { return task_.nodes[v].time.worst.count(); }
  [[nodiscard]] bool is_chain() const { return task_.predecessors.empty(); }
  /// Whether v waits for u.
  [[nodiscard]] bool reaches(std::size_t u, std::size_t v) const { return is_chain() ? u < v : reach_[v][u]; }

  void find_edges() {
    facts_.predecessors = task_.predecessors;
    facts_.predecessors.resize(size_);
    if (is_chain()) {
      for (std::size_t v = 1; v < size_; ++v) facts_.predecessors[v] = {v - 1};
    }
    successors_.resize(size_);
    for (std::size_t v = 0; v < size_; ++v) {
      for (const std::size_t u : facts_.predecessors[v]) successors_[u].push_back(v);
    }
  }

  void find_lengths() {
    std::vector<std::int64_t> ends(size_);  // in worst cases
    facts_.before.resize(size_);
    facts_.after.resize(size_);
    for (std::size_t v = 0; v < size_; ++v) {
      std::int64_t latest = 0;
      for (const std::size_t u : facts_.predecessors[v]) {
        facts_.before[v] = std::max(facts_.before[v], checked_add(facts_.before[u], best(u)));
        latest = std::max(latest, ends[u]);
      }
      ends[v] = checked_add(latest, worst(v));
      facts_.worst = std::max(facts_.worst, ends[v]);
      facts_.best = std::max(facts_.best, checked_add(facts_.before[v], best(v)));
    }
    for (std::size_t v = size_; v > 0; --v) {
      for (const std::size_t next : successors_[v - 1]) {
        facts_.after[v - 1] = std::max(facts_.after[v - 1], facts_.after[next] + best(next));
      }
    }
  }

  void find_reach() {
    facts_.beside.resize(size_);
    if (is_chain()) return;
    reach_.assign(size_, std::vector<bool>(size_));
    for (std::size_t v = 0; v < size_; ++v) {
      for (const std::size_t u : facts_.predecessors[v]) {
        reach_[v][u] = true;
        for (std::size_t earlier = 0; earlier < u; ++earlier) {
          if (reach_[u][earlier]) reach_[v][earlier] = true;
        }
      }
      for (std::size_t u = 0; u < v; ++u) {
        if (reach_[v][u] || task_.nodes[u].server != task_.nodes[v].server) continue;
        facts_.beside[v].push_back(u);
        facts_.beside[u].push_back(v);
      }
    }
  }

  /// The least time between the end of u and the start of v, which waits for it.
  [[nodiscard]] std::int64_t gap_between(std::size_t u, std::size_t v) const {
    if (is_chain()) return facts_.before[v] - facts_.before[u] - best(u);
    std::vector<std::optional<std::int64_t>> start(v + 1);  // after the end of u
    for (std::size_t node = u + 1; node <= v; ++node) {
      for (const std::size_t earlier : facts_.predecessors[node]) {
        std::optional<std::int64_t> end;
        if (earlier == u) end = 0;
        if (earlier > u && start[earlier]) end = *start[earlier] + best(earlier);
        if (end && (!start[node] || *end > *start[node])) start[node] = end;
      }
    }
    return start[v].value_or(0);
  }

  void find_servers() {
    for (std::size_t v = 0; v < size_; ++v) {
      const std::size_t server = task_.nodes[v].server;
      const auto place = std::find_if(facts_.servers.begin(), facts_.servers.end(),
                                      [&](const NodesOnServer& some) { return some.server == server; });
      NodesOnServer& there = place == facts_.servers.end() ? facts_.servers.emplace_back() : *place;
      there.server = server;
      there.nodes.push_back(v);
      const auto line = std::find_if(there.lines.begin(), there.lines.end(),
                                     [&](const NodeLine& some) { return reaches(some.nodes.back(), v); });
      if (line == there.lines.end()) {
        there.lines.push_back({{v}, {}});
        continue;
      }
      line->gaps.push_back(gap_between(line->nodes.back(), v));
      line->nodes.push_back(v);
    }
  }

  void find_ways() {
    std::vector<std::size_t> all(size_);
    for (std::size_t v = 0; v < size_; ++v) all[v] = v;
    if (is_chain()) {
      facts_.ways = {all};
      return;
    }
    std::vector<std::size_t> way;
    for (std::size_t v = 0; v < size_; ++v) {
      if (facts_.predecessors[v].empty()) extend(way, v);
    }
    if (facts_.ways.size() > max_ways) facts_.ways = {all};
  }

  void extend(std::vector<std::size_t>& way, std::size_t v) {
    if (facts_.ways.size() > max_ways) return;
    way.push_back(v);
    if (successors_[v].empty()) facts_.ways.push_back(way);
    for (const std::size_t next : successors_[v]) extend(way, next);
    way.pop_back();
  }

  const ChainTask& task_;
  ChainFacts& facts_;
  std::size_t size_;
  std::vector<std::vector<std::size_t>> successors_;
  std::vector<std::vector<bool>> reach_;  // [v][u]: v waits for u; of graphs only
};

}  // namespace

ChainFacts facts_of(const ChainTask& task) {
  ChainFacts facts;
  Graph{task, facts}.find_facts();
  return facts;
}

std::vector<std::size_t> nodes_on(const ChainTask& task, std::span<const std::size_t> way,
                                  std::size_t server) {
  std::vector<std::size_t> nodes;
  for (const std::size_t v : way) {
    if (task.nodes[v].server == server) nodes.push_back(v);
  }
  return nodes;
}

}  // namespace tactus::analysis
