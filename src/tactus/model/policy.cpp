#include "tactus/model/policy.hpp"

namespace tactus {

CpuPolicy cpu_policy(const Policy& policy) {
  const Order order = policy.strategy->has_order ? policy.order : Order::fp;
  return policy.cpu.value_or(CpuPolicy{.order = order});
}

CopyOrder copy_order(const Policy& policy) {
  if (policy.copies) return *policy.copies;
  if (!policy.strategy->has_order) return CopyOrder::fifo;
  return policy.order == Order::fp ? CopyOrder::fp : CopyOrder::edf;
}

}  // namespace tactus
