// Small systems of chains for the composed bounds, in units of a nanosecond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tactus/analysis/composition.hpp"

namespace tactus::test {

/// Servers by number: a core, a copy engine, a GPU.
enum ExampleServer : std::size_t { on_core = 0, on_copy = 1, on_gpu = 2 };

inline analysis::ChainNode node(std::size_t server, std::int64_t best, std::int64_t worst,
                                std::int64_t block = 0) {
  return {
      .server = server, .time = {nanoseconds(best), nanoseconds(worst)}, .longest_block = nanoseconds(block)};
}
inline analysis::ChainNode cpu_node(std::int64_t best, std::int64_t worst) {
  return node(on_core, best, worst);
}
inline analysis::ChainNode cpu_node(std::int64_t time) { return node(on_core, time, time); }
inline analysis::ChainNode copy_node(std::int64_t best, std::int64_t worst) {
  return node(on_copy, best, worst);
}
inline analysis::ChainNode copy_node(std::int64_t time) { return node(on_copy, time, time); }
inline analysis::ChainNode gpu_node(std::int64_t best, std::int64_t worst, std::int64_t block) {
  return node(on_gpu, best, worst, block);
}
inline analysis::ChainNode gpu_node(std::int64_t best, std::int64_t worst) {
  return node(on_gpu, best, worst, worst);
}
inline analysis::ChainNode gpu_node(std::int64_t time) { return node(on_gpu, time, time, time); }

inline analysis::ChainTask composed_task(std::int64_t period, std::int64_t deadline,
                                         std::vector<analysis::ChainNode> nodes, std::int64_t jitter = 0) {
  return {.nodes = std::move(nodes),
          .period = nanoseconds(period),
          .deadline = nanoseconds(deadline),
          .jitter = nanoseconds(jitter)};
}

inline analysis::ChainServer served(analysis::ServiceKind service, Order order = Order::fp,
                                    std::int32_t levels = 1) {
  return {.service = service, .order = order, .levels = levels};
}

/// A preemptive core; copies and GPU without preemption; all of one order.
inline std::vector<analysis::ChainServer> usual_servers(Order order = Order::fp) {
  return {served(analysis::ServiceKind::preemptive, order),
          served(analysis::ServiceKind::non_preemptive, order),
          served(analysis::ServiceKind::non_preemptive, order)};
}

/// The robot of the spec: three tasks with one kernel each.
inline analysis::ChainSystem robot() {
  return {
      usual_servers(),
      {composed_task(30, 30, {cpu_node(1, 2), gpu_node(1, 2), cpu_node(1)}),
       composed_task(60, 60, {cpu_node(2, 3), copy_node(1), gpu_node(2, 4), copy_node(1), cpu_node(1, 2)}),
       composed_task(150, 150,
                     {cpu_node(3, 5), copy_node(1, 2), gpu_node(3, 6), copy_node(1, 2), cpu_node(2, 3)})}};
}

/// Three tasks with several kernels each.
inline analysis::ChainSystem several_kernels() {
  return {usual_servers(),
          {composed_task(60, 60, {gpu_node(2), cpu_node(1), gpu_node(1, 2), cpu_node(1), gpu_node(2)}),
           composed_task(100, 100, {cpu_node(2, 4), gpu_node(3, 9), cpu_node(1, 2), gpu_node(1, 3)}),
           composed_task(100, 100, {gpu_node(5), cpu_node(4), gpu_node(2, 6)})}};
}

/// Its kernels in slices of these lengths, by task.
inline void cut_kernels(analysis::ChainSystem& system, const std::vector<std::int64_t>& blocks) {
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    for (analysis::ChainNode& node : system.tasks[i].nodes) {
      if (node.server == on_gpu) node.longest_block = nanoseconds(blocks[i]);
    }
  }
}

inline void wait_busily(analysis::ChainSystem& system) {
  for (analysis::ChainTask& task : system.tasks) task.held_core = on_core;
}

