#include "tactus/model/policy.hpp"

namespace tactus {

CpuPolicy cpu_policy(const Policy& policy) {
  const Order order = policy.strategy->has_order ? policy.order : Order::fp;
  const CpuChoice given = policy.cpu.value_or(CpuChoice{});
  if (policy.strategy->times_nodes) {
    return {.order = policy.order,
            .scope = policy.clusters == ClusterMode::global ? CpuScope::global : CpuScope::clustered,
            .preemptive = given.preemptive};
  }
  return {.order = given.order.value_or(order), .scope = given.scope, .preemptive = given.preemptive};
}

CopyOrder copy_order(const Policy& policy) {
  if (policy.copies) return *policy.copies;
  if (!policy.strategy->has_order || policy.strategy->times_nodes) return CopyOrder::fifo;
  return policy.order == Order::fp ? CopyOrder::fp : CopyOrder::edf;
}

}  // namespace tactus
