// What makes a system of a document: changes to it, its platform, its policy, a task with its work, and
// chains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/io/reader.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/model/effect_chain.hpp"
#include "tactus/model/platform.hpp"
#include "tactus/model/policy.hpp"
#include "tactus/model/task.hpp"

namespace tactus::io {

/// Changes a document before it is read, for one run of the command (`--set policy.levels=3`): one after the
/// other. What comes from override i stands at offset `first_offset` + i.
/// An order that a strategy set here does not take is left out, unless the order is set here too.
void apply_overrides(Value& root, std::span<const Override> overrides, std::size_t first_offset,
                     ProblemList& problems);

/// A machine on which everything fits. It replaces a platform that could not be read, so that no rule
/// reports what may be right in the file.
Platform boundless_platform();

/// Parts that cannot be read get the same limits.
Platform read_platform(const Value& value, Reader& reader);

/// The policy of a file that gives none.
Policy default_policy(const Gpu& gpu);

Policy read_policy(const Value& value, const Gpu& gpu, Reader& reader);

/// `virtual_sms` of a policy, by task index; empty when there is none. `tasks` are as read from the file;
/// `names_are_known` is false when a task's name could not be read, so that an unknown name proves nothing.
std::vector<std::optional<std::int64_t>> read_virtual_sms(const Value& policy, const std::vector<Task>& tasks,
                                                          bool names_are_known, Reader& reader);

/// What cannot be read is replaced by a value that breaks no rule. The name stays empty then.
Task read_task(const Value& value, const Gpu& gpu, Reader& reader);

/// The effect chains. `tasks` and `names_are_known` as above.
std::vector<EffectChain> read_chains(const Value& value, const std::vector<Task>& tasks, bool names_are_known,
                                     Reader& reader);

/// Reads the one kind of work a task has. Returns whether the file means exactly this.
bool read_work(const Value& value, const Fields& fields, const Gpu& gpu, Task& task, Reader& reader);

/// What stands for work that could not be read.
Work some_work();

}  // namespace tactus::io
