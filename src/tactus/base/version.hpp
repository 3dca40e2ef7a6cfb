// The version of the library.
#pragma once

#include <string_view>

namespace tactus {

std::string_view version();

}  // namespace tactus
