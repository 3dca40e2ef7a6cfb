#include "tactus/analysis/chain_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "tactus/analysis/chain_engine.hpp"
#include "tactus/analysis/chain_engine_nodes.hpp"
#include "tactus/analysis/kernel_shares.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::analysis {

namespace {

std::string in_quotes(const Task& task) { return "task '" + task.name + "'"; }

std::vector<const KernelSegment*> kernels_of(const Task& task) {
  std::vector<const KernelSegment*> kernels;
  for (const Node& node : task.work.nodes) {
    if (const auto* kernel = std::get_if<KernelSegment>(&node.segment)) kernels.push_back(kernel);
  }
  return kernels;
}

std::vector<const KernelSegment*> kernels_of(const System& system) {
  std::vector<const KernelSegment*> kernels;
  for (const Task& task : system.tasks) {
    const std::vector<const KernelSegment*> more = kernels_of(task);
    kernels.insert(kernels.end(), more.begin(), more.end());
  }
  return kernels;
}

std::ptrdiff_t gpu_nodes_of(const Task& task) {
  return std::count_if(task.work.nodes.begin(), task.work.nodes.end(),
                       [](const Node& node) { return server_of(node.segment) == ServerKind::gpu; });
}

/// What one node adds to its task's list: the segments of one request.
struct Request {
  std::vector<std::size_t> segments;
};

/// Of a copy as it is served: as copies come they are served whole.
CopyChunks chunks_served(const System& system, const CopySegment& copy) {
  return copy_order(system.policy) == CopyOrder::fifo ? CopyChunks{} : chunks_of(copy, system.platform.gpu);
}

bool cuts_copies(const System& system) {
  return std::any_of(system.tasks.begin(), system.tasks.end(), [&](const Task& task) {
    return std::any_of(task.work.nodes.begin(), task.work.nodes.end(), [&](const Node& node) {
      const auto* copy = std::get_if<CopySegment>(&node.segment);
      return copy != nullptr && chunks_served(system, *copy).count > 1;
    });
  });
}

class Maker {
 public:
  explicit Maker(const System& system)
      : system_{system},
        overheads_{system.platform.overheads},
        shares_{kernels_of(system), system.platform.gpu},
        has_exclusive_work_{has_exclusive_work(system)},
        has_engine_{has_engine_time(system)},
        cuts_copies_{cuts_copies(system)},
        gpu_ranks_{gpu_ranks(system)} {}

  SystemOfChains make() && {
    for (const Task& task : system_.tasks) check(task);
    if (system_.policy.strategy->times_nodes) {
      refuse("needs jobs of a task one after the other: under this strategy they may overlap");
    }
    if (!has_deadlines_) refuse("there is no task with a deadline");
    std::optional<ChainEngine> engine;
    if (has_engine_) engine = find_engine();
    if (!result_.why_not.empty()) return std::move(result_);
    add_task_servers();
    for (const TaskIndex index : urgency_order(system_)) add_task(index);
    if (engine) refuse(add_engine(system_, *engine, result_));
    for (const ChainServer& server : result_.chains.servers) {
      const bool has_order = server.service != ServiceKind::fifo && server.service != ServiceKind::own;
      result_.has_edf = result_.has_edf || (has_order && server.order != Order::fp);
    }
    return std::move(result_);
  }

 private:
  void refuse(std::string reason) {
    if (result_.why_not.empty()) result_.why_not = std::move(reason);
  }

  // ------------------------------------------------------------------------------------ what does not apply

  void check(const Task& task) {
    const std::string who = in_quotes(task);
    if (task.arrival != Arrival::best_effort) {
      has_deadlines_ = true;
      if (!task.deadline) refuse("needs deadlines: " + who + " has none");
      if (task.period && seen_late(task) > *task.period) {
        refuse("needs jobs that are seen in order: " + who + " may be seen more than a period late");
      }
    }
    constexpr std::size_t max_nodes = 256;  // whose paths and pairs are looked at
    if (task.work.form == WorkForm::graph && task.work.nodes.size() > max_nodes) {
      refuse("needs graphs of at most 256 nodes: " + who + " has more");
    }
    if (std::all_of(task.work.nodes.begin(), task.work.nodes.end(), is_skipped)) {
      refuse("needs work: " + who + " takes no time");
    }
    for (const Node& node : task.work.nodes) check_node(task, node);
  }

