// The small text files in which the kernel describes itself (/proc, /sys).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::machine {

/// The trimmed content of the file; nothing when it cannot be read, which is a valid answer. Such files
/// report no size.
std::optional<std::string> system_text(const std::filesystem::path& file);

/// The numbers in "0-3,8"; none when the text is empty or malformed. Numbers from 4096 on are ignored.
std::vector<int> cpu_list(std::string_view text);
/// The shortest form of an ascending list: "0-3,8"; "none" when it is empty.
std::string cpu_list_text(const std::vector<int>& cpus);

/// An integer; nothing when the text is anything else.
std::optional<std::int64_t> whole_number(std::string_view text);

/// Without spaces, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace tactus::machine
