// The rules of work: segments, chains and graphs.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/model/core_times.hpp"
#include "tactus/model/rules.hpp"
#include "tactus/model/strategy_text.hpp"

namespace tactus {

namespace {

bool is_called_as_part(const Node& node) {
  return node.name.size() > node.part_of.size() + 1 && node.name.starts_with(node.part_of + ".");
}

/// Of a node of a graph: a part stands within its coarse node.
std::string graph_place(const std::string& nodes, const Work& work, std::size_t node) {
  const std::string& coarse = work.nodes[node].part_of;
  if (coarse.empty() || !is_called_as_part(work.nodes[node])) {
    return child_path(nodes, work.nodes[node].name);
  }
  return child_path(child_path(nodes, coarse) + ".parts", part_name(work.nodes[node]));
}

/// Where a node stands in a system file, if the segments of the first variants before it count as one.
std::string place_in_file(const std::string& task, const Task& of, std::size_t node) {
  std::size_t item = node;
  switch (of.work.form) {
    case WorkForm::single:
      return task;
    case WorkForm::chain:
      for (const WorkChoice& choice : of.choices) {
        if (choice.node < node) item -= choice.variants.front().size() - 1;
      }
      return item_path(task + ".segments", item);
    case WorkForm::graph:
      return graph_place(task + ".graph.nodes", of.work, node);
  }
  return task;
}

std::string variant_path(const std::string& choice, const Task& of, std::size_t variant,
                         std::size_t segment) {
  const std::string path = item_path(choice + ".either", variant);
  return of.work.form == WorkForm::graph ? path : item_path(path, segment);
}

/// Where the segments of a node stand in a system file.
std::string node_path(const std::string& task, const Task& of, std::size_t node) {
  for (std::size_t i = 0; i < of.choices.size(); ++i) {
    const std::size_t first = of.choices[i].node;
    if (node >= first && node - first < of.choices[i].variants.front().size()) {
      return variant_path(choice_path(task, of, i), of, 0, node - first);
    }
  }
  return place_in_file(task, of, node);
}

class WorkRules : Rules {
 public:
  using Rules::Rules;

  void check_work(const std::string& path, const Task& task) {
    const Work& work = task.work;
    if (work.nodes.empty()) {
      switch (work.form) {
        case WorkForm::single:
          add(ProblemId::missing_key, path, describe(task) + " has no work",
              "give it one of `exclusive`, `kernel`, `segments` or `graph`");
          break;
        case WorkForm::chain:
          add(ProblemId::missing_key, path + ".segments", describe(task) + " has no segments",
              "list at least one, for instance {cpu: 2ms}");
          break;
        case WorkForm::graph:
          add(ProblemId::missing_key, path + ".graph.nodes",
              "the graph of " + describe(task) + " has no nodes",
              "name at least one, for instance a: {cpu: 2ms}");
          break;
      }
      return;
    }
    if (work.form == WorkForm::single) check_single(path, task);
    for (std::size_t i = 0; i < work.nodes.size(); ++i) {
      const Node& node = work.nodes[i];
      const std::string where = node_path(path, task, i);
      std::visit([&](const auto& kind) { check_segment(where + "." + kind_name(node.segment), kind); },
                 node.segment);
      if (node.core) check_core(where + ".core", *node.core);
      check_core_times(where, task, node, node.segment);
      if (node.virtual_sms) check_own_sms(where + ".virtual_sms", *node.virtual_sms);
    }
    check_choices(path, task);
    if (work.form == WorkForm::graph) {
      check_graph(path + ".graph", work);
    } else if (!work.edges.empty()) {
      add(ProblemId::bad_graph, path, describe(task) + " has edges but is not a graph",
          "only a graph has edges");
    }
  }

 private:
  /// The first variants are in the work and checked there.
  void check_choices(const std::string& path, const Task& task) {
    for (std::size_t i = 0; i < task.choices.size(); ++i) {
      const WorkChoice& choice = task.choices[i];
      const std::string where = choice_path(path, task, i);
      if (task.arrival == Arrival::best_effort) {
        add(ProblemId::conflicting_keys, where,
            describe(task) + " is best-effort but has work with several variants",
            "without a deadline there is nothing to choose by: keep one of them");
      }
      if (!task.jobs.empty()) {
        add(ProblemId::conflicting_keys, where,
            describe(task) + " has scripted `jobs`, but work with several variants",
            "leave `jobs` out, or keep one variant");
      }
      if (choice.variants.size() < 2) {
        add(where, "`either` has fewer than two variants", "list at least two, or write the work itself");
      }
      for (std::size_t k = 1; k < choice.variants.size(); ++k) {
        for (std::size_t m = 0; m < choice.variants[k].size(); ++m) {
          const Segment& segment = choice.variants[k][m];
          const std::string at = variant_path(where, task, k, m) + "." + kind_name(segment);
          std::visit([&](const auto& kind) { check_segment(at, kind); }, segment);
          check_core_times(variant_path(where, task, k, m), task, Node{}, segment);
        }
      }
    }
  }

