#include "tactus/device/cuda/preemptible_work.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>

#include "tactus/base/error.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/device/cuda/driver.hpp"
#include "tactus/device/cuda/error.hpp"

namespace tactus::cuda {

unsigned Placement::blocks() const {
  const BlocksOnSm on_each = on_sm();
  const auto count = static_cast<unsigned>(sms.size());
  return count < 2 ? count * on_each.first : on_each.first + (count - 2) * on_each.between + on_each.last;
}

PreemptibleWork::PreemptibleWork(dim3 grid, const Placement& placement, StopBy stop_by)
    : state_{1}, host_{1}, stop_by_{stop_by} {
  loop_.state = state_.data();
  loop_.report = &host_.data()->report;
  loop_.launch = 0;
  set_grid(grid);
  set_placement(placement);
  if (stop_by == StopBy::write_value) static_cast<void>(driver());
}

BlockLoop PreemptibleWork::begin_launch() {
  // 0 is the value of the flag before the first stop.
  loop_.launch = loop_.launch == std::numeric_limits<unsigned>::max() ? 1 : loop_.launch + 1;
  loop_.piece_blocks = (loop_.blocks - 1) / loop_.pieces + 1;
  return loop_;
}

void PreemptibleWork::request_stop(cudaStream_t urgent) {
  if (stop_by_ == StopBy::write_value) {
    const auto flag = reinterpret_cast<CUdeviceptr>(&loop_.state->stop);
    check(driver().stream_write_value(urgent, flag, loop_.launch, CU_STREAM_WRITE_VALUE_DEFAULT),
          "cannot request a stop");
    return;
  }
  // An earlier copy may not have read its source yet. Then it transfers the newer number, which must stop as
  // well.
  unsigned& request = host_.data()->stop_request;
  std::atomic_ref<unsigned>{request}.store(loop_.launch, std::memory_order_release);
  check(cudaMemcpyAsync(&loop_.state->stop, &request, sizeof request, cudaMemcpyHostToDevice, urgent),
        "cannot request a stop");
}

bool PreemptibleWork::launch_ended() const {
  const std::atomic_ref<unsigned> ended{host_.data()->report.launch};
  return ended.load(std::memory_order_acquire) == loop_.launch;
}

std::uint64_t PreemptibleWork::done() const {
  return std::atomic_ref<unsigned long long>{host_.data()->report.done}.load(std::memory_order_relaxed);
}

void PreemptibleWork::abandon(cudaStream_t stream) {
  // The flag is kept: a late stop of an earlier launch may still arrive.
  LoopState& state = *loop_.state;
  auto* const begin = reinterpret_cast<unsigned char*>(&state.next);
  auto* const end = reinterpret_cast<unsigned char*>(&state + 1);
  check(cudaMemsetAsync(begin, 0, static_cast<std::size_t>(end - begin), stream),
        "cannot reset the progress");
}

void PreemptibleWork::set_grid(dim3 grid) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) throw InputError{"a grid has at least one block"};
  const std::int64_t rows = checked_mul(std::int64_t{grid.y}, std::int64_t{grid.z});
  loop_.blocks = static_cast<unsigned long long>(checked_mul(std::int64_t{grid.x}, rows));
  loop_.grid = grid;
}

void PreemptibleWork::set_placement(const Placement& placement) {
  if (placement.virtual_sms > LoopState::max_pieces) {
    throw InputError{"an SM has at most " + std::to_string(LoopState::max_pieces) + " virtual SMs, not " +
                     std::to_string(placement.virtual_sms)};
  }
  if (placement.sms.size() == 0) throw InputError{"work that is pinned to no SM would never run"};
  loop_.sms = placement.sms;
  loop_.first_sm = placement.sms.lowest();
  loop_.last_sm = placement.sms.highest();
  loop_.most = placement.on_sm();
  loop_.pieces = std::max(1U, placement.virtual_sms);
  loop_.anywhere = loop_.most.between == 0 && placement.sms == all_sms();
}

}  // namespace tactus::cuda
