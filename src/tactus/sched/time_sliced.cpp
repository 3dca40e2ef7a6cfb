// Strategy `time-sliced`: every task is a process of its own, and the GPU serves processes in turns of a
// fixed length (`time_slice`): what several plain programs get that do not share a context.
//
// A process with GPU work gets all SMs for one slice, then the next one in the queue; one that has nothing to
// do is left out. Exclusive work is preempted at the end of the slice, a kernel at the end of the wave that
// fills it, or, if a block takes longer, after one wave. Best-effort work is a process like any other.
#include <algorithm>
#include <optional>

#include "tactus/base/touch.hpp"
#include "tactus/sched/gpu_work.hpp"
#include "tactus/sched/strategies.hpp"

namespace tactus::sched {

namespace {

class TimeSliced final : public Strategy {
 public:
  explicit TimeSliced(const System& system) { waiting_.reserve(2 * system.tasks.size()); }

  void on_ready(SubmissionId submission, const JobRow& /*job*/) noexcept override {
    waiting_.push_back(submission);
  }
  void on_finished(SubmissionId submission, const JobRow& /*job*/, bool /*job_done*/) noexcept override {
    if (running_ == submission) running_.reset();
  }
  void on_stopped(SubmissionId submission, const JobRow& /*job*/) noexcept override {
    if (running_ != submission) return;
    running_.reset();
    waiting_.push_back(submission);
  }
  void forget(JobId id, const JobRow& /*job*/) noexcept override {
    std::erase_if(waiting_, [id](const SubmissionId& submission) { return submission.job == id; });
  }

  void schedule(Time /*now*/, const JobTable& /*jobs*/, Pass& pass, Commands& commands) noexcept override {
    if (running_ || waiting_.empty() || !pass.may_submit(waiting_.front().job)) return;
    running_ = waiting_.front();
    waiting_.erase(waiting_.begin());
    commands.emplace_back(Submit{.id = *running_, .stream = 0, .extent = Extent::slice});
  }

  [[nodiscard]] std::uint32_t streams() const override { return 1; }
  void reserve(std::size_t jobs) override { reserve_touched(waiting_, jobs); }
  [[nodiscard]] std::vector<Lane> lanes() const override { return {{.stream = 0}}; }

 private:
  std::vector<SubmissionId> waiting_;  // in the order of their turns
  std::optional<SubmissionId> running_;
};

std::vector<std::string> time_sliced_refusals(const System& system, const Capabilities& capabilities) {
  std::vector<std::string> refusals = refuse_virtual_sms(system);
  if (!capabilities.slices_time) {
    refusals.push_back(capabilities.engine +
                       " runs all tasks in one process; time slices between processes can only be simulated");
  }
  return refusals;
}

}  // namespace

constinit const StrategyEntry time_sliced{.facts = {.name = "time-sliced",
                                                    .orders = edf_or_fp,  // neither has an effect
                                                    .has_order = false,
                                                    .slices_time = true,
                                                    .one_by_one = true,
                                                    .handed = Handed::nodes},
                                          .refusals = time_sliced_refusals,
                                          .make = make_strategy<TimeSliced>};

}  // namespace tactus::sched