  void check_node(const Task& task, const Node& node) {
    const std::string who = in_quotes(task);
    if (server_of(node.segment) != ServerKind::gpu) return;
    if (drawn_time(node.segment).worst == Duration{})
      refuse("needs work: GPU work of " + who + " takes no time");
    const StrategyFacts& strategy = *system_.policy.strategy;
    if (strategy.sms == SmSharing::owned) {
      check_own_sms(task, node);
    } else if (strategy.sms == SmSharing::cores) {
      check_window(task);
    } else if (strategy.streams_of_tasks) {
      if (task.stream) refuse("needs streams of their own: " + who + " names one");
      if (task.stream_priority != system_.tasks.front().stream_priority) {
        refuse("needs one stream priority: " + who + " has another");
      }
    }
  }

  void check_own_sms(const Task& task, const Node& node) {
    const auto index = static_cast<TaskIndex>(&task - system_.tasks.data());
    if (virtual_sms_of(system_, index, node) == 0) {
      refuse("needs virtual SMs: " + in_quotes(task) + " has none (`tactus plan` finds them)");
    }
  }

  void check_window(const Task& task) {
    if (!system_.policy.reservations) return refuse("needs reservations: policy.reservations is missing");
    if (task.sm.kind == SmAffinity::Kind::any) {
      return refuse("needs a core for every task: " + in_quotes(task) + " has `sm: any`");
    }
    if (!window_of(task)) return refuse("needs windows for all GPU work: " + in_quotes(task) + " has none");
  }

  std::optional<ChainEngine> find_engine() {
    refuse(why_engine_is_not_counted(system_, cuts_copies_));
    if (!result_.why_not.empty()) return std::nullopt;
    std::optional<ChainEngine> engine = chain_engine(system_);
    if (!engine) refuse("the engine cannot keep up with the events and submissions of the tasks");
    return engine;
  }

  // ------------------------------------------------------------------------------------------------ servers

  [[nodiscard]] Duration launch_and_completion(const Task& task) const {
    const Overheads overheads = dispatch_overheads(system_, task);
    return checked_add(overheads.launch, overheads.completion);
  }
  [[nodiscard]] Duration seen_late(const Task& task) const {
    return checked_add(task.jitter, dispatch_overheads(system_, task).release);
  }
  [[nodiscard]] const std::optional<Window>& window_of(const Task& task) const {
    const Reservations& reservations = *system_.policy.reservations;
    return task.sm.kind == SmAffinity::Kind::one ? reservations.local : reservations.all;
  }

  std::size_t server(const std::string& name, const ChainServer& server) {
    return server_named(result_, name, server);
  }

  /// Cores come first: tasks hold them, and every node of a task may need them.
  void add_task_servers() {
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
      for (const Node& node : system_.tasks[index].work.nodes) {
        if (server_of(node.segment) == ServerKind::cpu) cores(cores_of(system_, index, node));
      }
    }
  }

  std::size_t cores(const Cores& cores) {
    const CpuPolicy policy = cpu_policy(system_.policy);
    return server(cores.count == 1
                      ? fmt::format("core {}", cores.first)
                      : fmt::format("cores {} to {}", cores.first, cores.first + cores.count - 1),
                  {.service = policy.preemptive ? ServiceKind::preemptive : ServiceKind::non_preemptive,
                   .order = policy.order,
                   .engines = cores.count});
  }

  std::size_t copies() {
    const CopyOrder order = copy_order(system_.policy);
    const std::int32_t engines =
        system_.policy.strategy->one_copy_engine ? 1 : system_.platform.gpu.copy_engines;
    return server(engines == 1 ? "the copy engine" : "the copy engines",
                  {.service = order == CopyOrder::fifo
                                  ? ServiceKind::fifo
                                  : (cuts_copies_ ? ServiceKind::window : ServiceKind::non_preemptive),
                   .order = order == CopyOrder::edf ? Order::edf : Order::fp,
                   .engines = engines});
  }

  std::size_t gpu(const Task& task) {
    const Policy& policy = system_.policy;
    if (policy.strategy->sms == SmSharing::owned)
      return server("SMs of their own", {.service = ServiceKind::own});
    if (policy.strategy->sms == SmSharing::cores) return windows(task);
    if (policy.strategy->streams_of_tasks || policy.strategy->slices_time) {
      return server("the GPU", {.service = ServiceKind::fifo});
    }
    const bool has_levels = policy.strategy->has_levels && policy.levels > 1;
    return server("the GPU", {.service = has_levels ? ServiceKind::levels : ServiceKind::non_preemptive,
                              .order = policy.order,
                              .levels = has_levels ? policy.levels : 1,
                              .ranks = gpu_ranks_});
  }

