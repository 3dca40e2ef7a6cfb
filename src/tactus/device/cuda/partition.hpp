// Disjoint partitions of the SMs of a device, each with its own streams (green contexts).
//
// A partition keeps its own work on its own SMs. It does not reserve them: work in streams outside partitions
// may run on the same SMs. Caches, memory bandwidth and copy engines are shared.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tactus/device/cuda/sm_set.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::cuda {

/// Whether the SMs of a group must support thread block clusters. Groups without that can be smaller.
enum class Coscheduling { kept, ignored };

/// How the work of an SM set is kept on its SMs.
enum class SmSetsBy : std::uint8_t {
  partitions,  // by the device
  pinning,     // by the loop of each kernel: blocks that start on another SM exit at once
};

/// Whether device and driver support partitions.
bool has_partitions(int device);

/// The result of splitting the device into its smallest groups.
struct PartitionGranularity {
  int sms = 0;        // of the device
  int group = 0;      // SMs per group
  int groups = 0;     // number of groups
  int left_over = 0;  // SMs in no group
};
PartitionGranularity partition_granularity(int device, Coscheduling coscheduling);

/// Finds the SMs that a stream's kernels run on: fills `expected` SMs briefly and records where the blocks
/// ran. Blocks until done. Other work on these SMs makes it slower; FailureError if several tries saw another
/// number of SMs.
SmSet find_sm_ids(cudaStream_t stream, int expected);

/// One partition. It belongs to its Partitions and must not outlive them.
class Partition {
 public:
  /// The number of SMs as reported by the driver: at least as many as requested.
  [[nodiscard]] int sms() const { return sms_; }
  /// Their ids, found by running a kernel at construction.
  [[nodiscard]] const SmSet& ids() const { return ids_; }
  /// Its green context.
  [[nodiscard]] void* context() const { return context_; }
  /// A stream whose kernels run on these SMs only. Must be destroyed before the Partitions.
  [[nodiscard]] Stream make_stream(int priority = 0) const;

 private:
  friend class Partitions;
  void* context_ = nullptr;
  int sms_ = 0;
  SmSet ids_;
};

/// All from one split, so that they are disjoint, except for `around`.
class Partitions {
 public:
  /// A partition for each requested size, rounded up to whole groups. InputError if they do not fit,
  /// FailureError if the driver refuses. Unless `around` is 0, a last partition is added: it has at least
  /// that many SMs, including those of all others.
  Partitions(int device, std::span<const int> wanted, Coscheduling coscheduling = Coscheduling::ignored,
             int around = 0);

  [[nodiscard]] std::size_t size() const { return parts_.size(); }
  [[nodiscard]] const Partition& operator[](std::size_t index) const { return parts_[index]; }

 private:
  struct DestroyContext {
    void operator()(void* context) const noexcept;
  };
  /// Takes ownership of the context.
  void add(void* context);

  std::vector<std::unique_ptr<void, DestroyContext>> contexts_;
  std::vector<Partition> parts_;
};

}  // namespace tactus::cuda
