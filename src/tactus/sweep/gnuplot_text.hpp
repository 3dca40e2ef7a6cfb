// Quotes text for gnuplot.
#pragma once

#include <string>
#include <string_view>

namespace tactus::sweep {

/// Between single quotes.
inline std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c == '\n' ? ' ' : c;
  }
  return result + '\'';
}

}  // namespace tactus::sweep
