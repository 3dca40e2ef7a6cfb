// The buffers through which nodes of a job pass data on.
//
// Jobs of a task may overlap, so each has buffers of its own: those of its place (sched/places.hpp). They are
// made before the run; a job finds them without allocating and without a lock. That a node is done before
// those behind it begin is the scheduler's promise, so nothing else guards a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "tactus/base/shared_function.hpp"
#include "tactus/model/task.hpp"

namespace tactus::device {

/// What is declared of the buffer of a node.
struct BufferPlan {
  const std::type_info* type = nullptr;  // null: the node has none
  SharedFunction<std::shared_ptr<void>()> make{};
};

class JobBuffers {
 public:
  /// Makes a buffer for each place and each node that has one; `plans` is by node. Passes on what `make`
  /// throws.
  JobBuffers(const Task& task, std::span<const BufferPlan> plans, std::uint32_t places);

  [[nodiscard]] std::uint32_t places() const { return places_; }
  /// FailureError when the node has no buffer, or one of another type.
  [[nodiscard]] void* find(std::size_t node, std::uint32_t place, const std::type_info& type) const;
  /// FailureError when there is no such node.
  [[nodiscard]] std::size_t node_named(std::string_view name) const;
  /// FailureError unless a path of edges leads from `node` to `reader`; a reader behind all nodes is the
  /// one of the job's results.
  void require_before(std::size_t node, std::size_t reader) const;

 private:
  struct OfNode {
    std::string label;  // for messages: "node 'grab'", "segment 2"
    std::string name;
    const std::type_info* type = nullptr;
    std::vector<std::shared_ptr<void>> objects;  // by place
    std::vector<bool> reaches;                   // by node: whether a path leads there
  };

  std::vector<OfNode> nodes_;
  std::uint32_t places_;
};

/// What `Job::output` and `Job::input` give; FailureError when it is not there. `buffers` may be null.
void* output_of(const JobBuffers* buffers, std::size_t segment, std::uint32_t place,
                const std::type_info& type);
const void* input_of(const JobBuffers* buffers, std::size_t reader, std::uint32_t place,
                     std::string_view node, const std::type_info& type);
const void* input_of(const JobBuffers* buffers, std::size_t reader, std::uint32_t place, std::size_t segment,
                     const std::type_info& type);

}  // namespace tactus::device