  void check_single(const std::string& path, const Task& task) {
    const Segment& segment = task.work.nodes.front().segment;
    if (task.work.nodes.size() > 1) {
      add(path, fmt::format("{} has {} segments but is not a chain", describe(task), task.work.nodes.size()),
          "make its form a chain");
    } else if (!std::holds_alternative<KernelSegment>(segment) &&
               !std::holds_alternative<ExclusiveSegment>(segment)) {
      add(path, fmt::format("{} is a single `{}`", describe(task), kind_name(segment)),
          "only `kernel` and `exclusive` can stand alone; make it a chain of one segment");
    }
  }

  void check_own_sms(const std::string& path, std::int64_t virtual_sms) {
    const std::int64_t unit = gpu_.virtual_sms_per_sm;
    if (!limits::virtual_sms_per_sm.contains(unit) || (virtual_sms >= 1 && virtual_sms % unit == 0)) return;
    add(ProblemId::bad_virtual_sms, path,
        fmt::format("{} virtual SMs are not a whole number of SMs", virtual_sms),
        fmt::format("an SM is {0} virtual SMs here: write {0}, {1}, {2}, ...", unit, 2 * unit, 3 * unit));
  }

  void check_segment(const std::string& path, const CpuSegment& segment) {
    if (segment.by_core.empty()) check_interval(path, "cpu", segment.time);
    for (const CoreTime& one : segment.by_core) {
      check_interval(child_path(path, cores_text(one.cores)), "cpu", one.time);
    }
  }

  /// Work whose time depends on its core has one time for each core that it names, one of them for every core
  /// that may serve it.
  void check_core_times(const std::string& where, const Task& task, const Node& node,
                        const Segment& segment) {
    const auto* cpu = std::get_if<CpuSegment>(&segment);
    const std::int64_t cpus = system_.platform.cpus();
    if (cpu == nullptr || cpu->by_core.empty() || !limits::cpus.contains(cpus)) return;
    const std::string path = where + ".cpu";
    std::vector<Cores> named;
    for (const CoreTime& one : cpu->by_core) named.push_back(one.cores);
    std::sort(named.begin(), named.end(), [](const Cores& a, const Cores& b) { return a.first < b.first; });
    for (std::size_t i = 1; i < named.size(); ++i) {
      if (named[i].first >= named[i - 1].end()) continue;
      add(ProblemId::conflicting_keys, child_path(path, cores_text(named[i])),
          fmt::format("core {} has two times", named[i].first), "name each core once");
      return;
    }
    if (named.back().end() > cpus) {
      add(ProblemId::out_of_range, child_path(path, cores_text(named.back())),
          fmt::format("a time for core {}, but the platform has {}", named.back().end() - 1,
                      counted(cpus, "CPU core", "CPU cores")),
          allowed({0, cpus - 1}));
      return;
    }
    if (task.any_core && !node.core) return;
    const Cores cores = cores_of(system_, task, node);
    if (cores.first < 0 || cores.end() > cpus) return;
    if (const std::optional<Interval> time = time_on(*cpu, cores)) {
      if (cpu->time == *time) return;
      add(path,
          fmt::format("work that takes [{}, {}] on its cores, not [{}, {}]", to_text(time->best),
                      to_text(time->worst), to_text(cpu->time.best), to_text(cpu->time.worst)),
          "its time follows from those of its cores");
      return;
    }
    const CpuScope scope = cpu_policy(system_.policy).scope;
    add(ProblemId::missing_key, path,
        scope == CpuScope::partitioned
            ? fmt::format("{} is on core {}, but this work has no time there", describe(task), cores.first)
            : fmt::format("{} may run on cores {}, but this work has no time for one of them", describe(task),
                          cores_text(cores)),
        fmt::format("add one: {}: 2ms, or choose another core", cores_text(cores)));
  }

