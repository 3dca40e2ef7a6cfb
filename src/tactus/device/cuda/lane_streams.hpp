// The streams for submissions, in the partitions of their SM sets. All are created at the start.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/device/cuda/partition.hpp"
#include "tactus/device/cuda/preemptible_work.hpp"
#include "tactus/device/cuda/stream.hpp"
#include "tactus/device/device.hpp"
#include "tactus/sched/job_map.hpp"

namespace tactus::cuda {

/// The priority of a lane's stream. The least urgent level gets CUDA's lowest priority; levels beyond the
/// range of the device share the highest.
int stream_priority(std::uint32_t level, std::uint32_t max_level, PriorityRange range);

/// The distinct lanes in order, and their common properties.
struct LanePlan {
  std::vector<sched::Lane> lanes;
  std::uint32_t max_level = 0;
  std::vector<sched::SmSetId> sm_sets;  // those in use other than all SMs, in order

  /// Index into `lanes`; `none` if it was not announced.
  [[nodiscard]] std::size_t find(const sched::Lane& lane) const;
  static constexpr std::size_t none = ~std::size_t{0};
};
LanePlan plan_lanes(std::span<const sched::Lane> lanes);

/// The partitions for the SM sets.
struct PartitionPlan {
  std::vector<int> sizes;  // of the sets in use other than all SMs, in order; none where loops keep them
  int around = 0;          // SMs of a partition that contains them all; 0: all SMs of the device
  bool pins = false;       // only the loops of kernels keep work on its SMs
  int parts_per_sm = 1;    // SMs of the model that one of the device is
};
/// A set that is no multiple of the device's groups, or has parts of SMs, cannot be a partition: then all are
/// pinned. InputError when the GPU of the model has more SMs than the device.
PartitionPlan plan_partitions(const LanePlan& lanes, std::span<const std::vector<std::int32_t>> sm_sets,
                              const PartitionGranularity& device, SmSetsBy by = SmSetsBy::partitions,
                              int parts_per_sm = 1);

/// The SMs of an SM set, for its streams and the loops of its kernels.
struct SmPlace {
  int sms = 0;                   // that its work may use
  int launch_sms = 0;            // that a launch must fill for its blocks to reach all SMs of the set
  bool is_pinned = false;        // only the loop of a kernel keeps it there
  SmSet ids = all_sms();         // their ids
  unsigned int virtual_sms = 0;  // per SM of the model, for user kernels; 0: none
  // Where an SM of the device is several of the model: how many, and which of them the set has.
  unsigned int parts_per_sm = 1;
  BlocksOnSm parts{1, 1, 1};

  /// For user kernels. A loop without excluded SMs may take one block each, and so be preempted; the streams
  /// of a partition keep it on its SMs.
  [[nodiscard]] Placement of_loops() const {
    return {.sms = is_pinned || virtual_sms != 0 ? ids : all_sms(),
            .virtual_sms = virtual_sms,
            .most = {virtual_sms * parts.first, virtual_sms * parts.between, virtual_sms * parts.last},
            .is_pinned = is_pinned};
  }
  /// For built-in kernels, one block of which fills a part of an SM, or `most` of them the whole, if blocks
  /// stay there.
  [[nodiscard]] Placement of_builtin_loops(unsigned int most = 0) const {
    if (!is_pinned) return {};
    return {.sms = ids,
            .virtual_sms = 0,
            .most = parts_per_sm > 1 ? parts : BlocksOnSm{most, most, most},
            .is_pinned = true};
  }
  /// How many blocks of built-in work it holds, of which an SM holds `on_sm`.
  [[nodiscard]] int builtin_blocks(unsigned int on_sm) const {
    return parts_per_sm > 1 ? static_cast<int>(of_builtin_loops().blocks()) : sms * static_cast<int>(on_sm);
  }
};

/// The place of a set that is pinned. The SMs of the model are the first of `ids`, which are in order; with
/// parts, each of them is several of the model.
SmPlace pinned_place(std::span<const std::int32_t> sms, std::span<const unsigned> ids, int parts_per_sm = 1);

class LaneStreams {
 public:
  struct Settings {
    int device = 0;
    Coscheduling coscheduling = Coscheduling::ignored;
    std::size_t own_streams = 32;  // per lane, for jobs with streams of their own
    SmSetsBy sm_sets_by = SmSetsBy::partitions;
  };
  LaneStreams(const device::Setup& setup, const Settings& settings);

