// Where the repository lies.
#pragma once

#include <string>

namespace tactus::test {

/// The path of a file or folder of the repository; nothing: of the repository itself.
std::string in_repository(const std::string& path = "");

}  // namespace tactus::test
