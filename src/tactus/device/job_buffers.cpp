#include "tactus/device/job_buffers.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/sched/precedence.hpp"

namespace tactus::device {

namespace {

std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name{
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free};
  return status == 0 ? std::string{name.get()} : std::string{type.name()};
}

std::vector<bool> reached_from(std::uint32_t node, std::size_t nodes, const sched::Precedence& precedence) {
  std::vector<bool> reached(nodes);
  std::vector<std::uint32_t> left{node};
  while (!left.empty()) {
    const std::uint32_t next = left.back();
    left.pop_back();
    for (const std::uint32_t successor : precedence.successors(next)) {
      if (reached[successor]) continue;
      reached[successor] = true;
      left.push_back(successor);
    }
  }
  return reached;
}

[[noreturn]] void fail_without_buffers() {
  throw FailureError{"its task has no buffers: declare them before the run (runtime.buffer<T>(task, node))"};
}

}  // namespace

JobBuffers::JobBuffers(const Task& task, std::span<const BufferPlan> plans, std::uint32_t places)
    : places_{places} {
  const sched::Precedence precedence{task.work};
  const std::vector<Node>& nodes = task.work.nodes;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    OfNode& node = nodes_.emplace_back();
    node.name = nodes[i].name;
    node.label = node.name.empty() ? "segment " + std::to_string(i) : "node '" + node.name + "'";
    node.reaches = reached_from(i, nodes.size(), precedence);
    node.type = plans[i].type;
    if (node.type == nullptr) continue;
    for (std::uint32_t place = 0; place < places; ++place) node.objects.push_back(plans[i].make());
  }
}

void* JobBuffers::find(std::size_t node, std::uint32_t place, const std::type_info& type) const {
  if (node >= nodes_.size()) throw FailureError{"there is no segment " + std::to_string(node)};
  const OfNode& found = nodes_[node];
  if (found.type == nullptr) {
    throw FailureError{found.label + " has no buffer: declare it before the run (runtime.buffer<" +
                       name_of(type) + ">(task, node))"};
  }
  if (*found.type != type) {
    throw FailureError{"the buffer of " + found.label + " is of type " + name_of(*found.type) + ", not " +
                       name_of(type)};
  }
  return found.objects[place].get();
}

std::size_t JobBuffers::node_named(std::string_view name) const {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].name == name && !name.empty()) return i;
  }
  for (const OfNode& node : nodes_) names.emplace_back(node.name);
  const std::string_view near = nearest_name(name, names);
  throw FailureError{"there is no node '" + std::string{name} + "'" +
                     (near.empty() ? "" : "; did you mean '" + std::string{near} + "'?")};
}

void JobBuffers::require_before(std::size_t node, std::size_t reader) const {
  if (reader >= nodes_.size() || node >= nodes_.size() || nodes_[node].reaches[reader]) return;
  throw FailureError{nodes_[reader].label + " reads the buffer of " + nodes_[node].label +
                     ", but no path of edges leads from there: it may not be filled yet"};
}

void* output_of(const JobBuffers* buffers, std::size_t segment, std::uint32_t place,
                const std::type_info& type) {
  if (buffers == nullptr) fail_without_buffers();
  return buffers->find(segment, place, type);
}

const void* input_of(const JobBuffers* buffers, std::size_t reader, std::uint32_t place,
                     std::string_view node, const std::type_info& type) {
  if (buffers == nullptr) fail_without_buffers();
  return input_of(buffers, reader, place, buffers->node_named(node), type);
}

const void* input_of(const JobBuffers* buffers, std::size_t reader, std::uint32_t place, std::size_t segment,
                     const std::type_info& type) {
  if (buffers == nullptr) fail_without_buffers();
  buffers->require_before(segment, reader);
  return buffers->find(segment, place, type);
}

}  // namespace tactus::device
