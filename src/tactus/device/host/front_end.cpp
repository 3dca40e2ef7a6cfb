#include "tactus/device/host/front_end.hpp"

#include <algorithm>

#include "tactus/base/threads.hpp"
#include "tactus/base/touch.hpp"

namespace tactus::device::host {

namespace {

/// How far the thread may lag behind the clock and still catch up. Beyond that, work timed by the clock is
/// extended, so that requests are not delayed further.
constexpr Duration max_lag = std::chrono::milliseconds{10};

/// Instants handled before the clock is read again.
constexpr int instants_at_once = 256;

/// How long `close` waits for bound functions: at least the longest declared time of any of them.
Duration patience(const Setup& setup, const HostOptions& options, const SegmentPlans& plans) {
  Duration longest = options.patience;
  for (TaskIndex task = 0; task < plans.size(); ++task) {
    for (std::size_t segment = 0; segment < plans[task].size(); ++segment) {
      if (!plans[task][segment].is_bound()) continue;
      longest = std::max(longest, whole_time(setup.system, task, segment).worst);
    }
  }
  return std::min<Duration>(longest, std::chrono::hours{1});
}

}  // namespace

FrontEnd::FrontEnd(const Setup& setup, const HostOptions& options, const SegmentPlans& plans,
                   const WorkerPlan& workers, Reports& reports,
                   const std::shared_ptr<FunctionContext>& context)
    : context_{context},
      patience_{patience(setup, options, plans)},
      done_{bell_},
      table_{setup, plans, reports, context},
      workers_{setup, options, workers, context, done_},
      gpu_{setup, plans, table_, workers_.blocks, workers_.copies},
      cpus_{setup, table_, workers_.cpus, workers.under_fifo},
      resident_{setup},
      orders_{2 * ActivityTable::capacity_for(setup)},
      under_fifo_{workers.under_fifo},
      waits_busily_{workers.waits_busily} {
  workers_.for_each([this](Worker&) { ended_.push_back(nullptr); });  // reserves room for all
  ended_.clear();
  context_->clock.start(setup.head_start);
  now_ = context_->clock.now();
  thread_ = start_thread([this] { run(); });
  if (under_fifo_) take_real_time_class(front_end_priority, thread_.native_handle());
}

void FrontEnd::put(const FrontEndRequest& order) noexcept {
  // The queue has room for all requests that can be in flight. If it is full nevertheless, the caller spins
  // until the front end has taken one; the front end never blocks.
  while (!orders_.push(order)) std::this_thread::yield();
  bell_.ring();
}

void FrontEnd::close() {
  if (!thread_.joinable()) return;
  closing_.store(true, std::memory_order_release);
  bell_.ring();
  thread_.join();
}

// NOLINTNEXTLINE(bugprone-exception-escape): all memory is taken before
void FrontEnd::run() noexcept {
  name_this_thread("tactus-gpu");
  take_punctual_timers();
  touch_stack();
  while (!closing_.load(std::memory_order_acquire)) {
    const std::uint32_t heard = bell_.heard();
    take_done_workers();
    const Time real = context_->clock.now();
    int instants = instants_at_once;
    while (instants > 0 && handle_next(real)) --instants;
    if (instants > 0) wait(heard);
  }
  end_all();
}

void FrontEnd::take_done_workers() {
  Worker* worker = done_.take();
  if (worker == nullptr) return;
  for (; worker != nullptr; worker = worker->next_done) ended_.push_back(worker);
  std::sort(ended_.begin(), ended_.end(),
            [](const Worker* a, const Worker* b) { return a->result().end > b->result().end; });
}

/// Handles the earliest pending instant up to `real`; false when there is none.
bool FrontEnd::handle_next(Time real) {
  Time next = std::min(gpu_.next_end(), resident_.next());
  if (!ended_.empty()) next = std::min(next, ended_.back()->result().end);
  if (const FrontEndRequest* order = orders_.front(); order != nullptr) next = std::min(next, order->made);
  if (next > real && ended_.empty()) return false;
  if (next < real - max_lag && now_ < real - max_lag) {
    times_late_.fetch_add(1, std::memory_order_relaxed);
    next = real - max_lag;
  }
  now_ = std::max(now_, next);
  handle_ends(now_);
  gpu_.pop_finished(now_);
  take_orders(now_);
  resident_.release(
      now_, [&](const sched::SubmissionId& id) { return table_.find(id) == no_activity; },
      [&](const Request& request) { submit(request, now_); });
  gpu_.pop_finished(now_);  // including operations that were withdrawn
  gpu_.dispatch(now_);
  return true;
}

void FrontEnd::handle_ends(Time now) {
  gpu_.end_due(now);
  while (!ended_.empty() && ended_.back()->result().end <= now) {
    Worker& worker = *ended_.back();
    ended_.pop_back();
    worker_ended(worker, now);
  }
}

void FrontEnd::worker_ended(Worker& worker, Time now) {
  if (worker.role() == Worker::Role::cpu) {
    cpus_.worker_ended(worker, now);
  } else {
    gpu_.worker_ended(worker);
  }
}

void FrontEnd::take_orders(Time now) {
  for (const FrontEndRequest* order = orders_.front(); order != nullptr && order->made <= now;
       order = orders_.front()) {
    take(*order, now);
    orders_.pop();
  }
}

void FrontEnd::take(const FrontEndRequest& order, Time now) {
  if (order.kind == FrontEndRequest::Kind::stop) {
    const std::uint32_t index = table_.find(order.request.id);
    if (index == no_activity) return;  // its failure has been reported already
    if (table_[index].request.server == ServerKind::cpu) {
      cpus_.request_stop(index, now);
    } else {
      gpu_.request_stop(index, now);
    }
    return;
  }
  if (order.kind == FrontEndRequest::Kind::hold) {
    cpus_.hold(order.request, now);
    return;
  }
  if (order.kind == FrontEndRequest::Kind::release) {
    cpus_.release(order.request.id.job, now);
    return;
  }
  submit(order.request, now);
}

void FrontEnd::submit(const Request& request, Time now) {
  const std::uint32_t index = table_.open(request, now);
  if (index == no_activity) return;
  if (table_[index].request.server == ServerKind::cpu) {
    cpus_.submit(index, now);
  } else {
    gpu_.submit(index, now);
  }
}

void FrontEnd::wait(std::uint32_t heard) {
  const Doorbell::Instant next = context_->clock.alarm(std::min(gpu_.next_end(), resident_.next()));
  waits_busily_ ? bell_.watch_until(heard, next) : bell_.wait_until(heard, next);
}

/// Nothing more starts. Functions are asked to return and waited for, up to a time limit.
void FrontEnd::end_all() {
  const Time now = std::max(now_, context_->clock.now());
  table_.for_each([](Activity& activity) { activity.stop->store(true, std::memory_order_relaxed); });
  gpu_.close(now);
  cpus_.close(now);
  const Clock::Real::time_point limit = Clock::Real::now() + patience_;
  while (gpu_.busy_workers() + cpus_.busy_workers() > left_behind_) {
    const std::uint32_t heard = bell_.heard();
    take_done_workers();
    if (ended_.empty()) {
      if (Clock::Real::now() < limit) {
        bell_.wait_until(heard, limit);
      } else {
        leave_the_rest_behind();  // those that ended meanwhile are about to enter the list
      }
      continue;
    }
    now_ = std::max(now_, ended_.front()->result().end);
    handle_ends(now_);
    gpu_.pop_finished(now_);
  }
}

void FrontEnd::leave_the_rest_behind() {
  workers_.for_each([&](Worker& worker) {
    if (!worker.leave_behind()) return;
    ++left_behind_;
    table_.note_failure(table_[worker.item().activity],
                        "the bound function did not return when the run was over");
  });
}

}  // namespace tactus::device::host