  static std::vector<std::size_t> gpu_ranks(const System& system) {
    const std::vector<TaskIndex> order = urgency_order(system);
    const std::vector<TaskIndex> on_gpu = gpu_urgency_order(system);
    std::vector<std::size_t> ranks;
    if (on_gpu == order) return ranks;
    std::vector<std::size_t> rank_of(order.size());
    for (std::size_t rank = 0; rank < on_gpu.size(); ++rank) rank_of[on_gpu[rank]] = rank;
    for (const TaskIndex task : order) ranks.push_back(rank_of[task]);
    return ranks;
  }

  std::size_t windows(const Task& task) {
    const bool is_gang = task.sm.kind != SmAffinity::Kind::one;
    const Window& window = *window_of(task);
    const Duration period = system_.policy.reservations->period;
    ChainServer served{
        .service = ServiceKind::window, .order = system_.policy.order, .period = period, .ranks = gpu_ranks_};
    // A window that covers its period has no edges.
    const Duration restart = checked_add(longest_launch(system_), overheads_.completion);
    const Duration lost = window.budget == period ? Duration{} : checked_add(overheads_.release, restart);
    served.budget = window.budget - std::min(lost, window.budget);
    return server(is_gang ? "all SMs" : fmt::format("SM core {}", task.sm.core), served);
  }

  // -------------------------------------------------------------------------------------------------- nodes

  /// Copies that follow each other in a chain are served back to back, unless copies are cut; CPU segments go
  /// on on their core if it preempts, as one.
  [[nodiscard]] std::vector<Request> requests_of(TaskIndex index) const {
    const Work& work = system_.tasks[index].work;
    std::vector<Request> requests;
    std::optional<std::size_t> before;  // the segment that the last request may go on from
    for (const std::size_t segment : topological_order(work)) {
      const Node& node = work.nodes[segment];
      if (is_skipped(node)) {
        const bool separates = before && server_of(work.nodes[*before].segment) != server_of(node.segment);
        if (separates) before.reset();
      } else {
        if (before && goes_on(index, work.nodes[*before], node)) {
          requests.back().segments.push_back(segment);
        } else {
          requests.push_back({{segment}});
        }
        before = segment;
      }
    }
    return requests;
  }

  [[nodiscard]] bool goes_on(TaskIndex index, const Node& before, const Node& node) const {
    const ServerKind server = server_of(node.segment);
    if (has_engine_ || system_.tasks[index].work.form == WorkForm::graph ||
        server_of(before.segment) != server) {
      return false;
    }
    if (server == ServerKind::copy) return !system_.platform.gpu.copy_chunk;
    return server == ServerKind::cpu && cpu_policy(system_.policy).preemptive &&
           cores_of(system_, index, before) == cores_of(system_, index, node);
  }

  [[nodiscard]] ChainNode cpu_node(TaskIndex index, const Request& request) {
    const Work& work = system_.tasks[index].work;
    ChainNode node{.server = cores(cores_of(system_, index, work.nodes[request.segments.front()])),
                   .time = {}};
    for (const std::size_t segment : request.segments) {
      const Interval& time = drawn_time(work.nodes[segment].segment);
      node.time.best = checked_add(node.time.best, time.best);
      node.time.worst = checked_add(node.time.worst, checked_add(time.worst, overheads_.cpu));
    }
    return node;
  }

  [[nodiscard]] ChainNode copy_node(const Work& work, const Request& request) {
    ChainNode node{.server = copies(), .time = {}};
    for (const std::size_t segment : request.segments) {
      const auto& copy = std::get<CopySegment>(work.nodes[segment].segment);
      const CopyChunks chunks = chunks_served(system_, copy);
      node.time.best = checked_add(node.time.best, copy.time.best);
      node.time.worst = checked_add(node.time.worst,
                                    checked_add(copy.time.worst, checked_mul(overheads_.copy, chunks.count)));
      node.longest_block = checked_add(longest_of(chunks, copy.time.worst), overheads_.copy);
    }
    return node;
  }

  [[nodiscard]] static Duration longest_of(const CopyChunks& chunks, Duration whole) {
    return chunks.count == 1 ? whole : std::min(whole, *copy_time(chunks.bytes, chunks.bandwidth));
  }

