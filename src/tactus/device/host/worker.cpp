#include "tactus/device/host/worker.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <exception>
#include <utility>

#include "tactus/base/threads.hpp"
#include "tactus/base/touch.hpp"

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

/// What a worker and its thread share. The thread touches nothing else of the device, but for the done list,
/// and that only when it was not left behind.
struct Worker::Desk {
  enum class State : std::uint8_t { idle, busy, over, left };

  Desk(Worker& worker, const Manner& manner, std::shared_ptr<const Lasting> shared, DoneList& list)
      : owner{worker},
        yield_interval{manner.yield_interval},
        waits_busily{manner.waits_busily},
        lasting{std::move(shared)},
        done{list} {}

  void run();
  void call_function();
  void make_copy(const Job& job);
  void use_up_time();

  Worker& owner;
  Duration yield_interval;
  bool waits_busily;
  std::shared_ptr<const Lasting> lasting;
  DoneList& done;
  Doorbell bell;
  std::atomic<State> state{State::idle};
  std::atomic<bool> give_way{false};
  Errand errand;
  Result result;
};

Worker::Worker(const Manner& manner, std::shared_ptr<const Lasting> lasting, DoneList& done)
    : role_{manner.role},
      index_{manner.index},
      desk_{std::make_shared<Desk>(*this, manner, std::move(lasting), done)},
      thread_{start_thread([desk = desk_, role = manner.role] {
        name_this_thread(thread_name(role));
        touch_stack();
        desk->run();
      })} {}

Worker::~Worker() {
  if (!thread_.joinable()) return;
  desk_->state.store(Desk::State::over, std::memory_order_release);
  desk_->bell.ring();
  thread_.join();
}

void Worker::start(const Errand& errand) {
  desk_->errand = errand;
  desk_->give_way.store(false, std::memory_order_relaxed);
  desk_->state.store(Desk::State::busy, std::memory_order_release);
  desk_->bell.ring();
}

void Worker::ask_to_give_way() { desk_->give_way.store(true, std::memory_order_relaxed); }

bool Worker::leave_behind() {
  Desk::State busy = Desk::State::busy;
  if (!desk_->state.compare_exchange_strong(busy, Desk::State::left)) return false;
  // Nothing must wait for it any more.
  const sched_param ordinary{};
  pthread_setschedparam(thread_.native_handle(), SCHED_OTHER, &ordinary);
  thread_.detach();
  return true;
}

const Errand& Worker::errand() const { return desk_->errand; }
const Result& Worker::result() const { return desk_->result; }

void Worker::Desk::run() {
  while (true) {
    const std::uint32_t heard = bell.heard();
    const State now = state.load(std::memory_order_acquire);
    if (now == State::over) return;
    if (now == State::idle) {
      waits_busily ? bell.watch(heard) : bell.wait(heard);
      continue;
    }
    result.kind = Result::Kind::done;
    result.used = {};
    result.start = lasting->clock.now();
    result.copy.reset();
    if (errand.function != nullptr || errand.copy.of_job != nullptr) {
      call_function();
    } else {
      use_up_time();
    }
    result.end = lasting->clock.now();
    State busy = State::busy;
    if (!state.compare_exchange_strong(busy, State::idle)) return;  // left behind: the device may be gone
    done.push(owner);  // from here on the front end may start it again
  }
}

void Worker::Desk::call_function() {
  Job job{errand.facts};
  try {
    if (errand.function != nullptr) {
      (*errand.function)(job);
    } else {
      make_copy(job);
    }
  } catch (const std::exception& error) {
    result.kind = Result::Kind::failed;
    keep(error.what(), result.what);
  } catch (...) {
    result.kind = Result::Kind::failed;
    keep("an exception of unknown type", result.what);
  }
}

void Worker::Desk::make_copy(const Job& job) {
  const CopyErrand& copy = errand.copy;
  result.copy = copy.known ? *copy.known : ask_for_copy(*copy.of_job, job, copy.bytes);
  move_piece(*result.copy, copy.first, copy.most);
}

void Worker::Desk::use_up_time() {
  const Duration before = used_by_this_thread();
  Duration next_look = yield_interval;
  while (true) {
    result.used = used_by_this_thread() - before;
    if (result.used >= errand.length) return;
    if (result.used < next_look) continue;
    next_look = result.used + yield_interval;
    if (give_way.load(std::memory_order_relaxed)) {
      result.kind = Result::Kind::gave_way;
      return;
    }
  }
}

}  // namespace tactus::device::host
