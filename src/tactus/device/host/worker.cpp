#include "tactus/device/host/worker.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <exception>

#include "tactus/base/threads.hpp"

namespace tactus::device::host {

namespace {

/// CPU time that the calling thread has used.
Duration used_by_this_thread() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

void keep(const char* text, std::array<char, 160>& place) {
  const std::size_t length = std::min(std::strlen(text), place.size() - 1);
  std::memcpy(place.data(), text, length);
  place[length] = '\0';
}

const char* thread_name(Worker::Role role) {
  switch (role) {
    case Worker::Role::blocks:
      return "tactus-block";
    case Worker::Role::copy_engine:
      return "tactus-copy";
    case Worker::Role::cpu:
      return "tactus-cpu";
  }
  return "tactus";
}

}  // namespace

void DoneList::push(Worker& worker) {
  Worker* head = head_.load(std::memory_order_relaxed);
  do {
    worker.next_done = head;
  } while (!head_.compare_exchange_weak(head, &worker, std::memory_order_release, std::memory_order_relaxed));
  bell_.ring();
}

Worker::Worker(Role role, std::uint32_t index, Duration yield_interval, const Clock& clock, DoneList& done)
    : role_{role},
      index_{index},
      yield_interval_{yield_interval},
      clock_{clock},
      done_{done},
      thread_{[this] { run(); }} {}

Worker::~Worker() {
  state_.store(State::over, std::memory_order_release);
  bell_.ring();
  thread_.join();
}

void Worker::start(const Errand& errand) {
  errand_ = errand;
  give_way_.store(false, std::memory_order_relaxed);
  state_.store(State::busy, std::memory_order_release);
  bell_.ring();
}

void Worker::run() {
  name_this_thread(thread_name(role_));
  while (true) {
    const std::uint32_t heard = bell_.heard();
    const State state = state_.load(std::memory_order_acquire);
    if (state == State::over) return;
    if (state == State::idle) {
      bell_.wait(heard);
      continue;
    }
    result_.kind = Result::Kind::done;
    result_.used = {};
    result_.start = clock_.now();
    if (errand_.function != nullptr) {
      call_function();
    } else {
      use_up_time();
    }
    result_.end = clock_.now();
    state_.store(State::idle, std::memory_order_relaxed);
    done_.push(*this);  // from here on the front end may start it again
  }
}

void Worker::call_function() {
  Job job{errand_.facts};
  try {
    (*errand_.function)(job);
  } catch (const std::exception& error) {
    result_.kind = Result::Kind::failed;
    keep(error.what(), result_.what);
  } catch (...) {
    result_.kind = Result::Kind::failed;
    keep("an exception of unknown type", result_.what);
  }
}

void Worker::use_up_time() {
  const Duration before = used_by_this_thread();
  Duration next_look = yield_interval_;
  while (true) {
    result_.used = used_by_this_thread() - before;
    if (result_.used >= errand_.length) return;
    if (result_.used < next_look) continue;
    next_look = result_.used + yield_interval_;
    if (give_way_.load(std::memory_order_relaxed)) {
      result_.kind = Result::Kind::gave_way;
      return;
    }
  }
}

}  // namespace tactus::device::host
