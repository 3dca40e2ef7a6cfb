// A program that runs beside the test, to be disturbed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tactus::test {

/// Ended, at the latest, with this object.
class ChildProcess {
 public:
  /// The command `tactus` with these arguments.
  explicit ChildProcess(const std::vector<std::string>& arguments);
  /// Any program; `environment` holds "NAME=value" to be added. What it says goes to `output`.
  ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
               const std::vector<std::string>& environment, const std::string& output);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  void signal(int number) const;
  /// Waits for its end. Its exit status, or 128 + the signal that ended it.
  int wait();

 private:
  pid_t id_ = 0;
  bool is_over_ = false;
  int status_ = 0;
};

/// The path of the command `tactus`.
std::string tactus_program();

/// Waits until the file exists. False when that takes more than a minute.
bool wait_for_file(const std::string& path);
/// The same for the temporary file beside a file that is being written.
bool wait_for_temporary_file(const std::string& path);

/// The same until the process has started threads, which it does when it is at work.
bool wait_for_threads(const ChildProcess& process);

}  // namespace tactus::test
