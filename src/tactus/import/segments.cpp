#include "tactus/import/segments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/utf8.hpp"
#include "tactus/import/convert.hpp"
#include "tactus/model/limits.hpp"

namespace tactus::import {

namespace {

constexpr std::int64_t usual_block = 512;  // of the thesis from which GridSize comes

std::int64_t within(std::int64_t value, const Range& range) {
  return std::clamp(value, range.min, range.max);
}

Segment kernel_of(const Part& part, const Options& options, Notes& notes, const Task& task) {
  KernelSegment kernel;
  kernel.grid[0] = within(*part.grid.blocks, tactus::limits::grid[0]);
  kernel.block = within(part.grid.threads.value_or(usual_block), tactus::limits::threads_per_block);
  kernel.block_time = interval_of(part.time, options.times);
  kernel.shared_memory = within(part.grid.shared_memory.value_or(0), tactus::limits::shared_memory_per_sm);
  kernel.registers = within(part.grid.registers.value_or(0), {0, 255}) * kernel.block;
  notes.assume("grid", nullptr,
               fmt::format("{}: GridSize {} is the number of blocks, and ticks are those of one block",
                           in_backticks(task.name), kernel.grid[0]));
  if (!part.grid.threads) {
    notes.assume("block-size", nullptr,
                 fmt::format("{}: blocks have {} threads; the model says nothing", in_backticks(task.name),
                             kernel.block),
                 "give the runnable the custom property BlockSize");
  }
  return kernel;
}

Segment segment_of(const Part& part, const Options& options, Notes& notes, const Task& task) {
  const Interval time = interval_of(part.time, options.times);
  if (part.kind == PartKind::cpu) return CpuSegment{time};
  if (part.kind == PartKind::gpu)
    return part.grid.blocks && *part.grid.blocks > 0 ? kernel_of(part, options, notes, task)
                                                     : Segment{ExclusiveSegment{time}};
  return CopySegment{.time = time, .bytes = {}};  // a file says the direction only of copies in bytes
}

}  // namespace

void set_work(const Job& job, std::int32_t core, const Cores& cores, const Options& options, Notes& notes,
              Task& task) {
  Work& work = task.work;
  work.form = WorkForm::chain;
  for (const Part& part : job.parts) {
    Node node{.name = {}, .segment = segment_of(part, options, notes, task)};
    const std::int32_t own = part.kind == PartKind::cpu ? cores.number_of(part.unit) : core;
    if (own >= 0 && own != core) {
      node.core = own;
      work.form = WorkForm::graph;
    }
    work.nodes.push_back(std::move(node));
  }
  if (work.form != WorkForm::graph) return;
  for (std::size_t i = 0; i < work.nodes.size(); ++i) {
    work.nodes[i].name = fmt::format("part{}", i + 1);
    if (i > 0) work.edges.push_back({.from = i - 1, .to = i});
  }
  if (task.wait == Waiting::busy) {
    task.wait = Waiting::suspend;
    notes.assume(
        "busy-elsewhere", nullptr,
        fmt::format("{} waits actively for work on another core; here it gives its core away meanwhile",
                    in_backticks(task.name)));
  }
}

}  // namespace tactus::import
