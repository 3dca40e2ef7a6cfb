#include "tactus/device/sim/sim_device.hpp"

#include <algorithm>

namespace tactus::device {

sched::Capabilities simulated_capabilities(const System& system) {
  return {.engine = "the simulator",
          .priority_levels = system.platform.gpu.priority_levels,
          .sm_set_granularity = 1,
          .stops_kernels = true,
          .immediate_refill = true,
          .slices_time = true,
          .preemptive_cpu = true,
          .preempts_functions = true};
}

sched::Capabilities SimDevice::capabilities(const System& system) const {
  return simulated_capabilities(system);
}

void SimDevice::open(const Setup& setup) {
  machine_.emplace(setup, false);
  lazy_ = setup.refills_lazily;
  now_ = origin;
  heard_ = false;
  closed_ = false;
}

bool SimDevice::settle() {
  machine_->make_calls(now());
  machine_->dispatch(now());
  return machine_->next_end() <= now();
}

void SimDevice::wait(Time until) {
  settle();
  const Time reached = machine_->advance(std::max(now(), std::min(until, machine_->next())));
  if (reached != never) now_.store(reached, std::memory_order_relaxed);
}

void SimDevice::poll(sched::Events& events) {
  const std::size_t before = events.size();
  machine_->collect(now(), events);
  heard_ = events.size() > before;
}

/// The GPU may dispatch work it already has between a completion and the submissions that follow from it.
void SimDevice::before_submissions() {
  if (lazy_ && heard_) machine_->gpu().dispatch(now());
  machine_->make_calls(now());
}

void SimDevice::submit(const Request& request) {
  machine_->submit(request, request.task, request.number, now());
}

void SimDevice::request_stop(sched::SubmissionId submission) { machine_->request_stop(submission, now()); }

void SimDevice::close() {
  if (machine_ && !closed_) machine_->end_at(now());
  closed_ = true;
}

}  // namespace tactus::device
