// A process that gets no more threads, as under a limit of processes.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace tactus::test {

/// While it lives no thread can be started: each would need a stack larger than any memory.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t impossible;
    pthread_getattr_default_np(&impossible);
    pthread_attr_setstacksize(&impossible, std::size_t{1} << 48U);
    pthread_setattr_default_np(&impossible);
    pthread_attr_destroy(&impossible);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_{};
};

}  // namespace tactus::test
