#include "support/shrink.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "tactus/model/validate.hpp"

namespace tactus::test {

namespace {

/// The scenarios one step simpler than this one, boldest steps first.
class Candidates {
 public:
  explicit Candidates(const Scenario& from) : from_{from} {}

  std::vector<Scenario> make() {
    for (std::size_t task = 0; task < from_.system.tasks.size(); ++task) remove_task(task);
    for (std::size_t task = 0; task < from_.system.tasks.size(); ++task) {
      for (std::size_t node = 0; node < from_.system.tasks[task].work.nodes.size(); ++node) {
        remove_node(task, node);
      }
    }
    simplify_platform();
    simplify_policy();
    for (std::size_t task = 0; task < from_.system.tasks.size(); ++task) simplify_task(task);
    simplify_options();
    return std::move(candidates_);
  }

 private:
  template <typename Change>
  void add(Change change) {
    Scenario candidate = from_;
    change(candidate);
    if (candidate.system == from_.system && candidate.options.horizon == from_.options.horizon &&
        candidate.options.execution == from_.options.execution) {
      return;
    }
    candidates_.push_back(std::move(candidate));
  }

  void remove_task(std::size_t task) {
    add([&](Scenario& s) {
      s.system.tasks.erase(s.system.tasks.begin() + static_cast<std::ptrdiff_t>(task));
      auto& virtual_sms = s.system.virtual_sms;
      if (!virtual_sms.empty()) virtual_sms.erase(virtual_sms.begin() + static_cast<std::ptrdiff_t>(task));
    });
  }

  void remove_node(std::size_t task, std::size_t node) {
    add([&](Scenario& s) {
      Work& work = s.system.tasks[task].work;
      work.nodes.erase(work.nodes.begin() + static_cast<std::ptrdiff_t>(node));
      std::erase_if(work.edges, [&](const Edge& edge) { return edge.from == node || edge.to == node; });
      for (Edge& edge : work.edges) {
        if (edge.from > node) --edge.from;
        if (edge.to > node) --edge.to;
      }
    });
  }

  void simplify_platform() {
    add([](Scenario& s) { s.system.platform.overheads = {}; });
    add([](Scenario& s) { s.system.platform.overheads.release = {}; });
    add([](Scenario& s) { s.system.platform.overheads.launch = {}; });
    add([](Scenario& s) { s.system.platform.overheads.completion = {}; });
    add([](Scenario& s) { s.system.platform.overheads.copy = {}; });
    add([](Scenario& s) { s.system.platform.overheads.cpu = {}; });
    add([](Scenario& s) { s.system.platform.gpu.sms = 1; });
    add([](Scenario& s) { s.system.platform.gpu.sms -= s.system.platform.gpu.sms > 1 ? 1 : 0; });
    add([](Scenario& s) { s.system.platform.gpu.copy_engines = 1; });
    add([](Scenario& s) {
      s.system.platform.gpu.priority_levels = 1;
      s.system.policy.levels = 1;
    });
    add([](Scenario& s) { s.system.platform.gpu.sm_choice = SmChoice::first_fit; });
  }

  void simplify_policy() {
    for (std::size_t task = 0; task < from_.system.virtual_sms.size(); ++task) {
      add([&](Scenario& s) {
        if (s.system.virtual_sms[task]) s.system.virtual_sms[task] = s.system.platform.gpu.virtual_sms_per_sm;
      });
    }
    add([](Scenario& s) { s.system.policy.order = Order::edf; });
    add([](Scenario& s) { s.system.policy.refill = Refill::immediate; });
    add([](Scenario& s) { s.system.policy.levels -= s.system.policy.levels > 1 ? 1 : 0; });
    add([](Scenario& s) { s.system.policy.sm_group = 1; });
    if (!from_.system.policy.reservations) return;
    const auto change = [&](auto simplify) {
      add([&](Scenario& s) { simplify(*s.system.policy.reservations); });
    };
    change([](Reservations& r) { r.local.reset(); });
    change([](Reservations& r) { r.all.reset(); });
    change([](Reservations& r) {
      if (!r.all || !r.local) (r.local ? r.local : r.all) = Window{Duration{}, r.period};
    });
    change([](Reservations& r) {
      if (r.period > Duration{1}) r.period -= Duration{1};
    });
  }

