// The unknowns of all tasks while the composed bounds grow towards their fixed point. Numbers are nanoseconds
// from a job's nominal release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/analysis/composition.hpp"
#include "tactus/analysis/composition_graph.hpp"
#include "tactus/analysis/composition_load.hpp"

namespace tactus::analysis {

/// Nothing is: no bound.
struct NodeUnknowns {
  std::optional<std::int64_t> response;  // r
  std::optional<std::int64_t> ready;     // S
  std::optional<std::int64_t> end;       // F
  friend bool operator==(const NodeUnknowns&, const NodeUnknowns&) = default;
};

struct ChainUnknowns {
  std::optional<std::int64_t> response;  // R
  bool calm = true;
  std::int64_t spin = 0;  // how long a job keeps the core that it holds
  std::vector<NodeUnknowns> nodes;
  friend bool operator==(const ChainUnknowns&, const ChainUnknowns&) = default;
};

struct TaskLoad {
  std::size_t task = 0;
  ServerLoad load;
};

class CompositionState {
 public:
  /// Every node takes its worst case and waits for nobody.
  CompositionState(const ChainSystem& system, ChainForm form);

  /// New unknowns of a task: its load on its servers follows.
  void set(std::size_t task, ChainUnknowns unknowns);

  [[nodiscard]] const ChainSystem& system() const { return system_; }
  [[nodiscard]] ChainForm form() const { return form_; }
  [[nodiscard]] const ChainFacts& facts(std::size_t task) const { return facts_[task]; }
  [[nodiscard]] const ChainUnknowns& unknowns(std::size_t task) const { return unknowns_[task]; }

  /// Tasks with a load on the server, most urgent first, without best-effort tasks.
  [[nodiscard]] const std::vector<TaskLoad>& loads(std::size_t server) const { return loads_[server]; }
  /// Tasks with a node on the server, most urgent first; best-effort ones, too.
  [[nodiscard]] const std::vector<std::size_t>& clients(std::size_t server) const { return clients_[server]; }

 private:
  [[nodiscard]] ServerLoad load_on(std::size_t task, std::size_t server) const;
  [[nodiscard]] WindowWork window_work(std::size_t server) const;

  const ChainSystem& system_;
  ChainForm form_;
  std::vector<ChainFacts> facts_;
  std::vector<ChainUnknowns> unknowns_;
  std::vector<std::vector<TaskLoad>> loads_;
  std::vector<std::vector<std::size_t>> clients_;
};

/// S and F of the nodes, from R, r and calm.
void place_nodes(const ChainTask& task, const ChainFacts& facts, ChainUnknowns& unknowns);

/// A GPU with one level is a server without preemption.
ServiceKind service_of(const ChainServer& server);

/// A window without an end.
bool is_always_open(const ChainServer& server);

/// The place of a task in the order of a server: smaller is more urgent.
std::size_t rank_on(const ChainServer& server, std::size_t task);

/// Whether it serves jobs by deadlines or other points in time.
bool is_by_deadline(const ChainServer& server);
/// By which point after its nominal release it knows a task's jobs: D, or the priority point.
std::int64_t point_of(const ChainTask& task, const ChainServer& server);

}  // namespace tactus::analysis
