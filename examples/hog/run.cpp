#include "run.hpp"

#include <array>
#include <chrono>
#include <deque>
#include <string>
#include <tactus/trace.hpp>
#include <utility>
#include <variant>

namespace hog {

namespace {

/// The response times of all jobs.
class Responses final : public tactus::trace::Observer {
 public:
  using Observer::on;
  explicit Responses(std::size_t tasks) : by_task(tasks) {}
  [[nodiscard]] tactus::trace::Interests interests() const override { return {.ends = true}; }
  void on(const tactus::trace::JobEnded& job) override {
    if (job.completion != tactus::never) by_task[job.job.task].push_back(job.completion - job.release);
  }

  std::vector<std::vector<tactus::Duration>> by_task;
};

void check_grid(const tactus::KernelSegment& kernel, const Grid& grid, const std::string& name) {
  if (kernel.grid == std::array<std::int64_t, 3>{grid.x, grid.y, 1} && kernel.block == block_threads) return;
  throw tactus::InputError{"the kernel of node `" + name + "` has another grid than the file says",
                           "measure with the same --size, --levels and device as you run"};
}

/// What a node does depends on its name; where it runs, on its segment in the file.
class Binder {
 public:
  Binder(Accelerator& accelerator, const Vision& vision, tactus::Runtime& runtime)
      : accelerator_{accelerator},
        vision_{vision},
        runtime_{runtime},
        fine_{make_graph(static_cast<int>(vision.pyramid.levels.size()), Grain::fine)} {}

  void bind(const tactus::Task& task, std::size_t index, Camera& camera) {
    const tactus::Node& node = task.work.nodes[index];
    const std::vector<Step> steps = steps_named(fine_, node.name);
    const auto refuse = [&] {
      throw tactus::InputError{
          "task `" + task.name + "`: node `" + node.name + "` is not one of this program",
          "names and kinds of nodes are those of `measure` or what `tactus transform` "
          "makes of them; use the same --levels"};
    };
    if (steps.empty()) refuse();
    if (std::holds_alternative<tactus::CpuSegment>(node.segment)) {
      runtime_.bind(task.name, node.name,
                    [&camera, steps](tactus::Job& job) { camera.perform(steps, job.number()); });
    } else if (const auto* kernel = std::get_if<tactus::KernelSegment>(&node.segment);
               kernel != nullptr && steps.size() == 1 && steps[0].action == Action::kernel) {
      const Level& level = vision_.pyramid.levels[static_cast<std::size_t>(steps[0].level)];
      check_grid(*kernel, grid_of(steps[0].stage, level), node.name);
      accelerator_.bind_kernel(runtime_, task.name, node.name, steps[0].stage, level,
                               [&camera](const tactus::Job& job) -> const FrameData& {
                                 return camera.buffers(job.number()).data;
                               });
    } else if (std::holds_alternative<tactus::CopySegment>(node.segment) && steps.size() == 1 &&
               !steps[0].is_cpu() && steps[0].action != Action::kernel) {
      runtime_.bind_copy(task.name, index, [&camera, action = steps[0].action](const tactus::Job& job) {
        return copy_of(action, camera.buffers(job.number()));
      });
    } else {
      refuse();
    }
  }

 private:
  Accelerator& accelerator_;
  const Vision& vision_;
  tactus::Runtime& runtime_;
  Graph fine_;
};

}  // namespace

RunResult run_cameras(Accelerator& accelerator, const Vision& vision, tactus::System system,
                      const Settings& settings) {
  tactus::Runtime runtime{accelerator.make_device(), std::move(system)};
  const std::vector<tactus::Task>& tasks = runtime.system().tasks;
  std::deque<Camera> cameras;
  Binder binder{accelerator, vision, runtime};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    cameras.emplace_back(accelerator, vision, static_cast<int>(i) + 1, settings.buffers);
    for (std::size_t node = 0; node < tasks[i].work.nodes.size(); ++node) {
      binder.bind(tasks[i], node, cameras.back());
    }
  }
  Responses responses{tasks.size()};
  runtime.observe(responses);
  RunResult result{runtime.run_for(std::chrono::seconds{settings.seconds}), {}};
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    result.cameras.push_back({std::move(responses.by_task[i]), cameras[i].found()});
  }
  return result;
}

}  // namespace hog
