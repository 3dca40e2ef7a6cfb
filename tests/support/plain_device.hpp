// A GPU straight from its rules, one block at a time: what the references of the strategies run on. Every
// stream holds one operation at a time here, so an operation joins its queue when it is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/platform.hpp"
#include "tactus/model/segment.hpp"

namespace tactus::test {

/// Blocks of a kernel, or slices of exclusive work.
struct PlainOperation {
  bool exclusive = false;
  std::size_t level = 0;          // its EE queue; larger = more urgent
  std::vector<std::int32_t> sms;  // where it may run; exclusive work takes all of them
  std::int64_t first_part = 0;    // what its first block or slice is called
  // kernel
  std::int64_t blocks = 0;
  Duration block_time{};
  BlockDemand demand;
  // exclusive
  Duration left{};         // not yet assigned to a slice
  Duration slice{};        // the longest one
  bool stoppable = false;  // anywhere
};

class PlainDevice {
 public:
  /// A block or slice ran on an SM.
  using Tell = std::function<void(std::size_t operation, std::int64_t part, std::int32_t sm, Time, Time)>;

  PlainDevice(const Gpu& gpu, Tell tell);

  /// The operation is known by the number it gets.
  std::size_t call(const PlainOperation& operation);
  /// Step 1 of an instant; the operations that finished.
  std::vector<std::size_t> end_parts(Time now);
  /// Step 4.
  void dispatch(Time now);
  /// What has not started of an operation will not; how many blocks or slices that is. Unless some of it
  /// runs, it is off the device.
  std::int64_t withdraw_rest(std::size_t operation);
  [[nodiscard]] bool runs(std::size_t operation) const { return operations_[operation].running > 0; }
  /// Takes exclusive work off the device; the time it had left to do.
  Duration withdraw(std::size_t operation, Time now);

  [[nodiscard]] Time next_end() const;
  /// When its first part began; `never` if none did.
  [[nodiscard]] Time start_of(std::size_t operation) const { return operations_[operation].start; }

 private:
  struct Operation {
    PlainOperation what;
    std::int64_t assigned = 0;  // blocks or slices
    std::int64_t running = 0;
    Time start = never;
  };
  struct Sm {
    std::int64_t threads = 0;  // in use, like the rest
    std::int64_t slots = 0;
    std::int64_t shared_memory = 0;
    std::int64_t registers = 0;
    bool exclusive = false;
  };
  struct Part {
    std::size_t operation = 0;
    std::int64_t index = 0;
    std::int32_t sm = 0;  // of a block
    Time start{};
    Time end{};
  };

  [[nodiscard]] static bool all_assigned(const Operation& operation);
  [[nodiscard]] std::optional<std::size_t> most_urgent_level() const;
  [[nodiscard]] bool fits(const Sm& sm, const BlockDemand& demand) const;
  [[nodiscard]] std::optional<std::int32_t> choose_sm(const PlainOperation& what) const;
  [[nodiscard]] Sm& sm(std::int32_t index) { return sms_[static_cast<std::size_t>(index)]; }
  bool assign_block(std::size_t index, Time now);
  bool assign_slice(std::size_t index, Time now);
  void start_part(std::size_t index, std::int32_t sm, Duration length, Time now);
  void stop_for_more_urgent(Time now);
  void stop_part(std::size_t place, Time now);
  void free_sms(const Part& part);
  void tell(const Part& part) const;

  const Gpu& gpu_;
  Tell tell_;
  std::vector<Operation> operations_;
  std::vector<std::deque<std::size_t>> queues_;  // by level
  std::vector<Sm> sms_;
  std::int32_t last_sm_;  // round-robin: the SM used last; at first the one before SM 0
  std::vector<Part> parts_;
};

}  // namespace tactus::test