  /// How many of its blocks fit a part of an SM, and how long they take beside those of others, is not known.
  void check_whole_sms(const std::string& path, std::string_view kind) {
    if (gpu_.parts_per_sm <= 1 || !has_own_sms(*system_.policy.strategy)) return;
    add(ProblemId::conflicting_keys, path,
        fmt::format("{} needs whole SMs, but platform.gpu.parts_per_sm is {}", in_backticks(kind),
                    gpu_.parts_per_sm),
        "give the work as `gpu`, with an `interleave` that was measured beside other kernels, or leave "
        "parts_per_sm out");
  }

  void check_segment(const std::string& path, const ExclusiveSegment& segment) {
    check_whole_sms(path, "exclusive");
    check_interval(path, "exclusive", segment.time);
  }

  void check_segment(const std::string& path, const CopySegment& segment) {
    if (!segment.bytes) {
      check_interval(path, "copy", segment.time);
      return;
    }
    const std::string where = path + ".bytes";
    if (*segment.bytes < 0) {
      add(ProblemId::out_of_range, where, fmt::format("a copy of {}", size_text(*segment.bytes)),
          "a size is 0 or more");
    } else if (!gpu_.copy_bandwidth) {
      add(ProblemId::missing_bandwidth, where,
          fmt::format("a copy of {}, but the platform has no copy_bandwidth", size_text(*segment.bytes)),
          "add copy_bandwidth to platform.gpu, for instance `platform: {base: PRESET, gpu: {copy_bandwidth: "
          "12GB/s}}`, or give the copy a time");
    } else if (*gpu_.copy_bandwidth > 0) {
      const std::optional<Duration> time = copy_time(*segment.bytes, *gpu_.copy_bandwidth);
      if (!time) {
        add(ProblemId::out_of_range, where,
            fmt::format("a copy of {} at {}/s takes longer than 64 bits of nanoseconds",
                        size_text(*segment.bytes), size_text(*gpu_.copy_bandwidth)),
            "use a smaller size or a larger copy_bandwidth");
      } else if (segment.time != Interval::exactly(*time)) {
        add(where,
            fmt::format("a copy of {} takes {}, not [{}, {}]", size_text(*segment.bytes), to_text(*time),
                        to_text(segment.time.best), to_text(segment.time.worst)),
            "the time of a copy in bytes is bytes / copy_bandwidth, rounded up to a nanosecond");
      }
    }
    if (*segment.bytes > 0 && gpu_.copy_chunk && *gpu_.copy_chunk > 0 &&
        !limits::chunks_of.contains(ceil_div(*segment.bytes, *gpu_.copy_chunk))) {
      add(ProblemId::out_of_range, where,
          fmt::format("a copy of {} in pieces of {}", size_text(*segment.bytes), size_text(*gpu_.copy_chunk)),
          fmt::format("at most {} pieces are allowed; use a larger copy_chunk", limits::chunks_of.max));
    }
  }

  void check_segment(const std::string& path, const GpuSegment& segment) {
    check_interval(path + ".work", "work", segment.work);
    check_interval(path + ".overhead", "overhead", segment.overhead);
    if (segment.interleave < Rational{1}) {
      add(ProblemId::out_of_range, path + ".interleave", "interleave is " + to_string(segment.interleave),
          "it must be at least 1");
      return;
    }
    const Int128 overhead =
        static_cast<Int128>(segment.overhead.worst.count()) * segment.interleave.denominator();
    const Int128 work = static_cast<Int128>(segment.work.worst.count()) * segment.interleave.numerator();
    if (overhead > work) {
      add(ProblemId::out_of_range, path + ".overhead",
          fmt::format("the overhead {} is more than work * interleave, {} * {}",
                      to_text(segment.overhead.worst), to_text(segment.work.worst),
                      to_string(segment.interleave)),
          "the overhead is part of the work: make it smaller or the work larger");
    }
  }

  void check_segment(const std::string& path, const KernelSegment& kernel) {
    check_whole_sms(path, "kernel");
    check_grid(path, kernel);
    check_interval(path + ".block_time", "block_time", kernel.block_time);
    if (kernel.block < 1) {
      add(ProblemId::out_of_range, path + ".block", fmt::format("a block of {} threads", kernel.block),
          "a block has 1 thread or more");
    } else if (limits::warp.contains(gpu_.warp) && gpu_.threads_per_sm >= gpu_.warp) {
      check_threads(path + ".block", kernel.block);
    }
    check_shared_memory(path + ".shared_memory", kernel.shared_memory);
    check_registers(path + ".registers", kernel);
  }

