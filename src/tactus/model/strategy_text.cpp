#include "tactus/model/strategy_text.hpp"

#include <vector>

#include "tactus/base/utf8.hpp"

namespace tactus {

std::string strategies_text(bool (*holds)(const StrategyFacts& strategy)) {
  std::vector<std::string> names;
  for (const StrategyRef strategy : known_strategies()) {
    if (holds(*strategy)) names.push_back(in_backticks(strategy->name));
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace tactus
