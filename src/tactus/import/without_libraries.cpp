// What stands in for pugixml and libzip in a build without them.
#include "tactus/import/unzip.hpp"
#include "tactus/import/xml.hpp"

namespace tactus::import {

bool is_available() { return false; }

InputError not_available() {
  return InputError{"this build of tactus cannot read AMALTHEA models",
                    "install libpugixml-dev and libzip-dev and build it anew (scripts/deps installs them)"};
}

ParsedFile parse_xml(const SourceText& /*source*/, std::uint32_t /*file*/) { throw not_available(); }

std::vector<SourceText> unzip(const std::string& /*name*/, std::string_view /*archive*/) {
  throw not_available();
}

}  // namespace tactus::import