  void check_shared_memory(const std::string& path, std::int64_t needed) {
    if (needed < 0) {
      add(ProblemId::out_of_range, path, "shared_memory is " + size_text(needed), "a size is 0 or more");
      return;
    }
    const std::int64_t all = gpu_.shared_memory_per_sm;
    const std::int64_t reserved = gpu_.shared_memory_reserved;
    if (!limits::shared_memory_per_sm.contains(all) || !limits::shared_memory_reserved.contains(reserved) ||
        !limits::shared_memory_unit.contains(gpu_.shared_memory_unit)) {
      return;
    }
    const std::int64_t most = all / gpu_.shared_memory_unit * gpu_.shared_memory_unit - reserved;
    if (needed <= most) return;
    const std::string for_system =
        reserved > 0 ? fmt::format(", and the system {} of every block", size_text(reserved)) : "";
    add(ProblemId::block_too_large, path,
        fmt::format("a block never fits an SM: it needs {} of shared memory{}, an SM has {}",
                    size_text(needed), for_system, size_text(all)),
        most >= 0 ? fmt::format("at most {} a block are possible on this platform", size_text(most))
                  : "give the SMs of the platform more shared memory");
  }

  void check_registers(const std::string& path, const KernelSegment& kernel) {
    if (kernel.registers < 0) {
      add(ProblemId::out_of_range, path, fmt::format("registers is {}", kernel.registers),
          "it must be 0 or more");
    } else if (gpu_.registers_per_sm >= 0 && kernel.registers > gpu_.registers_per_sm) {
      add(ProblemId::block_too_large, path,
          fmt::format("a block never fits an SM: it needs {} registers, an SM has {}", kernel.registers,
                      gpu_.registers_per_sm),
          fmt::format("at most {} registers a block are possible on this platform", gpu_.registers_per_sm));
    } else if (gives_out_registers() && limits::threads_per_block.contains(kernel.block)) {
      check_registers_given(path, kernel);
    }
  }

  /// Whether the GPU rounds what a block asks for, and says so without errors.
  [[nodiscard]] bool gives_out_registers() const {
    return limits::registers_per_sm.contains(gpu_.registers_per_sm) && limits::warp.contains(gpu_.warp) &&
           limits::register_unit.contains(gpu_.register_unit) &&
           limits::register_files.contains(gpu_.register_files) &&
           (gpu_.register_unit > 1 || gpu_.register_files > 1);
  }

  void check_registers_given(const std::string& path, const KernelSegment& kernel) {
    if (kernel.registers > 0 && kernel.registers < kernel.block) {
      add(ProblemId::out_of_range, path,
          fmt::format("a block of {} threads with {} registers: fewer than one a thread", kernel.block,
                      kernel.registers),
          fmt::format("`registers` counts those of a block; nvcc prints those of a thread: "
                      "registers_per_thread: {}",
                      kernel.registers));
      return;
    }
    const std::int64_t given = block_demand(kernel, gpu_).registers;
    if (given <= gpu_.registers_per_sm) return;
    add(ProblemId::block_too_large, path,
        fmt::format(
            "a block never fits an SM: it needs {} registers ({} as warps are given them), an SM has {}",
            kernel.registers, given, gpu_.registers_per_sm),
        "use fewer threads a block, or fewer registers a thread");
  }

  void check_grid(const std::string& path, const KernelSegment& kernel) {
    constexpr std::string_view names = "xyz";
    for (std::size_t i = 0; i < kernel.grid.size(); ++i) {
      if (limits::grid[i].contains(kernel.grid[i])) continue;
      if (kernel.grid[i] < 1) {
        add(ProblemId::out_of_range, item_path(path + ".grid", i),
            fmt::format("a grid of {} blocks", kernel.grid[i]), "every dimension of a grid is 1 or more");
      } else {
        add(ProblemId::out_of_range, item_path(path + ".grid", i),
            fmt::format("a grid of {} blocks in {}", kernel.grid[i], names[i]),
            fmt::format("CUDA launches at most {} there: {}", limits::grid[i].max,
                        i == 0 ? "use a second dimension" : "let x be the largest dimension"));
      }
    }
  }

