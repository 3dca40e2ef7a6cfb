// Figures 9 and 10 of the PRUDA paper on this GPU.
//   figure-9   three tasks that each fill the GPU, with and without Tactus: response times of the most urgent
//   figure-10  preemption seen in execution times: a kernel of 1 to 8 waves of blocks, alone and with a more
//              urgent kernel of one wave that comes shortly after its start
// The kernel is the built-in `compute` in place of the paper's, sized once and used by all ways.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/cuda/builtin_kernels.hpp"
#include "tactus/device/cuda/completion.hpp"
#include "tactus/device/cuda/job.hpp"
#include "tactus/device/cuda/stream.hpp"
#include "tactus/runtime/engine_thread.hpp"
#include "tactus_run.hpp"

namespace tactus::bench {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

const std::vector<std::string> parts{"figure-9", "figure-10"};
constexpr unsigned threads = 1024;

/// A periodic task whose kernel fills the GPU with `waves` waves of blocks.
struct WaveTask {
  std::string name;
  Duration period{};
  std::int64_t waves = 1;
  Duration offset{};
};

/// A kernel whose blocks all take about the same time, calibrated at construction.
class SizedKernel {
 public:
  explicit SizedKernel(Duration block) : block_{block} {
    const cuda::Stream stream = cuda::make_stream();
    cuda::prepare_builtin(launch_.kernel);
    amount_ = cuda::calibrate_builtin(launch_, block, data_, stream.get()).amount;
  }

  [[nodiscard]] Duration block() const { return block_; }
  [[nodiscard]] std::int64_t wave() const { return wave_; }
  void launch(std::int64_t waves, cudaStream_t stream) const {
    cuda::BuiltinLaunch launch = launch_;
    launch.amount = amount_;
    launch.grid = dim3{static_cast<unsigned>(waves * wave_)};
    cuda::launch_builtin(launch, data_, stream);
  }

 private:
  Duration block_;
  std::int64_t wave_ = std::int64_t{2} * sm_count();
  cuda::BuiltinData data_;
  cuda::BuiltinLaunch launch_{.kernel = cuda::BuiltinKernel::compute,
                              .grid = dim3{static_cast<unsigned>(2 * sm_count())},
                              .threads = threads};
  std::uint64_t amount_ = 0;
};

/// Instants in nanoseconds from the start of the run; -1 if unknown.
struct JobLine {
  std::string task;
  std::uint64_t number = 0;
  std::int64_t release = 0;
  std::int64_t start = -1;
  std::int64_t completion = -1;
};

/// One stream per task, and launches at the releases: a program that leaves scheduling to CUDA.
class Uncontrolled {
 public:
  Uncontrolled(const SizedKernel& kernel, const std::vector<WaveTask>& tasks)
      : kernel_{kernel}, words_{tasks.size()} {
    for (const WaveTask& task : tasks) {
      states_.push_back(
          {.task = task, .stream = cuda::make_stream(), .next = in_ns(task.offset), .jobs = {}});
    }
  }

  std::vector<JobLine> run(Duration length, std::optional<int> core) {
    const OnCore on_core{core};
    begin_ = now_ns();
    for (;;) {
      State& next = *std::min_element(states_.begin(), states_.end(),
                                      [](const State& a, const State& b) { return a.next < b.next; });
      if (next.next >= in_ns(length)) break;
      while (now_ns() - begin_ < next.next) look();
      lines_.push_back({.task = next.task.name, .number = next.jobs.size(), .release = next.next});
      next.jobs.push_back(lines_.size() - 1);
      kernel_.launch(next.task.waves, next.stream.get());
      const auto word = static_cast<std::size_t>(&next - states_.data());
      words_.signal(next.stream.get(), word, static_cast<unsigned>(next.jobs.size()));
      next.next += in_ns(next.task.period);
    }
    while (look()) {
    }
    return std::move(lines_);
  }

 private:
  struct State {
    WaveTask task;
    cuda::Stream stream;
    std::int64_t next = 0;          // release
    std::vector<std::size_t> jobs;  // lines
    std::size_t ended = 0;
  };

  /// Whether any work is in flight.
  bool look() {
    bool busy = false;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      State& state = states_[i];
      for (const unsigned value = words_.value(i); state.ended < value; ++state.ended) {
        lines_[state.jobs[state.ended]].completion = now_ns() - begin_;
      }
      busy = busy || state.ended < state.jobs.size();
    }
    return busy;
  }

  const SizedKernel& kernel_;
  cuda::CompletionWords words_;
  std::vector<State> states_;
  std::vector<JobLine> lines_;
  std::int64_t begin_ = 0;
};

/// Priorities follow the order of the tasks; the first is the most urgent.
System system_with(const std::string& policy, const SizedKernel& kernel, const std::vector<WaveTask>& tasks) {
  std::string text = "tactus: 1\nplatform: " + platform_text() + "\npolicy: " + policy + "\ntasks:\n";
  std::size_t priority = tasks.size();
  for (const WaveTask& task : tasks) {
    text += "  - {name: " + task.name + ", period: " + text_of(task.period) +
            ", offset: " + text_of(task.offset) + ", priority: " + std::to_string(priority--) +
            ", kernel: {grid: " + std::to_string(task.waves * kernel.wave()) +
            ", block: " + std::to_string(threads) + ", block_time: " + text_of(kernel.block()) + "}}\n";
  }
  return system_of(text);
}

