// What the command tells its caller in one number.
#pragma once

namespace tactus::cli {

/// Exit statuses are part of the interface (docs/json.md).
enum ExitStatus : int {
  answer_yes = 0,
  answer_no = 1,
  wrong_question = 2,
  failure = 3,
  interrupted = 130,
};

}  // namespace tactus::cli
