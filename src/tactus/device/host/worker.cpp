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

/// CPU time of the calling thread.
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

/// Shared between a worker and its thread. The thread uses nothing else of the device except the done list,
/// and that only if it has not been abandoned.
struct Worker::Mailbox {
  enum class State : std::uint8_t { idle, busy, over, left };

  Mailbox(Worker& worker, const Manner& manner, std::shared_ptr<const FunctionContext> shared, DoneList& list)
      : owner{worker},
        yield_interval{manner.yield_interval},
        waits_busily{manner.waits_busily},
        context{std::move(shared)},
        done{list} {}

  void run() {
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
      result.start = context->clock.now();
      result.copy.reset();
      if (item.function != nullptr || item.copy.of_job != nullptr) {
        call_function();
      } else {
        use_up_time();
      }
      result.end = context->clock.now();
      State busy = State::busy;
      if (!state.compare_exchange_strong(busy, State::idle)) return;  // abandoned: the device may be gone
      done.push(owner);  // from here on the front end may reuse the worker
    }
  }

  void call_function() {
    Job job{item.facts};
    try {
      if (item.function != nullptr) {
        (*item.function)(job);
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

  void make_copy(const Job& job) {
    const CopyWork& copy = item.copy;
    result.copy = copy.known ? *copy.known : ask_for_copy(*copy.of_job, job, copy.bytes);
    move_piece(*result.copy, copy.first, copy.most);
  }

  void use_up_time() {
    const Duration before = used_by_this_thread();
    Duration next_look = yield_interval;
    while (true) {
      result.used = used_by_this_thread() - before;
      if (result.used >= item.length) return;
      if (result.used < next_look) continue;
      next_look = result.used + yield_interval;
      if (give_way.load(std::memory_order_relaxed)) {
        result.kind = Result::Kind::gave_way;
        return;
      }
    }
  }

  Worker& owner;
  Duration yield_interval;
  bool waits_busily;
  std::shared_ptr<const FunctionContext> context;
  DoneList& done;
  Doorbell bell;
  std::atomic<State> state{State::idle};
  std::atomic<bool> give_way{false};
  WorkItem item;
  Result result;
};

Worker::Worker(const Manner& manner, std::shared_ptr<const FunctionContext> context, DoneList& done)
    : role_{manner.role},
      index_{manner.index},
      mailbox_{std::make_shared<Mailbox>(*this, manner, std::move(context), done)},
      thread_{start_thread([mailbox = mailbox_, role = manner.role] {
        name_this_thread(thread_name(role));
        touch_stack();
        mailbox->run();
      })} {}

Worker::~Worker() {
  if (!thread_.joinable()) return;
  mailbox_->state.store(Mailbox::State::over, std::memory_order_release);
  mailbox_->bell.ring();
  thread_.join();
}

void Worker::start(const WorkItem& item) {
  mailbox_->item = item;
  mailbox_->give_way.store(false, std::memory_order_relaxed);
  mailbox_->state.store(Mailbox::State::busy, std::memory_order_release);
  mailbox_->bell.ring();
}

void Worker::ask_to_give_way() { mailbox_->give_way.store(true, std::memory_order_relaxed); }

bool Worker::leave_behind() {
  Mailbox::State busy = Mailbox::State::busy;
  if (!mailbox_->state.compare_exchange_strong(busy, Mailbox::State::left)) return false;
  // An abandoned thread must not delay others by its priority.
  const sched_param ordinary{};
  pthread_setschedparam(thread_.native_handle(), SCHED_OTHER, &ordinary);
  thread_.detach();
  return true;
}

const WorkItem& Worker::item() const { return mailbox_->item; }
const Result& Worker::result() const { return mailbox_->result; }

}  // namespace tactus::device::host
