// Whether a task may join a system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tactus/device/job.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// Whether a task may join although nothing proves that the deadlines hold.
enum class Admission : std::uint8_t { proven, anyway };

struct AddOptions {
  Admission admission = Admission::proven;
  /// `federated`: what a task that uses the GPU owns. Nothing: as few of the free SMs as make it proven to
  /// hold, all of them when it joins anyway.
  std::optional<std::int64_t> virtual_sms{};
};

namespace runtime {

/// For who names a task that is not there: the name that was probably meant, and all there are, as far as
/// people read lists.
std::string known_tasks(const System& system, std::string_view name);

/// InputError with everything that keeps the system from being run.
void require_valid(const System& system);

/// Why the system is not proven to hold with what is bound; empty when it is.
std::string reason_against(const System& system, const device::Bindings& bindings);

struct Admitted {
  System system;
  std::string refusal;  // empty: the task is in
};

/// The system with the task. InputError when it breaks a rule of the model.
Admitted admit(System system, const device::Bindings& bindings, Task task, const AddOptions& options);

}  // namespace runtime

}  // namespace tactus