  [[nodiscard]] std::size_t size() const { return streams_.size(); }
  [[nodiscard]] cudaStream_t operator[](std::uint32_t index) const { return streams_[index].get(); }

  /// Some stream of a set; null when there is none.
  [[nodiscard]] cudaStream_t first_on(sched::SmSetId set) const;

  /// The stream for a request; `no_stream` if its lane was not announced. A job keeps its own stream.
  [[nodiscard]] std::uint32_t find(const device::Request& request);
  static constexpr std::uint32_t no_stream = ~std::uint32_t{0};
  /// Where each node of a job has a stream of its own, and jobs overlap: its stream is available to others.
  void submission_over(const device::Request& request);
  /// Makes the job's own streams available to others.
  void job_over(sched::JobId job);

  /// One more stream, for work that stays on the SMs of a set.
  [[nodiscard]] Stream make_stream_for(sched::SmSetId set) const { return make_stream_in(set, 0); }
  /// The green context of a set; null if it has none.
  [[nodiscard]] void* context_of(sched::SmSetId set) const {
    const Partition* partition = partition_of(set);
    return partition == nullptr ? nullptr : partition->context();
  }
  /// Where the work of a set runs.
  [[nodiscard]] const SmPlace& place(sched::SmSetId set) const { return places_[set]; }
  /// Whether some work is kept on its SMs only by the loops of its kernels.
  [[nodiscard]] bool pins() const { return partition_plan_.pins; }
  /// What would give every set a partition, for users.
  [[nodiscard]] std::string way_to_partitions() const;

  /// Differences from the model, as messages for users.
  [[nodiscard]] std::vector<std::string> not_enforced() const;

 private:
  /// The streams of a lane, or of several; one for a named stream.
  struct Pool {
    std::uint32_t first = 0;  // in `streams_`
    std::uint32_t count = 1;
    std::uint32_t next = 0;  // shared next when none is free
    std::vector<std::uint32_t> free;
  };
  struct LanePool {
    std::uint32_t pool = 0;
    std::uint32_t place = 0;  // index among the lanes of own streams
  };
  struct Owned {
    std::uint32_t stream = no_stream;
    bool shared = false;
  };

  void make_partitions(const Settings& settings);
  void pin(const device::Setup& setup);
  void note_rounding(const device::Setup& setup);
  [[nodiscard]] Stream make_stream_in(sched::SmSetId set, int priority) const;
  [[nodiscard]] const Partition* partition_of(sched::SmSetId set) const;
  [[nodiscard]] std::size_t lane_of(const device::Request& request) const;
  /// Of an earlier lane of the same level on the same SMs.
  [[nodiscard]] std::optional<std::uint32_t> pool_shared_by(const sched::Lane& lane) const;
  [[nodiscard]] std::uint32_t own_stream_of(sched::JobId job, const LanePool& lane);
  void give_back(sched::JobId job, const LanePool& lane);

  LanePlan plan_;
  PartitionGranularity granularity_;  // without a group: the device has no partitions
  PartitionPlan partition_plan_;
  std::optional<Partitions> partitions_;
  std::vector<int> partition_of_set_;  // -1: none, all SMs of the device
  std::vector<SmPlace> places_;        // by set
  std::vector<std::string> rounded_;   // messages for users
  std::vector<Stream> streams_;
  std::vector<Pool> pools_;
  std::vector<LanePool> lane_pools_;    // by lane
  std::vector<std::size_t> own_lanes_;  // lanes of own streams
  bool shares_pools_ = false;           // lanes of one level on the same SMs do
  sched::JobMap<Owned> owned_;          // by lane of own streams
  std::uint64_t times_shared_ = 0;
};

}  // namespace tactus::cuda
