// Admission control: whether a task may join a system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tactus/device/job.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// `anyway`: the task joins although its deadlines, or those of others, are not proven.
enum class Admission : std::uint8_t { proven, anyway };

struct AddOptions {
  Admission admission = Admission::proven;
  /// `federated`: the virtual SMs that the task owns, if it uses the GPU. Nothing: the smallest number of
  /// free SMs with which the system is proven; all free SMs when the task joins anyway.
  std::optional<std::int64_t> virtual_sms{};
};

namespace runtime {

/// Help for an unknown task name: the nearest known name, and a list of the known names of readable length.
std::string known_tasks(const System& system, std::string_view name);

/// Throws InputError with all reasons why the system cannot run.
void require_valid(const System& system);

/// Why the deadlines are not proven with these bindings; empty when they are.
std::string reason_against(const System& system, const device::Bindings& bindings);

struct Admitted {
  System system;
  std::string refusal;  // empty: the task was admitted
};

/// The system including the task. InputError when the task breaks a rule of the model.
Admitted admit(System system, const device::Bindings& bindings, Task task, const AddOptions& options);

}  // namespace runtime

}  // namespace tactus