  void check_threads(const std::string& path, std::int64_t block) {
    const std::int64_t warps = ceil_div(block, gpu_.warp);
    const std::int64_t whole_warps = std::int64_t{gpu_.threads_per_sm} / gpu_.warp * gpu_.warp;
    if (block > limits::threads_per_block.max) {
      add(ProblemId::block_too_large, path,
          fmt::format("a block of {} threads, but CUDA launches blocks of {} at most", block,
                      limits::threads_per_block.max),
          fmt::format("use more and smaller blocks: at most {} threads each are possible on this platform",
                      std::min(whole_warps, limits::threads_per_block.max)));
      return;
    }
    if (warps <= gpu_.threads_per_sm / gpu_.warp) return;
    // The threads alone would fit: explain that whole warps count.
    const std::string in_warps =
        block <= gpu_.threads_per_sm ? fmt::format(" ({} in whole warps)", warps * gpu_.warp) : "";
    add(ProblemId::block_too_large, path,
        fmt::format("a block never fits an SM: it needs {} threads{}, an SM has {}", block, in_warps,
                    gpu_.threads_per_sm),
        fmt::format("at most {} threads a block are possible on this platform", whole_warps));
  }

  void check_graph(const std::string& path, const Work& work) {
    std::unordered_map<std::string_view, std::string> first_of_name;
    const auto check_own_name = [&](const std::string& name, const std::string& where) {
      if (name.empty()) return;
      const auto [first, is_new] = first_of_name.try_emplace(name, where);
      if (is_new) return;
      add(ProblemId::duplicate_name, where, fmt::format("two nodes have the name {}", in_backticks(name)),
          "give each node of a graph its own name; the parts of a node are called NODE.PART", first->second);
    };
    for (std::size_t i = 0; i < work.nodes.size(); ++i) {
      const Node& node = work.nodes[i];
      const std::string where = graph_place(path + ".nodes", work, i);
      check_name(where, "this node", node.name);
      check_own_name(node.name, where);
      if (!node.part_of.empty()) check_part(where, node);
    }
    for (const NodeGroup& group : node_groups(work)) {
      const std::string& coarse = work.nodes[group.first].part_of;
      if (!coarse.empty()) check_own_name(coarse, child_path(path + ".nodes", coarse));
    }
    std::unordered_map<std::uint64_t, std::size_t> first_of_edge;
    std::vector<std::vector<std::size_t>> edges_from(work.nodes.size());
    for (std::size_t i = 0; i < work.edges.size(); ++i) {
      const Edge& edge = work.edges[i];
      const std::string where = item_path(path + ".edges", i);
      if (edge.from >= work.nodes.size() || edge.to >= work.nodes.size()) {
        add(ProblemId::unknown_name, where, "an edge to or from a node that does not exist",
            fmt::format("the graph has {} nodes", work.nodes.size()));
      } else if (edge.from == edge.to && edge.delay == 0) {
        const std::string name = work.nodes[edge.from].name;
        add(ProblemId::bad_graph, where, fmt::format("an edge from node {0} to itself", in_backticks(name)),
            fmt::format("a node cannot wait for itself: remove the edge, or let it wait for the job before, "
                        "[{0}, {0}, {{delay: 1}}]",
                        printable(name)));
      } else if (const auto [first, is_new] =
                     first_of_edge.try_emplace(edge.from * work.nodes.size() + edge.to, i);
                 !is_new) {
        add(ProblemId::bad_graph, where,
            fmt::format("the edge from {} to {} is given twice", in_backticks(work.nodes[edge.from].name),
                        in_backticks(work.nodes[edge.to].name)),
            "remove one of them", item_path(path + ".edges", first->second));
      } else if (edge.delay == 0) {
        edges_from[edge.from].push_back(i);
      } else {
        check_history(where, work, edge);
      }
    }
    check_cycles(path, work, edges_from);
    check_order_of_parts(path, work);
  }

  void check_order_of_parts(const std::string& path, const Work& work) {
    std::vector<bool> waits_for_last(work.nodes.size() + 1);
    for (const Edge& edge : work.edges) {
      if (edge.delay == 0 && edge.to == edge.from + 1 && edge.to < work.nodes.size()) {
        waits_for_last[edge.to] = true;
      }
    }
    for (const NodeGroup& group : node_groups(work)) {
      for (std::size_t node = group.first + 1; node < group.first + group.count; ++node) {
        if (waits_for_last[node]) continue;
        add(ProblemId::bad_graph, graph_place(path + ".nodes", work, node),
            fmt::format("the part {} does not wait for the one before", in_backticks(work.nodes[node].name)),
            "the parts of a node run one after the other: add the edge");
      }
    }
  }

