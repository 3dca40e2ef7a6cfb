#include "tactus/cli/overrides.hpp"

#include "tactus/base/error.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::cli {

std::vector<Override> OverrideOptions::changes() const {
  std::vector<Override> changes;
  if (!strategy.empty())
    changes.push_back({"--strategy " + printable(strategy), "policy.strategy", strategy});
  if (!order.empty()) changes.push_back({"--order " + printable(order), "policy.order", order});
  for (const std::string& text : set) {
    const std::string option = "--set " + printable(text);
    const std::size_t sign = text.find('=');
    if (sign == 0 || sign == std::string::npos || sign + 1 == text.size()) {
      throw InputError{option + " is not of the form key=value",
                       "for instance --set policy.levels=3 or --set tasks.lidar.deadline=20ms"};
    }
    changes.push_back({option, text.substr(0, sign), text.substr(sign + 1)});
  }
  return changes;
}

void add_set_option(Verb verb, OverrideOptions& options) {
  verb.add_option("--set", options.set,
                  "Another value for a key of the file, as often as needed: policy.levels=3, "
                  "platform.gpu.sms=4, tasks.lidar.deadline=20ms")
      .repeats();
}

void add_override_options(Verb verb, OverrideOptions& options) {
  verb.add_option("--strategy", options.strategy, "Another strategy than the file's, for this once");
  verb.add_option("--order", options.order, "Another order than the file's, for this once: edf or fp");
  add_set_option(verb, options);
}

}  // namespace tactus::cli
