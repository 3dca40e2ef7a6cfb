#include "tactus/io/path.hpp"

#include <algorithm>

namespace tactus::io {

Step take_step(std::string_view& path) {
  Step step;
  if (path.starts_with("[\"")) {
    std::size_t i = 2;
    for (; i < path.size() && path[i] != '"'; ++i) {
      if (path[i] == '\\' && i + 1 < path.size()) ++i;
      step.key += path[i];
    }
    path.remove_prefix(std::min(i + 2, path.size()));
  } else if (path.starts_with('[')) {
    const std::size_t end = std::min(path.find(']'), path.size());
    step = {std::string{path.substr(1, end - 1)}, true};
    path.remove_prefix(std::min(end + 1, path.size()));
  } else {
    if (path.starts_with('.')) path.remove_prefix(1);
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    step.key = path.substr(0, end);
    path.remove_prefix(end);
  }
  return step;
}

}  // namespace tactus::io
