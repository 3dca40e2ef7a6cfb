// The `policy` of a system file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/io/reader.hpp"
#include "tactus/model/platform.hpp"
#include "tactus/model/policy.hpp"
#include "tactus/model/task.hpp"

namespace tactus::io {

/// The policy of a file that gives none.
Policy default_policy(const Gpu& gpu);

Policy read_policy(const Value& value, const Gpu& gpu, Reader& reader);

/// `virtual_sms` of a policy, by task index; empty when there is none. `tasks` are as read from the file;
/// `names_are_known` is false when a task's name could not be read, so that an unknown name proves nothing.
std::vector<std::optional<std::int64_t>> read_virtual_sms(const Value& policy, const std::vector<Task>& tasks,
                                                          bool names_are_known, Reader& reader);

}  // namespace tactus::io
