#include "tactus/model/rules.hpp"

#include <fmt/format.h>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus {

std::string counted(std::int64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

std::string allowed(Range range) {
  return range.min == range.max ? fmt::format("allowed: {}", range.min)
                                : fmt::format("allowed: {} to {}", range.min, range.max);
}

void Rules::check_range(const std::string& path, std::string_view what, std::int64_t value, Range range) {
  if (range.contains(value)) return;
  add(ProblemId::out_of_range, path, fmt::format("{} is {}", what, value), allowed(range));
}

void Rules::check_name(const std::string& path, const std::string& owner, std::string_view name) {
  if (name.empty()) {
    add(ProblemId::missing_key, path, owner + " has no name", "give it a name of 1 to 200 characters");
  } else if (find_invalid_utf8(name)) {
    add(ProblemId::bad_name, path, fmt::format("the name {} is not UTF-8", in_backticks(name)),
        "use UTF-8 text");
  } else if (const std::size_t length = count_characters(name); length > limits::name_characters) {
    add(ProblemId::bad_name, path, fmt::format("the name {} has {} characters", in_backticks(name), length),
        fmt::format("at most {} are allowed", limits::name_characters));
  } else {
    for (std::size_t offset = 0; offset < name.size();) {
      const Character character = character_at(name, offset);
      if (is_control(character.code)) {
        add(ProblemId::bad_name, path,
            fmt::format("the name {} holds a control character", in_backticks(name)),
            "use characters that can be printed");
        return;
      }
      offset += character.bytes;
    }
  }
}

void Rules::check_not_negative(const std::string& path, const std::string& what, Duration value) {
  if (value >= Duration{}) return;
  add(ProblemId::out_of_range, path, fmt::format("{} is {}", what, to_text(value)),
      "a duration is 0 or more");
}

void Rules::check_positive(const std::string& path, const std::string& what, Duration value,
                           std::string_view advice) {
  if (value > Duration{}) return;
  add(ProblemId::out_of_range, path, fmt::format("{} is {}", what, to_text(value)),
      fmt::format("it must be at least 1ns{}", advice));
}

void Rules::check_interval(const std::string& path, const std::string& what, Interval time) {
  if (time.best < Duration{} || time.worst < Duration{}) {
    check_not_negative(path, what, std::min(time.best, time.worst));
  } else if (time.best > time.worst) {
    add(ProblemId::best_above_worst, path,
        fmt::format("{}: the best case {} is longer than the worst case {}", what, to_text(time.best),
                    to_text(time.worst)),
        fmt::format("write [{}, {}]", to_text(time.worst), to_text(time.best)));
  }
}

void Rules::check_core(const std::string& path, std::int32_t core) {
  const std::int64_t cpus = system_.platform.cpus();
  if (!limits::cpus.contains(cpus) || (core >= 0 && core < cpus)) return;
  add(ProblemId::out_of_range, path,
      fmt::format("core is {}, but the platform has {}", core, counted(cpus, "CPU core", "CPU cores")),
      allowed({0, cpus - 1}));
}

}  // namespace tactus
