// A strategy beside those of Tactus, as an exercise: jobs go through one stream in the order of their
// releases. All it takes is this file and `sched::add_strategy`.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tactus/sched/gpu_work.hpp"
#include "tactus/sched/strategy.hpp"

namespace tactus::test {

class FifoStream final : public sched::Strategy {
 public:
  explicit FifoStream(const System& system) {
    for (const Task& task : system.tasks) calls_.push_back(sched::call_order(task));
  }

  void on_released(sched::JobId id, const sched::JobRow& job) noexcept override {
    waiting_.push_back({id, job.task});
  }
  void on_finished(sched::SubmissionId /*operation*/, const sched::JobRow& /*job*/,
                   bool job_done) noexcept override {
    if (job_done) busy_ = false;
  }
  void forget(sched::JobId id, const sched::JobRow& /*job*/) noexcept override {
    std::erase_if(waiting_, [&](const Waiting& waiting) { return waiting.id == id; });
  }
  void schedule(Time /*now*/, const sched::JobTable& /*jobs*/, sched::Pass& pass,
                sched::Commands& commands) noexcept override {
    if (busy_ || waiting_.empty() || !pass.may_submit(waiting_.front().id)) return;
    const Waiting next = waiting_.front();
    waiting_.pop_front();
    busy_ = true;
    for (const sched::GpuCall& call : calls_[next.task]) {
      commands.emplace_back(sched::Submit{.id = {next.id, call.segment}, .server = call.server, .stream = 0});
    }
  }
  [[nodiscard]] std::uint32_t streams() const override { return 1; }
  [[nodiscard]] std::vector<sched::Lane> lanes() const override { return {{.stream = 0}}; }
  void reserve(std::size_t /*jobs*/) override {}

 private:
  struct Waiting {
    sched::JobId id;
    TaskIndex task = 0;
  };
  std::vector<std::vector<sched::GpuCall>> calls_;  // by task
  std::deque<Waiting> waiting_;
  bool busy_ = false;
};

inline constexpr sched::StrategyEntry fifo_stream{
    .facts = {.name = "fifo-stream", .orders = sched::edf_or_fp, .has_order = false},
    .refusals =
        [](const System& system, const sched::Capabilities&) {
          return sched::refuse_other_than_gpu_work(system, "fifo-stream");
        },
    .make = sched::make_strategy<FifoStream>};

}  // namespace tactus::test
