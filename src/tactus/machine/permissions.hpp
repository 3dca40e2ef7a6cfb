// The permissions of this process for real-time scheduling and memory locking.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus::machine {

struct Permissions {
  bool root = false;
  bool may_raise_priority = false;  // the capability SYS_NICE
  bool may_lock_memory = false;     // the capability IPC_LOCK
  std::int64_t priority_limit = 0;  // RLIMIT_RTPRIO: highest real-time priority without the capability
  std::optional<std::int64_t> memory_lock_limit;  // RLIMIT_MEMLOCK in bytes; none: no limit

  friend bool operator==(const Permissions&, const Permissions&) = default;
};

Permissions read_permissions();

/// The effective capabilities in the text of /proc/.../status, as a bit set; 0 when there are none.
std::uint64_t effective_capabilities(std::string_view status);

}  // namespace tactus::machine
