#include "tactus/import/interrupts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "tactus/base/exact.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::import {

namespace {

/// Without a number it comes last.
std::optional<std::int64_t> interrupt_number(const Ranked* one) {
  return one->allocation == nullptr ? std::nullopt : one->allocation->priority;
}

}  // namespace

void set_interrupt_priorities(std::vector<Ranked>& tasks, Notes& notes) {
  std::vector<const Ranked*> interrupts;
  std::int64_t highest = 0;
  for (const Ranked& one : tasks) {
    if (one.process->is_interrupt) {
      interrupts.push_back(&one);
    } else {
      highest = std::max(highest, one.task->priority.value_or(0));
    }
  }
  if (interrupts.empty()) return;
  std::stable_sort(interrupts.begin(), interrupts.end(), [](const Ranked* a, const Ranked* b) {
    return interrupt_number(a) < interrupt_number(b);
  });
  std::string names;
  for (std::size_t i = 0; i < interrupts.size(); ++i) {
    const bool is_next = i == 0 || interrupt_number(interrupts[i]) != interrupt_number(interrupts[i - 1]);
    if (is_next) highest = checked_add(highest, 1);
    interrupts[i]->task->priority = highest;
    constexpr std::size_t most_named = 5;
    if (i < most_named) names += (names.empty() ? "" : ", ") + in_backticks(interrupts[i]->process->name);
    if (i == most_named) names += fmt::format(" and {} more", interrupts.size() - most_named);
  }
  notes.assume("interrupts", nullptr,
               fmt::format("interrupts precede all tasks of their core, and preempt each other by their "
                           "priorities, the larger number first: {}",
                           names),
               "keep them first where `tactus plan` chooses priorities");
}

void warn_of_awaited_interrupts(const Model& model, const JobMaker& jobs, Notes& notes) {
  for (const Process& one : model.software.tasks) {
    if (!one.is_interrupt || !jobs.is_offloaded(one)) continue;
    notes.warn(
        "awaited-interrupt", one.element,
        fmt::format("a task triggers interrupt {} and waits for it: here it is a part of that task, with "
                    "its priority, so more urgent tasks do not wait for it",
                    in_backticks(one.name)));
  }
}

}  // namespace tactus::import