/// Launch and completion of every kernel, copy of every copy; jitter of every task.
inline void add_overheads(analysis::ChainSystem& system, std::int64_t launch, std::int64_t completion,
                          std::int64_t copy, std::int64_t jitter) {
  for (analysis::ChainTask& task : system.tasks) {
    task.jitter = nanoseconds(jitter);
    for (analysis::ChainNode& node : task.nodes) {
      if (node.server == on_core) continue;
      const bool is_copy = node.server == on_copy;
      node.ahead = nanoseconds(is_copy ? copy : launch);
      node.time.worst += nanoseconds(is_copy ? copy : launch + completion);
      if (!is_copy) node.longest_block += nanoseconds(completion);
    }
  }
}

struct ComposedExample {
  const char* name;
  analysis::ChainSystem system;
  std::vector<std::int64_t> plain;  // -1 for no bound
  std::vector<std::int64_t> chain;
};

/// The table of the spec, section 6.
inline std::vector<ComposedExample> composed_examples() {
  using analysis::ServiceKind;
  std::vector<ComposedExample> all;
  const auto add = [&](const char* name, analysis::ChainSystem system, std::vector<std::int64_t> plain,
                       std::vector<std::int64_t> chain) {
    all.push_back({name, std::move(system), std::move(plain), std::move(chain)});
  };
  add("A", robot(), {11, 29, 44}, {11, 27, 37});
  analysis::ChainSystem busy = robot();
  wait_busily(busy);
  add("B", busy, {11, 45, 118}, {11, 45, 116});
  analysis::ChainSystem fifo = robot();
  fifo.servers[on_copy] = fifo.servers[on_gpu] = served(ServiceKind::fifo);
  add("C", fifo, {15, 29, 42}, {15, 27, 37});
  analysis::ChainSystem levels = robot();
  levels.servers[on_gpu] = served(ServiceKind::levels, Order::fp, 2);
  cut_kernels(levels, {1, 2, 3});
  add("D", levels, {15, 29, 44}, {15, 27, 37});
  analysis::ChainSystem edf = robot();
  edf.servers = usual_servers(Order::edf);
  add("E", edf, {11, 29, 44}, {11, 27, 37});
  edf.servers[on_gpu] = served(ServiceKind::levels, Order::edf, 2);
  cut_kernels(edf, {1, 2, 3});
  add("F", edf, {28, 44, 56}, {26, 43, 50});
  analysis::ChainSystem own = robot();
  own.servers[on_gpu] = served(ServiceKind::own);
  add("G", own, {5, 21, 38}, {5, 18, 28});
  analysis::ChainSystem rigid = robot();
  rigid.servers[on_core] = served(ServiceKind::non_preemptive);
  add("H", rigid, {21, 39, 44}, {19, 37, 38});
  analysis::ChainSystem overheads = robot();
  add_overheads(overheads, 1, 1, 1, 1);
  add("I", overheads, {16, 40, 57}, {16, 40, 51});
  analysis::ChainSystem late = robot();
  late.tasks[1].period = nanoseconds(20);
  late.tasks[1].deadline = nanoseconds(80);
  add("K", late, {11, -1, -1}, {11, 27, 62});
  add("L", several_kernels(), {35, 46, 59}, {28, 37, 43});
  analysis::ChainSystem several_edf = several_kernels();
  several_edf.servers = usual_servers(Order::edf);
  // Without fresh windows under EDF: 41, 61, 56.
  add("M", several_edf, {-1, -1, -1}, {37, 57, 50});
  analysis::ChainSystem several_levels = several_kernels();
  several_levels.servers[on_gpu] = served(ServiceKind::levels, Order::fp, 2);
  cut_kernels(several_levels, {1, 1, 1});
  add("N", several_levels, {41, 42, 59}, {25, 31, 41});
  return all;
}

}  // namespace tactus::test