  void check_part(const std::string& where, const Node& node) {
    if (!is_called_as_part(node)) {
      add(where,
          fmt::format("a part of node {} has the name {}", in_backticks(node.part_of),
                      in_backticks(node.name)),
          "parts are called NODE.PART");
    } else if (part_name(node).find('.') != std::string_view::npos) {
      add(where, fmt::format("the name of the part {} has a dot", in_backticks(part_name(node))),
          "names of parts have none, so that the node and its part can be told from NODE.PART");
    }
  }

  void check_history(const std::string& where, const Work& work, const Edge& edge) {
    constexpr std::int64_t max_delay = 64;
    if (edge.delay < 0 || edge.delay > max_delay) {
      add(ProblemId::out_of_range, where + "[2].delay", fmt::format("a delay of {} jobs", edge.delay),
          fmt::format("it is from 1 to {}", max_delay));
    }
    if (!system_.policy.strategy->times_nodes) {
      add(ProblemId::conflicting_keys, where,
          "an edge to a later job, where nodes have no releases of their own",
          "remove the edge, or use the strategy " +
              strategies_text([](const StrategyFacts& strategy) { return strategy.times_nodes; }));
    }
    for (const std::size_t node : {edge.from, edge.to}) {
      const Segment& segment = work.nodes[node].segment;
      if (server_of(segment) == ServerKind::gpu || drawn_time(segment).worst > Duration{}) continue;
      add(ProblemId::bad_graph, where,
          fmt::format("an edge to a later job at node {}, which takes no time",
                      in_backticks(work.nodes[node].name)),
          "name a node that takes time");
      return;
    }
  }

  /// Depth-first search. Every edge that leads back onto the current walk closes a cycle; without those edges
  /// the graph would have none.
  void check_cycles(const std::string& path, const Work& work,
                    const std::vector<std::vector<std::size_t>>& edges_from) {
    struct Step {
      std::size_t node = 0;
      std::size_t next = 0;  // index into edges_from[node]
    };
    constexpr std::size_t unseen = static_cast<std::size_t>(-1);
    constexpr std::size_t left = static_cast<std::size_t>(-2);
    std::vector<std::size_t> place(work.nodes.size(), unseen);  // on the walk, or one of the above
    std::vector<Step> walk;
    std::vector<std::pair<std::size_t, std::string>> cycles;  // closing edge, nodes
    for (std::size_t start = 0; start < work.nodes.size(); ++start) {
      if (place[start] != unseen) continue;
      place[start] = 0;
      walk.push_back({.node = start, .next = 0});
      while (!walk.empty()) {
        Step& step = walk.back();
        if (step.next == edges_from[step.node].size()) {
          place[step.node] = left;
          walk.pop_back();
          continue;
        }
        const std::size_t edge = edges_from[step.node][step.next++];
        const std::size_t to = work.edges[edge].to;
        if (place[to] == unseen) {
          place[to] = walk.size();
          walk.push_back({.node = to, .next = 0});
        } else if (place[to] != left) {
          std::string names;
          const std::size_t length = walk.size() - place[to];
          for (std::size_t i = 0; i < length; ++i) {
            constexpr std::size_t max_names = 8;
            if (i == max_names && length > max_names + 1) {
              names += fmt::format("... ({} more) -> ", length - max_names);
              break;
            }
            names += printable(work.nodes[walk[place[to] + i].node].name) + " -> ";
          }
          cycles.emplace_back(edge, names + printable(work.nodes[to].name));
        }
      }
    }
    std::sort(cycles.begin(), cycles.end());
    for (const auto& [edge, names] : cycles) {
      add(ProblemId::bad_graph, item_path(path + ".edges", edge), "the edges form a cycle: " + names,
          "remove one of its edges: no node may wait for itself");
    }
  }
};

}  // namespace

std::string choice_path(const std::string& task_path, const Task& task, std::size_t choice) {
  return place_in_file(task_path, task, task.choices[choice].node);
}

void check_work(const System& system, const std::string& path, const Task& task,
                std::vector<Violation>& violations) {
  WorkRules{system, violations}.check_work(path, task);
}

}  // namespace tactus