  /// A wave of a kernel, a slice of exclusive work: what is not interrupted, and how many of them there are.
  struct Blocks {
    Duration longest{};
    std::int64_t count = 1;
  };
  [[nodiscard]] Blocks blocks_of(TaskIndex index, std::size_t segment, Duration whole) const {
    const Task& task = system_.tasks[index];
    const Node& node = task.work.nodes[segment];
    if (const auto* kernel = std::get_if<KernelSegment>(&node.segment)) {
      return {kernel->block_time.worst,
              waves_of(*kernel, system_.platform.gpu, sm_count(system_, index, node))};
    }
    const bool is_cut = std::holds_alternative<ExclusiveSegment>(node.segment) && task.longest_block;
    const Duration longest = is_cut ? std::min(whole, *task.longest_block) : whole;
    return {longest, longest > Duration{} ? ceil_div(whole.count(), longest.count()) : 1};
  }

  /// Of time slices: a kernel's end with a wave.
  [[nodiscard]] Duration longest_turn_of(TaskIndex index, std::size_t segment) const {
    const Duration slice = time_slice_of(system_, index);
    const auto* kernel = std::get_if<KernelSegment>(&system_.tasks[index].work.nodes[segment].segment);
    return kernel == nullptr ? slice : checked_mul(kernel->block_time.worst, waves_of_turn(*kernel, slice));
  }
  [[nodiscard]] std::int64_t turns_of(TaskIndex index, std::size_t segment, Duration whole) const {
    return ceil_div(whole.count(), longest_turn_of(index, segment).count());
  }

  /// Whether blocks of several kernels run side by side.
  [[nodiscard]] bool mixes_kernels() const {
    const StrategyFacts& strategy = *system_.policy.strategy;
    return strategy.streams_of_tasks || (strategy.has_levels && system_.policy.levels > 1);
  }

  /// How long a segment keeps the GPU, or its SMs, from others.
  [[nodiscard]] Interval time_on_gpu(TaskIndex index, std::size_t segment) const {
    const Task& task = system_.tasks[index];
    const Node& node = task.work.nodes[segment];
    const auto* kernel = std::get_if<KernelSegment>(&node.segment);
    Interval time = whole_time(system_, index, segment);
    if (mixes_kernels()) {
      if (kernel != nullptr) {
        time.worst = shares_.time_alone(*kernel, system_.platform.gpu.sms);
      } else if (!system_.policy.strategy->streams_of_tasks) {
        // To take all SMs at once it waits until the blocks that run have ended, each time that it comes.
        time.worst = checked_add(time.worst, shares_.longest_block());
      }
    } else if (kernel != nullptr && system_.policy.strategy->sms == SmSharing::owned &&
               task.work.form == WorkForm::graph && gpu_nodes_of(task) > 1) {
      const KernelShares own{kernels_of(task), system_.platform.gpu};
      time.worst = own.time_alone(*kernel, sm_count(system_, index, node));
    }
    return time;
  }

  [[nodiscard]] ChainNode gpu_node(TaskIndex index, std::size_t segment) {
    const Task& task = system_.tasks[index];
    const StrategyFacts& strategy = *system_.policy.strategy;
    const Interval time = time_on_gpu(index, segment);
    const Blocks blocks = blocks_of(index, segment, whole_time(system_, index, segment).worst);
    ChainNode node{.server = gpu(task), .time = {}};
    if (strategy.sms == SmSharing::cores) {
      // Every slice is launched; what interrupts work that can be stopped anywhere also pays for its restart,
      // whoever that is.
      const Duration slices = checked_mul(launch_and_completion(task), blocks.count);
      const Duration restart =
          checked_add(longest_launch(system_), dispatch_overheads(system_, task).completion);
      node.time = {time.best, checked_add(time.worst, checked_add(slices, restart))};
      const bool is_anywhere = blocks.longest == Duration{} && task.arrival != Arrival::best_effort;
      if (!is_anywhere) node.longest_block = checked_add(blocks.longest, launch_and_completion(task));
    } else {
      node.time = {time.best, checked_add(time.worst, launch_and_completion(task))};
      node.longest_block = checked_add(blocks.longest, dispatch_overheads(system_, task).completion);
    }
    if (strategy.slices_time) {
      node.turns = turns_of(index, segment, time.worst);
      node.longest_turn =
          checked_add(std::min(time.worst, longest_turn_of(index, segment)), launch_and_completion(task));
      node.time.worst = checked_add(time.worst, checked_mul(launch_and_completion(task), node.turns));
    }
    const auto* kernel = std::get_if<KernelSegment>(&task.work.nodes[segment].segment);
    if (strategy.streams_of_tasks && kernel != nullptr && !has_exclusive_work_) {
      // Those behind it need not wait until its last blocks end.
      node.longest_turn = shares_.time_of(*kernel, kernel->blocks(), system_.platform.gpu.sms);
    }
    // With several levels, or where jobs queue on the device, others are served until the launch is over.
    if (mixes_kernels()) node.ahead = dispatch_overheads(system_, task).launch;
    const bool in_slices = task.arrival == Arrival::best_effort && !strategy.streams_of_tasks &&
                           !strategy.slices_time && strategy.sms != SmSharing::owned;
    if (in_slices) {
      const Duration slice = checked_add(blocks.longest, launch_and_completion(task));
      node.time = {std::min(time.best, blocks.longest), slice};
    }
    return node;
  }

