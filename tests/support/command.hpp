// Runs the command as a user does.
#pragma once

#include <string>

namespace tactus::test {

struct Answer {
  int status = -1;
  std::string out;
  std::string err;
};

/// `arguments` as typed in a shell, in the folder of the repository.
Answer tactus(const std::string& arguments);
Answer tactus_in(const std::string& folder, const std::string& arguments);

/// The same with a SIGINT (Ctrl-C) as soon as `file` exists.
Answer tactus_interrupted(const std::string& arguments, const std::string& file);
/// The same with variables of the environment, as "NAME=value OTHER=value".
Answer tactus_where(const std::string& variables, const std::string& arguments);
/// The same with a text on standard input.
Answer tactus_fed(const std::string& text, const std::string& arguments);
/// The same where no other program can be found.
Answer tactus_alone(const std::string& arguments);

/// A line for the shell, in the folder of the repository; "$TACTUS" is the command. What the line does not
/// send elsewhere is in the answer.
Answer in_shell(const std::string& line);

/// A file in a temporary folder of this test program; answers its path.
std::string write_temporary(const std::string& name, const std::string& text);
std::string temporary_path(const std::string& name);

}  // namespace tactus::test
