#include "tactus/import/segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tactus/base/utf8.hpp"
#include "tactus/import/convert.hpp"
#include "tactus/import/properties.hpp"
#include "tactus/model/limits.hpp"

namespace tactus::import {

namespace {

constexpr std::int64_t usual_block = 512;  // of the thesis from which GridSize comes

std::int64_t within(std::int64_t value, const Range& range) {
  return std::clamp(value, range.min, range.max);
}

/// Also where one case is asked for: a part that may be missing makes others come earlier.
Interval interval_of(const Part& part, const Span& time, Times times) {
  Interval interval = import::interval_of(time, times);
  if (part.may_take_less) interval.best = {};
  return interval;
}

Segment kernel_of(const Part& part, const Options& options, Notes& notes, const Task& task) {
  KernelSegment kernel;
  kernel.grid[0] = within(*part.grid.blocks, tactus::limits::grid[0]);
  kernel.block = within(part.grid.threads.value_or(usual_block), tactus::limits::threads_per_block);
  kernel.block_time = interval_of(part, part.time, options.times);
  kernel.shared_memory = within(part.grid.shared_memory.value_or(0), tactus::limits::shared_memory_per_sm);
  kernel.registers = within(part.grid.registers.value_or(0), {0, 255}) * block_demand(kernel, Gpu{}).threads;
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

Segment segment_of(const Part& part, const CoreUnits& cores, const Options& options, Notes& notes,
                   const Task& task) {
  const Interval time = interval_of(part, part.time, options.times);
  if (part.kind == PartKind::cpu) return cpu_segment_of(part, cores, options.times);
  if (part.kind == PartKind::gpu)
    return part.grid.blocks && *part.grid.blocks > 0 ? kernel_of(part, options, notes, task)
                                                     : Segment{ExclusiveSegment{time}};
  return CopySegment{.time = time, .bytes = {}};  // a file says the direction only of copies in bytes
}

}  // namespace

CpuSegment cpu_segment_of(const Part& part, const CoreUnits& cores, Times times) {
  CpuSegment segment{interval_of(part, part.time, times)};
  for (std::size_t core = 0; core < cores.units.size(); ++core) {
    const auto found = part.by_unit.find(cores.units[core]);
    if (found == part.by_unit.end()) continue;
    const Interval time = interval_of(part, found->second, times);
    const auto number = static_cast<std::int32_t>(core);
    CoreTime* last = segment.by_core.empty() ? nullptr : &segment.by_core.back();
    if (last != nullptr && last->cores.end() == number && last->time == time) {
      ++last->cores.count;
    } else {
      segment.by_core.push_back({{number, 1}, time});
    }
  }
  // The same on all of them.
  const bool is_one = segment.by_core.size() == 1 &&
                      segment.by_core.front().cores.count == static_cast<std::int32_t>(cores.units.size());
  if (is_one) segment.by_core.clear();
  return segment;
}

void check_grids(const Model& model, Notes& notes) {
  struct Key {
    std::string_view name;
    Range range;
  };
  const std::array<Key, 5> all{{{keys::grid, {1, tactus::limits::grid[0].max}},
                                {keys::block, tactus::limits::threads_per_block},
                                {keys::shared_memory, tactus::limits::shared_memory_per_sm},
                                {keys::registers, {0, 255}},
                                {keys::stream_priority, {-1'000, 0}}}};
  const auto look_at = [&](const Element& element) {
    for (const Key& key : all) {
      const std::optional<std::string> text = property(element, key.name);
      if (!text) continue;
      const std::optional<std::int64_t> number = integer_property(element, key.name);
      if (number && *number >= key.range.min && *number <= key.range.max) continue;
      notes.refuse(
          element, ProblemId::bad_number,
          fmt::format("{} of {} is {}", key.name, in_backticks(name_of(element)), in_backticks(*text)),
          fmt::format("it is a whole number from {} to {}", key.range.min, key.range.max));
    }
  };
  for (const Process& task : model.software.tasks) look_at(*task.element);
  for (const Runnable& runnable : model.software.runnables) look_at(*runnable.element);
}

void set_work(const Job& job, std::int32_t core, const CoreUnits& cores, const Options& options, Notes& notes,
              Task& task) {
  Work& work = task.work;
  work.form = WorkForm::chain;
  bool is_elsewhere = false;
  for (const Part& part : job.parts) {
    Node node{.name = {}, .segment = segment_of(part, cores, options, notes, task)};
    const std::int32_t own =
        part.kind == PartKind::cpu && part.by_unit.empty() ? cores.number_of(part.unit) : core;
    if (own >= 0 && own != core) {
      node.core = own;
      is_elsewhere = true;
    }
    work.nodes.push_back(std::move(node));
  }
  if (is_elsewhere && task.wait == Waiting::busy) {
    task.wait = Waiting::suspend;
    notes.warn(
        "busy-elsewhere", nullptr,
        fmt::format("{} {} for work on another core; here it gives its core away meanwhile, so less urgent "
                    "tasks of its core may be done too early",
                    in_backticks(task.name), job.may_give_core ? "may wait actively" : "waits actively"));
  }
}

}  // namespace tactus::import