std::vector<JobLine> run_with_tactus(const std::string& policy, const SizedKernel& kernel,
                                     const std::vector<WaveTask>& tasks, Duration length,
                                     std::optional<int> core) {
  TactusOptions options;
  options.core = core;
  options.bind = [&](Runtime& runtime) {
    for (const WaveTask& task : tasks) {
      runtime.bind(task.name, [&kernel, &task](cuda::Job& job) { kernel.launch(task.waves, job.stream()); });
    }
  };
  const TactusRun run = run_tactus(system_with(policy, kernel, tasks), length, std::move(options));
  std::vector<JobLine> lines;
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    for (const trace::JobEnded& job : run.jobs[task]) {
      lines.push_back({.task = tasks[task].name,
                       .number = job.job.number,
                       .release = in_ns(job.release),
                       .start = job.start == never ? -1 : in_ns(job.start),
                       .completion = job.completion == never ? -1 : in_ns(job.completion)});
    }
  }
  return lines;
}

std::string csv_header() { return "series,task,job,release_ns,start_ns,completion_ns\n"; }

std::string csv_of(const std::string& series, const std::vector<JobLine>& lines) {
  std::string text;
  for (const JobLine& line : lines) {
    text += series + "," + line.task + "," + std::to_string(line.number) + "," +
            std::to_string(line.release) + "," + (line.start < 0 ? "" : std::to_string(line.start)) + "," +
            (line.completion < 0 ? "" : std::to_string(line.completion)) + "\n";
  }
  return text;
}

using Instant = std::int64_t JobLine::*;

/// From the given instant of each job of a task to its completion.
std::vector<std::int64_t> times_of(const std::vector<JobLine>& lines, const std::string& task, Instant from) {
  std::vector<std::int64_t> times;
  for (const JobLine& line : lines) {
    if (line.task != task || line.completion < 0 || line.*from < 0) continue;
    times.push_back(line.completion - line.*from);
  }
  return times;
}

void draw_figure_9(Results& results) {
  const Duration length = results.arguments().quick ? milliseconds{500} : milliseconds{5000};
  const std::optional<int> core = results.arguments().core;
  const SizedKernel kernel{microseconds{100}};
  // Periods without a common pattern, so that all relative phases occur.
  const std::vector<WaveTask> tasks{{"high", milliseconds{5}, 8, {}},
                                    {"middle", milliseconds{11}, 20, {}},
                                    {"low", milliseconds{23}, 80, {}}};
  std::string csv = csv_header();
  const auto add = [&](const std::string& series, const std::vector<JobLine>& lines) {
    csv += csv_of(series, lines);
    for (const WaveTask& task : tasks) {
      const std::vector<std::int64_t> responses = times_of(lines, task.name, &JobLine::release);
      if (responses.empty()) continue;
      results.print({{"figure", 9},
                     {"series", series},
                     {"task", task.name},
                     {"waves", task.waves},
                     {"block_us", microseconds_of(kernel.block())},
                     {"period_us", microseconds_of(task.period)},
                     {"response_us", summary_of(responses)}});
    }
  };
  const std::string multi_stream = "{strategy: multi-stream, order: fp, levels: 3}";
  add("alone", run_with_tactus(multi_stream, kernel, {tasks[0]}, length, core));
  add("without Tactus", Uncontrolled{kernel, tasks}.run(length, core));
  add("single-stream", run_with_tactus("{strategy: single-stream, order: fp}", kernel, tasks, length, core));
  add("multi-stream", run_with_tactus(multi_stream, kernel, tasks, length, core));
  results.keep_text("9", "csv", csv);
}

double mean_of(const std::vector<std::int64_t>& values) {
  double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

void draw_figure_10(Results& results) {
  const Duration length = results.arguments().quick ? milliseconds{200} : milliseconds{1000};
  constexpr std::int64_t max_waves = 8;
  const std::optional<int> core = results.arguments().core;
  const SizedKernel kernel{microseconds{500}};
  // The urgent job is released while the first blocks of the other are running.
  const WaveTask high{"high", milliseconds{10}, 1, microseconds{250}};
  const std::string policy = "{strategy: multi-stream, order: fp, levels: 2}";
  std::string csv = csv_header();
  for (std::int64_t waves = 1; waves <= max_waves; ++waves) {
    const WaveTask low{"low", milliseconds{10}, waves, {}};
    const auto add = [&](const std::string& series, const std::vector<JobLine>& lines) {
      csv += csv_of(std::to_string(waves) + " waves " + series, lines);
      const std::vector<std::int64_t> times = times_of(lines, low.name, &JobLine::start);
      if (times.empty()) throw FailureError{"no job of figure 10 ended"};
      results.print({{"figure", 10},
                     {"series", series},
                     {"waves", waves},
                     {"blocks", waves * kernel.wave()},
                     {"block_us", microseconds_of(kernel.block())},
                     {"mean_execution_us", mean_of(times) / 1000},
                     {"execution_us", summary_of(times)}});
    };
    add("alone", run_with_tactus(policy, kernel, {low}, length, core));
    add("preempted", run_with_tactus(policy, kernel, {high, low}, length, core));
  }
  results.keep_text("10", "csv", csv);
}

void experiment(Results& results) {
  runtime::EngineThread thread{runtime::EngineNeeds{}};
  static_cast<void>(thread.take());
  if (results.arguments().wants("figure-9")) {
    results.attempt({{"figure", 9}}, [&] { draw_figure_9(results); });
  }
  if (results.arguments().wants("figure-10")) {
    results.attempt({{"figure", 10}}, [&] { draw_figure_10(results); });
  }
}

}  // namespace
}  // namespace tactus::bench

int main(int argc, char** argv) {
  return tactus::bench::run_experiment("figures", tactus::bench::parts, argc, argv,
                                       tactus::bench::experiment);
}
