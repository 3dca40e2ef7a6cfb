#include "support/source_folder.hpp"

namespace tactus::test {

std::string in_repository(const std::string& path) {
  const std::string root = TACTUS_SOURCE_DIR;
  return path.empty() ? root : root + "/" + path;
}

}  // namespace tactus::test
