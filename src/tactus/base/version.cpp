#include "tactus/base/version.hpp"

namespace tactus {

std::string_view version() { return TACTUS_VERSION; }

}  // namespace tactus
