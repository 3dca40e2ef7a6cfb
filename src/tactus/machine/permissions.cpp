#include "tactus/machine/permissions.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <limits>

#include "tactus/machine/system_text.hpp"

namespace tactus::machine {

namespace {

constexpr unsigned ipc_lock = 14;
constexpr unsigned sys_nice = 23;

std::optional<std::int64_t> limit(__rlimit_resource resource) {
  rlimit values{};
  if (::getrlimit(resource, &values) != 0 || values.rlim_cur == RLIM_INFINITY) return std::nullopt;
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return values.rlim_cur > static_cast<rlim_t>(most) ? most : static_cast<std::int64_t>(values.rlim_cur);
}

}  // namespace

std::uint64_t effective_capabilities(std::string_view status) {
  constexpr std::string_view key = "CapEff:";
  const std::size_t found = status.find(key);
  if (found == std::string_view::npos) return 0;
  const std::size_t begin = status.find_first_not_of(" \t", found + key.size());
  if (begin == std::string_view::npos) return 0;
  std::uint64_t bits = 0;
  std::from_chars(status.data() + begin, status.data() + status.size(), bits, 16);
  return bits;
}

Permissions read_permissions() {
  constexpr std::int64_t highest_priority = 99;
  const std::uint64_t capabilities =
      effective_capabilities(system_text("/proc/thread-self/status").value_or(""));
  Permissions permissions;
  permissions.root = ::geteuid() == 0;
  permissions.may_lock_memory = (capabilities >> ipc_lock & 1) != 0;
  permissions.may_raise_priority = (capabilities >> sys_nice & 1) != 0;
  permissions.priority_limit = limit(RLIMIT_RTPRIO).value_or(highest_priority);
  permissions.memory_lock_limit = limit(RLIMIT_MEMLOCK);
  return permissions;
}

}  // namespace tactus::machine
