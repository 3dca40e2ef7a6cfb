// The SMs of a device in disjoint parts, each with its own streams (green contexts).
//
// A partition keeps its own work on its own SMs. It is no reservation: work in streams outside of partitions
// may run on the same SMs. Caches, memory bandwidth and copy engines are shared by all.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tactus/device/cuda/sm_set.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::cuda {

/// Whether a group of SMs must be able to run clusters of blocks together. Groups that need not are smaller.
enum class Coscheduling { kept, ignored };

/// What keeps the work of an SM set on its SMs.
enum class SmSetsBy : std::uint8_t {
  partitions,  // the device
  pinning,     // the loop of each kernel: blocks that begin on another SM leave at once
};

/// Whether device and driver can be split.
bool has_partitions(int device);

/// What one split of the device into its smallest groups gives.
struct PartitionGranularity {
  int sms = 0;        // of the device
  int group = 0;      // SMs of the smallest group
  int groups = 0;     // how many of them
  int left_over = 0;  // SMs in no group
};
PartitionGranularity partition_granularity(int device, Coscheduling coscheduling);

/// One part. It belongs to the Partitions it came from and must not outlive them.
class Partition {
 public:
  /// SMs as the driver counts them: at least as many as were asked for.
  [[nodiscard]] int sms() const { return sms_; }
  /// Their ids. Found by a kernel when the partition was made.
  [[nodiscard]] const SmSet& ids() const { return ids_; }
  /// A stream whose kernels run on these SMs only. Destroy it before the Partitions.
  [[nodiscard]] Stream make_stream(int priority = 0) const;

 private:
  friend class Partitions;
  void* context_ = nullptr;
  int sms_ = 0;
  SmSet ids_;
};

/// All from one split, so that they are disjoint; but see `around`.
class Partitions {
 public:
  /// A part for each wanted size, which is rounded up to whole groups. InputError if they do not fit,
  /// FailureError if the driver refuses. Unless `around` is 0, one more part comes last: it has at least so
  /// many SMs, among them all those of the others.
  Partitions(int device, std::span<const int> wanted, Coscheduling coscheduling = Coscheduling::ignored,
             int around = 0);
  ~Partitions();
  Partitions(Partitions&&) noexcept;
  Partitions& operator=(Partitions&&) noexcept;
  Partitions(const Partitions&) = delete;
  Partitions& operator=(const Partitions&) = delete;

  [[nodiscard]] std::size_t size() const { return parts_.size(); }
  [[nodiscard]] const Partition& operator[](std::size_t index) const { return parts_[index]; }

 private:
  struct Contexts;
  void add(void* context);

  std::unique_ptr<Contexts> contexts_;
  std::vector<Partition> parts_;
};

}  // namespace tactus::cuda
