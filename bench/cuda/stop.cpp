// How fast the CUDA device stops preemptible work, for several yield intervals and kernel lengths, and the
// cost of the loop without stops.
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/cuda/builtin_kernels.hpp"
#include "tactus/device/cuda/job.hpp"
#include "tactus/device/cuda/stream.hpp"
#include "tactus/device/device.hpp"
#include "tactus/runtime/engine_thread.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/sched/draws.hpp"
#include "tactus/trace/fanout.hpp"
#include "tactus_run.hpp"

namespace tactus::bench {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

const std::vector<std::string> parts{"latency", "throughput"};
constexpr microseconds intervals[] = {microseconds{5},  microseconds{10},  microseconds{20},
                                      microseconds{50}, microseconds{100}, microseconds{1000}};
constexpr milliseconds lengths[] = {milliseconds{10}, milliseconds{50}, milliseconds{200}};

/// A system of one preemptible best-effort task whose kernel fills the GPU for a while.
System load_of(Duration interval, Duration length) {
  const std::int64_t blocks = 2 * sm_count() * (length / interval);
  return system_of("tactus: 1\nplatform: " + platform_text() +
                   "\npolicy: {strategy: multi-stream, order: fp, levels: 2}\ntasks:\n"
                   "  - {name: load, arrival: best-effort, preemptible: true, kernel: {grid: " +
                   std::to_string(blocks) + ", block: 1024, block_time: " + text_of(interval) + "}}\n");
}

/// Submits jobs to a device and stops them, without an engine. The kernel is bound as in a user's program.
class Bench {
 public:
  Bench(const System& system, cuda::BuiltinKernel kernel, Duration block, std::optional<int> core)
      : system_{system},
        device_{make_device()},
        draws_{system_, 1, Execution::worst},
        core_{system_, 4},
        trace_{{}} {
    size_kernel(kernel, block);
    bindings_[0][0].work = [this](Job& job) { launch(static_cast<cuda::Job&>(job)); };
    device::Setup setup = device::make_setup(system_, draws_, core_, trace_);
    setup.bindings = &bindings_;
    device_->open(setup);
    events_.reserve(64);
    on_core_.emplace(core);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() { device_->close(); }

  enum class Form : std::uint8_t { plain_grid, loop };

  void submit(Form form) {
    ++submission_.part;
    form_ = form;
    const sched::Extent extent = form == Form::loop ? sched::Extent::until_stopped : sched::Extent::whole;
    constexpr TaskIndex task = 0;
    // The lane of the least urgent level: see multi_stream.cpp.
    device_->submit({{.id = submission_, .stream = 0, .level = 1, .extent = extent}, task, number_});
  }
  void request_stop() { device_->request_stop(submission_); }

  /// Waits until the submission has ended. False when it was stopped: then the next one continues the job.
  bool wait_for_end() {
    const std::int64_t limit = now_ns() + 5'000'000'000;
    for (;;) {
      device_->wait(device_->now() + milliseconds{1});
      events_.clear();
      device_->poll(events_);
      for (const sched::Event& event : events_) {
        if (std::holds_alternative<sched::Stopped>(event)) return false;
        if (std::holds_alternative<sched::Finished>(event)) {
          begin_next_job();
          return true;
        }
        if (std::holds_alternative<sched::Failed>(event)) throw FailureError{device_->failure()};
      }
      if (now_ns() > limit) throw FailureError{"nothing is heard of the kernel"};
    }
  }

 private:
  void size_kernel(cuda::BuiltinKernel kernel, Duration block) {
    launch_.kernel = kernel;
    launch_.grid = dim3{resident_};
    cuda::prepare_builtin(kernel);
    if (kernel == cuda::BuiltinKernel::spin) {
      launch_.amount = static_cast<std::uint64_t>(in_ns(block));
      return;
    }
    const cuda::Stream stream = cuda::make_stream();
    launch_.amount = cuda::calibrate_builtin(launch_, block, data_, stream.get()).amount;
  }

  void launch(cuda::Job& job) {
    cuda::BuiltinLaunch launch = launch_;
    if (form_ == Form::loop) {
      cuda::launch_builtin(launch, job.loop(), data_, job.stream());
    } else {
      launch.grid = dim3{static_cast<unsigned>(job.blocks())};
      cuda::launch_builtin(launch, data_, job.stream());
    }
  }

  void begin_next_job() {
    device_->job_over(submission_.job);
    ++submission_.job.generation;
    submission_.part = 0;
    ++number_;
  }

  System system_;
  std::unique_ptr<device::Device> device_;
  sched::Draws draws_;
  sched::Core core_;
  trace::Fanout trace_;
  device::Bindings bindings_{{{.kind = device::Binding::Kind::calls, .work = {}}}};
  unsigned resident_ = 2U * static_cast<unsigned>(sm_count());
  cuda::BuiltinData data_;
  cuda::BuiltinLaunch launch_;
  Form form_ = Form::loop;
  sched::SubmissionId submission_;
  std::uint64_t number_ = 0;
  sched::Events events_;
  std::optional<OnCore> on_core_;
};

void measure_latency(Results& results, Duration interval, Duration length) {
  const std::size_t wanted = results.arguments().quick ? 100 : 2000;
  Bench bench{load_of(interval, length), cuda::BuiltinKernel::spin, interval, results.arguments().core};
  std::mt19937_64 random{1};
  std::uniform_int_distribution<std::int64_t> run_ns{50'000, 150'000 + 2 * in_ns(interval)};
  std::vector<std::int64_t> samples;
  std::vector<std::int64_t> calls;
  std::int64_t jobs = 0;
  while (samples.size() < wanted) {
    bench.submit(Bench::Form::loop);
    const std::int64_t stop_at = now_ns() + run_ns(random);
    while (now_ns() < stop_at) {
    }
    const std::int64_t begin = now_ns();
    bench.request_stop();
    const std::int64_t asked = now_ns();
    const bool finished = bench.wait_for_end();
    // Work that completed by itself says nothing about stops.
    if (finished) {
      if (++jobs > static_cast<std::int64_t>(wanted))
        throw FailureError{"the device does not stop the kernel"};
      continue;
    }
    samples.push_back(now_ns() - begin);
    calls.push_back(asked - begin);
  }
  results.print({{"what", "latency"},
                 {"interval_us", microseconds_of(interval)},
                 {"kernel_ms", microseconds_of(length) / 1000},
                 {"jobs_that_finished", jobs},
                 {"call_us", summary_of(calls)},
                 {"until_known_us", summary_of(samples)}});
  results.keep("latency " + std::to_string(interval / microseconds{1}) + " us kernel " +
                   std::to_string(length / milliseconds{1}) + " ms",
               samples);
}

std::int64_t time_job(Bench& bench, Bench::Form form) {
  const std::int64_t begin = now_ns();
  bench.submit(form);
  if (!bench.wait_for_end()) throw FailureError{"the kernel stopped although nobody asked for it"};
  return now_ns() - begin;
}

/// The same work as a plain grid and with the loop, alternating.
void measure_throughput(Results& results, cuda::BuiltinKernel kernel, Duration interval) {
  const int rounds = results.arguments().quick ? 3 : 11;
  constexpr Duration length = milliseconds{50};
  Bench bench{load_of(interval, length), kernel, interval, results.arguments().core};
  std::vector<std::int64_t> plain;
  std::vector<std::int64_t> loop;
  for (int round = -1; round < rounds; ++round) {
    const std::int64_t plain_ns = time_job(bench, Bench::Form::plain_grid);
    const std::int64_t loop_ns = time_job(bench, Bench::Form::loop);
    if (round < 0) continue;
    plain.push_back(plain_ns);
    loop.push_back(loop_ns);
  }
  const nlohmann::ordered_json plain_us = summary_of(plain);
  const nlohmann::ordered_json loop_us = summary_of(loop);
  results.print({{"what", "throughput"},
                 {"kernel", cuda::name_of(kernel)},
                 {"interval_us", microseconds_of(interval)},
                 {"plain_us", plain_us},
                 {"loop_us", loop_us},
                 {"share", plain_us["median"].get<double>() / loop_us["median"].get<double>()}});
}

void experiment(Results& results) {
  runtime::EngineThread thread{runtime::EngineNeeds{}};
  static_cast<void>(thread.take());
  for (const Duration interval : intervals) {
    for (const Duration length : lengths) {
      if (!results.arguments().wants("latency")) continue;
      results.attempt({{"what", "latency"}, {"interval_us", microseconds_of(interval)}},
                      [&] { measure_latency(results, interval, length); });
    }
    for (const cuda::BuiltinKernel kernel : {cuda::BuiltinKernel::spin, cuda::BuiltinKernel::compute}) {
      if (!results.arguments().wants("throughput")) continue;
      results.attempt({{"what", "throughput"}, {"interval_us", microseconds_of(interval)}},
                      [&] { measure_throughput(results, kernel, interval); });
    }
  }
}

}  // namespace
}  // namespace tactus::bench

int main(int argc, char** argv) {
  return tactus::bench::run_experiment("stop", tactus::bench::parts, argc, argv, tactus::bench::experiment);
}
