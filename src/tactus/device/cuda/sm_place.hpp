// The SMs of an SM set, as its streams and the loops of its kernels see them.
#pragma once

#include "tactus/device/cuda/preemptible_work.hpp"
#include "tactus/device/cuda/sm_set.hpp"

namespace tactus::cuda {

struct SmPlace {
  int sms = 0;                   // that its work may use
  int launch_sms = 0;            // that a launch must fill, so that its blocks reach all of those
  bool is_pinned = false;        // nothing but the loop of a kernel keeps it there
  SmSet ids = all_sms();         // of them
  unsigned int virtual_sms = 0;  // of an SM, for kernels of users; 0: there are none

  /// For kernels of users. A loop that has no SM to leave out may take one block each, and so be preempted:
  /// the streams of a partition need nothing else to stay there.
  [[nodiscard]] Placement of_loops() const {
    return {.sms = is_pinned || virtual_sms != 0 ? ids : all_sms(), .virtual_sms = virtual_sms};
  }
  /// For built-in kernels, which are cut to the whole SM.
  [[nodiscard]] Placement of_builtin_loops() const {
    return {.sms = is_pinned ? ids : all_sms(), .virtual_sms = 0};
  }
};

}  // namespace tactus::cuda