  void simplify_task(std::size_t index) {
    const auto change = [&](auto simplify) { add([&](Scenario& s) { simplify(s.system.tasks[index]); }); };
    change([](Task& task) {
      task.arrival = Arrival::once;
      task.period.reset();
    });
    change([](Task& task) { task.offset = {}; });
    change([](Task& task) { task.jitter = {}; });
    change([](Task& task) { task.stream.reset(); });
    change([](Task& task) { task.stream_priority = 0; });
    change([](Task& task) { task.longest_block.reset(); });
    change([](Task& task) { task.priority.reset(); });
    change([](Task& task) { task.sm = {}; });
    change([](Task& task) { task.core = 0; });
    change([](Task& task) {
      if (task.sm.core > 0) --task.sm.core;
    });
    change([](Task& task) { task.jobs.clear(); });
    change([](Task& task) {
      if (!task.jobs.empty()) task.jobs.pop_back();
    });
    change([](Task& task) {
      if (!repeats(task)) task.deadline.reset();
    });
    change([](Task& task) {
      if (task.work.form == WorkForm::graph) task.work.form = WorkForm::chain;
      task.work.edges.clear();
      for (Node& node : task.work.nodes) node.name.clear();
    });
    for (std::size_t node = 0; node < from_.system.tasks[index].work.nodes.size(); ++node) {
      const auto change_kernel = [&](auto simplify) {
        change([&](Task& task) {
          if (auto* kernel = std::get_if<KernelSegment>(&task.work.nodes[node].segment)) simplify(*kernel);
        });
      };
      change_kernel([](KernelSegment& kernel) { kernel.grid = {1, 1, 1}; });
      change_kernel([](KernelSegment& kernel) { kernel.grid = {(kernel.blocks() + 1) / 2, 1, 1}; });
      change_kernel([](KernelSegment& kernel) {
        kernel.grid = {std::max<std::int64_t>(1, kernel.blocks() - 1), 1, 1};
      });
      change_kernel([](KernelSegment& kernel) { kernel.shared_memory = 0; });
      change_kernel([](KernelSegment& kernel) { kernel.registers = 0; });
      change_kernel([](KernelSegment& kernel) { kernel.block = 1; });
      change([&](Task& task) {
        if (auto* gpu = std::get_if<GpuSegment>(&task.work.nodes[node].segment)) {
          gpu->overhead = {};
          gpu->interleave = Rational{1};
        }
      });
      change([&](Task& task) {
        std::visit(
            [](auto& segment) {
              if constexpr (requires { segment.time; }) segment.time.best = segment.time.worst;
              if constexpr (requires { segment.block_time; })
                segment.block_time.best = segment.block_time.worst;
              if constexpr (requires { segment.work; }) segment.work.best = segment.work.worst;
            },
            task.work.nodes[node].segment);
      });
    }
  }

  void simplify_options() {
    add([](Scenario& s) { s.options.execution = Execution::worst; });
    add([](Scenario& s) {
      if (s.options.horizon) *s.options.horizon /= 2;
    });
    add([](Scenario& s) {
      if (s.options.horizon && *s.options.horizon > Duration{1}) *s.options.horizon -= Duration{1};
    });
  }

  const Scenario& from_;
  std::vector<Scenario> candidates_;
};

}  // namespace

Scenario shrink(Scenario scenario, const std::function<bool(const Scenario&)>& fails) {
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (Scenario& candidate : Candidates{scenario}.make()) {
      if (!validate(candidate.system).empty() || !fails(candidate)) continue;
      scenario = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return scenario;
}

}  // namespace tactus::test
