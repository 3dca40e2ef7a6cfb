// The SMs of an SM set, for its streams and the loops of its kernels.
#pragma once

#include "tactus/device/cuda/preemptible_work.hpp"
#include "tactus/device/cuda/sm_set.hpp"

namespace tactus::cuda {

struct SmPlace {
  int sms = 0;                   // that its work may use
  int launch_sms = 0;            // that a launch must fill for its blocks to reach all SMs of the set
  bool is_pinned = false;        // only the loop of a kernel keeps it there
  SmSet ids = all_sms();         // their ids
  unsigned int virtual_sms = 0;  // per SM, for user kernels; 0: none

  /// For user kernels. A loop without excluded SMs may take one block each, and so be preempted; the streams
  /// of a partition keep it on its SMs.
  [[nodiscard]] Placement of_loops() const {
    return {.sms = is_pinned || virtual_sms != 0 ? ids : all_sms(), .virtual_sms = virtual_sms};
  }
  /// For built-in kernels, which are sized for the whole SM.
  [[nodiscard]] Placement of_builtin_loops() const {
    return {.sms = is_pinned ? ids : all_sms(), .virtual_sms = 0};
  }
};

}  // namespace tactus::cuda