  ChainNode node_of(TaskIndex index, const Request& request) {
    const Work& work = system_.tasks[index].work;
    const std::size_t segment = request.segments.front();
    switch (server_of(work.nodes[segment].segment)) {
      case ServerKind::cpu:
        return cpu_node(index, request);
      case ServerKind::copy:
        return copy_node(work, request);
      case ServerKind::gpu:
        break;
    }
    return gpu_node(index, segment);
  }

  /// By node of the list: those it waits for. A segment that is skipped passes on what it waits for.
  [[nodiscard]] static std::vector<std::vector<std::size_t>> predecessors_in(
      const Work& work, const std::vector<Request>& requests) {
    std::vector<std::optional<std::size_t>> place(work.nodes.size());
    for (std::size_t i = 0; i < requests.size(); ++i) place[requests[i].segments.front()] = i;
    std::vector<std::vector<std::size_t>> of_segment(work.nodes.size());
    std::vector<std::vector<std::size_t>> result(requests.size());
    for (const std::size_t segment : topological_order(work)) {
      std::vector<std::size_t>& waits_for = of_segment[segment];
      for (const Edge& edge : edges_within_job(work)) {
        if (edge.to != segment) continue;
        if (place[edge.from]) {
          waits_for.push_back(*place[edge.from]);
        } else {
          waits_for.insert(waits_for.end(), of_segment[edge.from].begin(), of_segment[edge.from].end());
        }
      }
      std::sort(waits_for.begin(), waits_for.end());
      waits_for.erase(std::unique(waits_for.begin(), waits_for.end()), waits_for.end());
      if (place[segment]) result[*place[segment]] = waits_for;
    }
    return result;
  }

  void add_task(TaskIndex index) {
    const Task& task = system_.tasks[index];
    ChainTask chain;
    const std::vector<Request> requests = requests_of(index);
    for (const Request& request : requests) chain.nodes.push_back(node_of(index, request));
    if (task.work.form == WorkForm::graph) chain.predecessors = predecessors_in(task.work, requests);
    chain.best_effort = task.arrival == Arrival::best_effort;
    chain.period = task.period;
    chain.deadline = task.deadline.value_or(Duration::max());
    chain.jitter = chain.best_effort ? Duration{} : seen_late(task);
    if (cpu_policy(system_.policy).order == Order::fair_lateness && !chain.best_effort) {
      chain.priority_point = chain.deadline - fair_lead(system_, index);
    }
    const bool waits = std::any_of(task.work.nodes.begin(), task.work.nodes.end(), [](const Node& node) {
      return server_of(node.segment) != ServerKind::cpu && !is_skipped(node);
    });
    if (task.wait == Waiting::busy && waits) chain.held_core = cores({.first = task.core});
    result_.tasks.push_back(index);
    result_.chains.tasks.push_back(std::move(chain));
  }

  const System& system_;
  const Overheads& overheads_;
  KernelShares shares_;
  bool has_exclusive_work_;
  bool has_engine_;
  bool cuts_copies_;                    // some copy is served in several chunks
  std::vector<std::size_t> gpu_ranks_;  // by place of the task, if they are others
  SystemOfChains result_;
  bool has_deadlines_ = false;
};

}  // namespace

std::size_t server_named(SystemOfChains& made, const std::string& name, const ChainServer& server) {
  const auto known = std::find(made.servers.begin(), made.servers.end(), name);
  if (known != made.servers.end()) return static_cast<std::size_t>(known - made.servers.begin());
  made.servers.push_back(name);
  made.chains.servers.push_back(server);
  return made.servers.size() - 1;
}

SystemOfChains make_chains(const System& system) { return Maker{system}.make(); }

}  // namespace tactus::analysis
