// The small texts in which the kernel describes itself (/proc, /sys).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::machine {

/// The file without spaces and line ends around it; nothing when it cannot be read. Such files have no size
/// of their own, and a missing one is an answer, not a mistake.
std::optional<std::string> system_text(const std::filesystem::path& file);

/// The numbers of "0-3,8"; none when it is empty or cannot be understood. Numbers from 4096 up are left out.
std::vector<int> cpu_list(std::string_view text);
/// The shortest form of a rising list: "0-3,8"; "none" when it is empty.
std::string cpu_list_text(const std::vector<int>& cpus);

/// A whole number; nothing when the text is anything else.
std::optional<std::int64_t> whole_number(std::string_view text);

/// Without spaces, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace tactus::machine
