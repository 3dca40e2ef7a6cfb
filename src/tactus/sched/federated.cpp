// Strategy `federated`: every task owns SMs, on which its GPU work starts at once. CPU work and copies have
// policies of their own (by_node.hpp).
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "tactus/base/touch.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/model/violation.hpp"
#include "tactus/sched/strategies.hpp"

namespace tactus::sched {

namespace {

class Federated final : public Strategy {
 public:
  explicit Federated(const System& system) {
    const std::int64_t per_sm = system.platform.gpu.virtual_sms_per_sm;
    for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
      const Task& task = system.tasks[index];
      const SmSetId of_task = add_sm_set(virtual_sms_of(system, index) / per_sm);
      std::vector<Lane>& lanes = lanes_.emplace_back();
      for (const Node& node : task.work.nodes) {
        Lane& lane = lanes.emplace_back();
        if (task.work.form == WorkForm::graph) {  // nodes may run side by side
          lane.stream = own_stream_of(static_cast<std::uint32_t>(lanes.size() - 1));
        }
        lane.sms = node.virtual_sms ? add_sm_set(*node.virtual_sms / per_sm) : of_task;
      }
    }
    ready_.reserve(2 * lanes_.size());
  }

  void on_ready(SubmissionId submission, const JobRow& job) noexcept override {
    ready_.push_back({submission, lanes_[job.task][submission.segment]});
  }

  void forget(JobId id, const JobRow& /*job*/) noexcept override {
    std::erase_if(ready_, [id](const Ready& ready) { return ready.id.job == id; });
  }

  void schedule(Time /*now*/, const JobTable& /*jobs*/, Pass& pass, Commands& commands) noexcept override {
    std::erase_if(ready_, [&](const Ready& ready) {
      if (!pass.may_submit(ready.id.job)) return false;
      commands.emplace_back(Submit{.id = ready.id, .stream = ready.lane.stream, .sms = ready.lane.sms});
      return true;
    });
  }

  [[nodiscard]] std::vector<std::vector<std::int32_t>> sm_sets() const override { return sm_sets_; }
  void reserve(std::size_t jobs) override { reserve_touched(ready_, jobs); }
  [[nodiscard]] std::vector<Lane> lanes() const override {
    std::vector<Lane> lanes;
    for (const std::vector<Lane>& of_task : lanes_) {
      std::copy_if(of_task.begin(), of_task.end(), std::back_inserter(lanes),
                   [](const Lane& lane) { return lane.sms != 0; });
    }
    std::sort(lanes.begin(), lanes.end());
    lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
    return lanes;
  }
  [[nodiscard]] std::vector<SmSetId> sm_sets_of(TaskIndex task, std::uint32_t segment) const override {
    return {lanes_[task][segment].sms};
  }
  [[nodiscard]] bool has_dedicated_sms() const override { return true; }

 private:
  struct Ready {
    SubmissionId id;
    Lane lane;
  };

  /// The next SMs that no task owns yet; 0 when the task needs none.
  SmSetId add_sm_set(std::int64_t sms) {
    if (sms == 0) return 0;
    const std::int32_t next = sm_sets_.empty() ? 0 : sm_sets_.back().back() + 1;
    std::vector<std::int32_t>& set = sm_sets_.emplace_back(static_cast<std::size_t>(sms));
    std::iota(set.begin(), set.end(), next);
    return static_cast<SmSetId>(sm_sets_.size());
  }

  std::vector<std::vector<Lane>> lanes_;  // by task and segment
  std::vector<std::vector<std::int32_t>> sm_sets_;
  std::vector<Ready> ready_;
};

/// A best-effort task whose jobs can take zero time would repeat forever at one instant.
bool can_take_no_time(const System& system, std::size_t index) {
  for (const Node& node : system.tasks[index].work.nodes) {
    const auto* gpu = std::get_if<GpuSegment>(&node.segment);
    const std::int64_t virtual_sms =
        std::max<std::int64_t>(1, virtual_sms_of(system, static_cast<TaskIndex>(index), node));
    const Duration least = gpu != nullptr ? gpu_time(*gpu, virtual_sms).best : drawn_time(node.segment).best;
    if (least > Duration{}) return false;
  }
  return true;
}

std::vector<std::string> federated_refusals(const System& system, const Capabilities& capabilities) {
  std::vector<std::string> refusals;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const std::string where = "task '" + task.name + "': ";
    if (task.arrival == Arrival::best_effort && can_take_no_time(system, i)) {
      refusals.push_back(where +
                         "its jobs can take no time at all, and it would repeat for ever at one instant");
    }
    const auto check_sms = [&](std::optional<std::int64_t> virtual_sms) {
      if (!virtual_sms) return;
      const std::int64_t sms = *virtual_sms / system.platform.gpu.virtual_sms_per_sm;
      if (capabilities.sm_set_granularity == 0) {
        refusals.push_back(where + capabilities.engine + " cannot restrict work to SMs");
      } else if (sms % capabilities.sm_set_granularity != 0) {
        refusals.push_back(where + "it has " + std::to_string(sms) + " SMs, but " + capabilities.engine +
                           " gives them in multiples of " + std::to_string(capabilities.sm_set_granularity));
      }
    };
    if (uses_gpu(task.work) && i < system.virtual_sms.size()) check_sms(system.virtual_sms[i]);
    for (const Node& node : task.work.nodes) check_sms(node.virtual_sms);
  }
  refusals.erase(std::unique(refusals.begin(), refusals.end()), refusals.end());  // told once a task
  return refusals;
}

std::vector<Violation> missing_virtual_sms(const System& system) {
  std::vector<Violation> violations;
  const std::string path = "policy.virtual_sms";
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const bool needs_some = std::any_of(task.work.nodes.begin(), task.work.nodes.end(), [](const Node& node) {
      return server_of(node.segment) == ServerKind::gpu && !node.virtual_sms;
    });
    if (!needs_some) continue;
    if (system.virtual_sms.empty()) {
      violations.push_back({path,
                            "the strategy `federated` needs `virtual_sms`, for instance {" +
                                printable(task.name) + ": " +
                                std::to_string(system.platform.gpu.virtual_sms_per_sm) + "}",
                            std::string{plan_finds_them},
                            {},
                            ProblemId::needs_plan});
      break;
    }
    if (i < system.virtual_sms.size() && system.virtual_sms[i]) continue;
    violations.push_back({child_path(path, task.name),
                          describe(task) + " uses the GPU but has no virtual SMs",
                          "add it to `virtual_sms`; " + std::string{plan_finds_them},
                          {},
                          ProblemId::needs_plan});
  }
  return violations;
}

constexpr std::array fp_only{Order::fp};

}  // namespace

constinit const StrategyEntry federated{.facts = {.name = "federated",
                                                  .orders = fp_only,
                                                  .sms = SmSharing::owned,
                                                  .one_by_one = true,
                                                  .handed = Handed::nodes,
                                                  .one_copy_engine = true,
                                                  .missing = missing_virtual_sms},
                                        .refusals = federated_refusals,
                                        .make = make_strategy<Federated>};

}  // namespace tactus::sched
