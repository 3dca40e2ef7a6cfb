#include "measure.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <thread>

namespace hog {

namespace {

using Clock = std::chrono::steady_clock;
using tactus::Duration;

/// Other cameras, each on a thread of its own, until this ends. A frame is drawn once and goes through the
/// accelerator several times, so that both are busy.
class Load {
 public:
  Load(Accelerator& accelerator, const Vision& vision, int cameras) {
    for (int i = 0; i < cameras; ++i) cameras_.emplace_back(accelerator, vision, 2 + i, 1);
    const auto levels = static_cast<int>(vision.pyramid.levels.size());
    const std::vector<Step> steps = make_graph(levels, Grain::monolithic).nodes[0].steps;
    for (Camera& camera : cameras_) {
      threads_.emplace_back([&camera, steps](const std::stop_token& stop) {
        constexpr int times = 8;
        const std::span<const Step> all{steps};
        for (std::uint64_t frame = 0; !stop.stop_requested(); ++frame) {
          camera.perform(all.first(1), frame);
          for (int i = 0; i < times; ++i) camera.perform(all.subspan(1, all.size() - 2), frame);
          camera.perform(all.last(1), frame);
        }
      });
    }
  }

 private:
  std::deque<Camera> cameras_;
  std::vector<std::jthread> threads_;  // end before the cameras
};

using Samples = std::vector<std::vector<Duration>>;  // by node

bool is_on_accelerator(const GraphNode& node) { return node.steps.size() == 1 && !node.steps[0].is_cpu(); }

void sample_frames(Accelerator& accelerator, const Vision& vision, const Graph& graph, Camera& camera,
                   int frames, Samples& samples) {
  for (int frame = 0; frame < frames; ++frame) {
    const auto number = static_cast<std::uint64_t>(frame);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const GraphNode& node = graph.nodes[i];
      if (is_on_accelerator(node)) {
        const auto times = accelerator.time(node.steps[0], vision.pyramid, camera.buffers(number));
        samples[i].insert(samples[i].end(), times.begin(), times.end());
      } else {
        const Clock::time_point begin = Clock::now();
        camera.perform(node.steps, number);
        samples[i].push_back(std::chrono::duration_cast<Duration>(Clock::now() - begin));
      }
    }
  }
}

tactus::Segment segment_of(const Accelerator& accelerator, const Vision& vision, const GraphNode& node,
                           const tactus::Interval& time) {
  if (!is_on_accelerator(node)) return tactus::CpuSegment{time};
  const Step& step = node.steps[0];
  if (step.action != Action::kernel) {
    return tactus::CopySegment{.time = time,
                               .bytes = {},
                               .direction = step.action == Action::upload
                                                ? tactus::CopyDirection::to_device
                                                : tactus::CopyDirection::from_device};
  }
  const Grid grid = grid_of(step.stage, vision.pyramid.levels[static_cast<std::size_t>(step.level)]);
  const BlockNeeds needs = accelerator.needs_of(step.stage);
  return tactus::KernelSegment{.grid = {grid.x, grid.y, 1},
                               .block = block_threads,
                               .block_time = time,
                               .shared_memory = needs.shared_memory,
                               .registers = needs.registers};
}

/// The platform of a system file, or of an entry that `tactus measure overheads` wrote.
tactus::Platform read_platform(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in) throw tactus::InputError{"cannot read " + file};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  tactus::ReadResult whole = tactus::read_system(text, file);
  if (whole.system) return whole.system->platform;
  text += "\ntactus: 1\ntasks: [{name: any, period: 1s, exclusive: 1ms}]\n";
  const tactus::ReadResult entry = tactus::read_system(text, file);
  if (!entry.system)
    throw tactus::InputError{file + " has no platform", "`tactus measure overheads -o` writes one"};
  return entry.system->platform;
}

int usual_cpus() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1); }

tactus::System make_system(const Accelerator& accelerator, const Settings& settings, tactus::Work work) {
  tactus::System system;
  system.name = "hog";
  const int cpus = settings.cpus > 0 ? settings.cpus : usual_cpus();
  system.platform = accelerator.platform(cpus);
  if (!settings.overheads.empty()) {
    system.platform = read_platform(settings.overheads);
    system.platform.clusters = {cpus};
  }
  system.policy.strategy = tactus::strategy_named("graph");
  system.policy.order = settings.order;
  for (int i = 1; i <= settings.cameras; ++i) {
    tactus::Task task;
    task.name = "camera" + std::to_string(i);
    task.period = std::chrono::milliseconds{settings.period_ms};
    task.deadline = std::chrono::milliseconds{settings.deadline_ms};
    task.work = work;
    system.tasks.push_back(std::move(task));
  }
  return system;
}

}  // namespace

tactus::System measure_system(Accelerator& accelerator, const Vision& vision, const Settings& settings) {
  const Graph graph = make_graph(static_cast<int>(vision.pyramid.levels.size()), settings.grain);
  Camera camera{accelerator, vision, 1, 1};
  Samples samples(graph.nodes.size());
  {
    constexpr int warm_up = 3;
    Samples unused(graph.nodes.size());
    sample_frames(accelerator, vision, graph, camera, warm_up, unused);
  }
  sample_frames(accelerator, vision, graph, camera, settings.samples, samples);
  {
    const Load load{accelerator, vision, std::min(settings.cameras - 1, usual_cpus())};
    sample_frames(accelerator, vision, graph, camera, settings.samples, samples);
  }
  tactus::Work work{.form = tactus::WorkForm::graph, .nodes = {}, .edges = graph.edges};
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const tactus::measure::SampleSummary summary = tactus::measure::summary_of(samples[i]);
    const tactus::Interval time{summary.min, settings.margin.apply(summary)};
    tactus::Node node{graph.nodes[i].name, segment_of(accelerator, vision, graph.nodes[i], time)};
    const std::size_t dot = node.name.find('.');
    if (dot != std::string::npos) node.part_of = node.name.substr(0, dot);
    work.nodes.push_back(std::move(node));
  }
  return make_system(accelerator, settings, std::move(work));
}

}  // namespace hog
