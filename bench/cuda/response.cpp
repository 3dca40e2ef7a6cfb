// Response time of a 50 us job beside best-effort work that fills the GPU, for nine ways to share it:
//   plain               two streams of equal priority
//   priority            the job's stream is the most urgent, the other the least
//   partition           16 SMs for the job, the others for best-effort work (green contexts)
//   tactus-partition    the same by Tactus, strategy `federated`
//   tactus-eager        the same without the quiet time before a release
//   tactus-resident     the same, and the GPU's own clock releases the job, whose kernel stays on its SMs
//   tactus-graph        the same with a kernel that knows nothing of it, repeated in a graph
//   tactus-doorbell     the same, and the host starts the job through a word in memory
//   tactus-preemptible  all SMs for both; Tactus asks best-effort work to stop (`preemptible: true`)
// With --overheads the job's bound is proven before the run, and jobs above it are counted.
// There is one more: `cores`, the same instants and a loop on the CPU for as long as a job takes, on each
// core in turn and without the GPU. It shows what the machine adds by itself.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "kernels.hpp"
#include "plain_run.hpp"
#include "tactus/device/absence_watch.hpp"
#include "tactus/device/cuda/builtin_kernels.hpp"
#include "tactus/device/cuda/job.hpp"
#include "tactus/device/cuda/partition.hpp"
#include "tactus/device/cuda/stream.hpp"
#include "tactus/runtime/engine_thread.hpp"
#include "tactus_run.hpp"

namespace tactus::bench {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr unsigned threads = 1024;
constexpr int blocks_per_sm = 2;
constexpr int job_sms = 16;
constexpr Duration job_time = microseconds{50};
constexpr Duration length_alone = milliseconds{1000};

const std::vector<std::string> ways{
    "plain",           "priority",     "partition",       "tactus-partition",   "tactus-eager",
    "tactus-resident", "tactus-graph", "tactus-doorbell", "tactus-preemptible", "cores"};

/// Best-effort work: a launch or job of it occupies its SMs for `blocks_in_turn` blocks in sequence.
struct Load {
  std::string name;
  Duration block{};
  std::int64_t blocks_in_turn = 0;  // 0: there is none
  bool persistent = false;

  [[nodiscard]] bool exists() const { return blocks_in_turn > 0; }
  [[nodiscard]] std::int64_t blocks(int sms) const { return blocks_in_turn * blocks_per_sm * sms; }
};

const std::array loads{
    Load{"blocks of 10 us", microseconds{10}, 1000}, Load{"blocks of 100 us", microseconds{100}, 100},
    Load{"blocks of 1 ms", milliseconds{1}, 10}, Load{"blocks of 5 ms", milliseconds{5}, 2},
    Load{"persistent 50 ms", microseconds{20}, 2500, true}};

/// The rate of the job. Separations are drawn from [least, 2 * least], so that releases occur at every phase
/// of a block; with a fixed period they would always meet the same phase, since best-effort work restarts
/// where the job ended.
struct Pace {
  Duration least{};
  std::int64_t jobs = 10'000;
  std::int64_t skipped = 100;
};

/// Longer than the longest expected response.
Pace pace_of(const std::string& way, const Load& load) {
  if (!load.exists()) return {microseconds{330}};
  const bool yields_to_priority = way == "priority" && !load.persistent;
  if (way == "plain" || (way == "priority" && load.persistent)) {
    return {load.persistent ? Duration{milliseconds{51}} : Duration{microseconds{10'500}}, 1000, 20};
  }
  if (yields_to_priority || way == "tactus-preemptible") {
    if (load.block >= milliseconds{5}) return {microseconds{5200}, 1000, 20};
    if (load.block >= milliseconds{1}) return {microseconds{1200}};
  }
  return {microseconds{330}};
}

struct Outcome {
  std::vector<std::int64_t> responses_ns;
  double load_rate = 0;  // blocks a second
  std::vector<std::string> not_enforced{};
  std::vector<std::int64_t> starts_ns{};  // with Tactus
  std::vector<bool> disturbed{};          // jobs while the acting thread was not running; empty: unknown
  std::optional<Duration> bound{};        // with Tactus, and overheads
};

class Stage {
 public:
  Stage(const Load& load, const Arguments& arguments)
      : load_{load}, core_{arguments.core}, overheads_{arguments.overheads} {
    cuda::prepare_builtin(cuda::BuiltinKernel::spin);
  }

  Outcome run(const std::string& way, const Pace& pace, bool with_job) {
    if (way == "tactus-partition") return run_federated(pace, with_job, {});
    if (way == "tactus-eager") return run_federated(pace, with_job, Duration{});
    if (way == "tactus-resident") return run_federated(pace, with_job, {}, Dispatch::resident);
    if (way == "tactus-graph") return run_federated(pace, with_job, {}, Dispatch::resident, true);
    if (way == "tactus-doorbell") return run_federated(pace, with_job, {}, Dispatch::doorbell);
    if (way == "tactus-preemptible") return run_preemptible(pace, with_job);
    const OnCore on_core{core_};
    if (way == "cores") return run_cpu(pace);
    if (way == "partition") {
      const std::array sizes{job_sms, sm_count() - job_sms};
      const cuda::Partitions partitions{0, sizes};
      const cuda::Stream urgent = partitions[0].make_stream(cuda::stream_priorities().most_urgent);
      const cuda::Stream other = partitions[1].make_stream(cuda::stream_priorities().least_urgent);
      return run_streams(pace, with_job, urgent, partitions[0].sms(), other, partitions[1].sms());
    }
    const cuda::PriorityRange range = cuda::stream_priorities();
    const cuda::Stream urgent = cuda::make_stream(way == "priority" ? range.most_urgent : range.least_urgent);
    const cuda::Stream other = cuda::make_stream(range.least_urgent);
    return run_streams(pace, with_job, urgent, sm_count(), other, sm_count());
  }

 private:
  static Outcome run_cpu(const Pace& pace) {
    PlainSettings settings;
    settings.separation = pace.least;
    settings.jobs = pace.jobs;
    settings.skipped = pace.skipped;
    constexpr Duration about_a_job = microseconds{60};
    return {run_on_cpu(settings, about_a_job), 0, {}};
  }

  void launch_spin(Duration block, std::int64_t blocks, cudaStream_t stream) const {
    cuda::launch_builtin({.kernel = cuda::BuiltinKernel::spin,
                          .amount = static_cast<std::uint64_t>(in_ns(block)),
                          .grid = dim3{static_cast<unsigned>(blocks)},
                          .threads = threads},
                         data_, stream);
  }

  Outcome run_streams(const Pace& pace, bool with_job, const cuda::Stream& urgent, int urgent_sms,
                      const cuda::Stream& other, int other_sms) {
    PlainSettings settings{
        .urgent = urgent.get(), .best_effort = other.get(), .launch_job = {}, .launch_best_effort = {}};
    if (with_job) {
      settings.launch_job = [this, urgent_sms](cudaStream_t stream) {
        launch_spin(job_time, blocks_per_sm * urgent_sms, stream);
      };
    }
    const PersistentKernel persistent{static_cast<std::uint64_t>(load_.blocks(other_sms)), load_.block};
    if (load_.exists()) {
      settings.launch_best_effort = [&](cudaStream_t stream, unsigned turn) {
        if (load_.persistent) {
          persistent.launch(static_cast<unsigned>(blocks_per_sm * other_sms), turn, stream);
        } else {
          launch_spin(load_.block, load_.blocks(other_sms), stream);
        }
      };
    }
    settings.separation = pace.least;
    settings.jobs = pace.jobs;
    settings.skipped = pace.skipped;
    PlainResult result = run_plain(settings);
    Outcome outcome;
    outcome.responses_ns = std::move(result.responses_ns);
    outcome.disturbed = std::move(result.disturbed);
    outcome.load_rate = result.best_effort_rate * static_cast<double>(load_.blocks(other_sms));
    return outcome;
  }

  [[nodiscard]] std::string kernel_text(std::int64_t blocks, Duration block) const {
    return "kernel: {grid: " + std::to_string(blocks) + ", block: " + std::to_string(threads) +
           ", block_time: " + text_of(block) + "}";
  }

  [[nodiscard]] std::string text(const std::string& policy, const Pace& pace, bool with_job, int sms,
                                 int load_sms, const std::string& load_keys,
                                 Dispatch dispatch = Dispatch::launch) const {
    std::string text =
        "tactus: 1\nplatform: " + platform_text(overheads_) + "\npolicy: " + policy + "\ntasks:\n";
    if (with_job) {
      // The GPU's clock releases periodic jobs alone; they are as many as the sporadic ones.
      const std::string arrival = dispatch == Dispatch::resident
                                      ? "dispatch: resident, period: " + text_of(pace.least * 3 / 2)
                                      : "arrival: sporadic, period: " + text_of(pace.least);
      text += "  - {name: job, " + arrival +
              (dispatch == Dispatch::doorbell ? ", dispatch: doorbell, " : ", ") +
              kernel_text(std::int64_t{blocks_per_sm} * sms, job_time) + "}\n";
    }
    if (!load_.exists()) return text;
    return text + "  - {name: load, arrival: best-effort, " + load_keys +
           kernel_text(load_.blocks(load_sms), load_.block) + "}\n";
  }

  /// `plain_kernel`: the job's kernel is bound as in a user's program, and takes no loop.
  Outcome run_federated(const Pace& pace, bool with_job, std::optional<Duration> quiet,
                        Dispatch dispatch = Dispatch::launch, bool plain_kernel = false) {
    const int load_sms = sm_count() - job_sms;
    const std::string job_share = with_job ? "job: " + std::to_string(2 * job_sms) : std::string{};
    const std::string load_share = load_.exists() ? "load: " + std::to_string(2 * load_sms) : std::string{};
    const std::string policy = "{strategy: federated, virtual_sms: {" + job_share +
                               (with_job && load_.exists() ? ", " : "") + load_share + "}}";
    const PersistentKernel persistent{static_cast<std::uint64_t>(load_.blocks(load_sms)), load_.block};
    unsigned turn = 0;
    TactusOptions options;
    options.quiet = quiet;
    options.bind = [&](Runtime& runtime) {
      if (with_job && plain_kernel) {
        runtime.bind("job", [&](cuda::Job& job) {
          launch_spin(job_time, std::int64_t{blocks_per_sm} * job.sms(), job.stream());
        });
      }
      if (!load_.persistent) return;
      runtime.bind("load", [&](cuda::Job& job) {
        turn ^= 1U;
        persistent.launch(static_cast<unsigned>(blocks_per_sm * job.sms()), turn, job.stream());
      });
    };
    return run_system(text(policy, pace, with_job, job_sms, load_sms, {}, dispatch), pace, with_job, load_sms,
                      std::move(options));
  }

  /// The kernel of the load is bound as in a user's program: with Tactus's loop.
  Outcome run_preemptible(const Pace& pace, bool with_job) {
    TactusOptions options;
    if (load_.exists())
      options.bind = [this](Runtime& runtime) {
        runtime.bind("load", [this](cuda::Job& job) {
          cuda::launch_builtin({.kernel = cuda::BuiltinKernel::spin,
                                .amount = static_cast<std::uint64_t>(in_ns(load_.block)),
                                .grid = dim3{static_cast<unsigned>(blocks_per_sm * job.sms())},
                                .threads = threads},
                               job.loop(), data_, job.stream());
        });
      };
    return run_system(text("{strategy: multi-stream, order: fp, levels: 2}", pace, with_job, sm_count(),
                           sm_count(), "preemptible: true, "),
                      pace, with_job, sm_count(), std::move(options));
  }

  Outcome run_system(const std::string& text, const Pace& pace, bool with_job, int load_sms,
                     TactusOptions options) const {
    options.core = core_;
    // Separations are 1.5 * least on average; a little longer, so that there are as many jobs as requested.
    const Duration length = (pace.jobs + pace.skipped) * (pace.least * 3 / 2) * 51 / 50 + milliseconds{100};
    const TactusRun run = run_tactus(system_of(text), length, std::move(options));
    Outcome outcome;
    if (with_job) {
      outcome.responses_ns = responses_of(run.jobs[0], static_cast<std::size_t>(pace.skipped));
      outcome.starts_ns = starts_of(run.jobs[0], static_cast<std::size_t>(pace.skipped));
      outcome.disturbed = were_disturbed(run.jobs[0], static_cast<std::size_t>(pace.skipped), run.absences);
    }
    if (load_.exists()) {
      outcome.load_rate = rate_of(run.jobs[with_job ? 1 : 0], time_at(milliseconds{100})) *
                          static_cast<double>(load_.blocks(load_sms));
    }
    outcome.not_enforced = run.report.outcome.not_enforced;
    if (with_job && overheads_) outcome.bound = run.report.bounds[0];
    return outcome;
  }

  const Load& load_;
  std::optional<int> core_;
  std::optional<std::string> overheads_;
  cuda::BuiltinData data_;
};

/// The rate of best-effort work without the job.
class AloneRates {
 public:
  double rate(Stage& stage, const Load& load, const std::string& way, bool quick) {
    const std::string mechanism = way == "priority" ? "plain" : way;
    const auto key = std::make_pair(mechanism, load.name);
    if (const auto found = rates_.find(key); found != rates_.end()) return found->second;
    const Duration length = quick ? length_alone / 4 : length_alone;
    const Pace pace{milliseconds{10}, length * 2 / (3 * milliseconds{10}), 0};
    const double rate = stage.run(mechanism, pace, false).load_rate;
    rates_.emplace(key, rate);
    return rate;
  }

 private:
  std::map<std::pair<std::string, std::string>, double> rates_;
};

/// The machine's share in late jobs: jobs during which the acting thread had no CPU, and statistics of the
/// others.
nlohmann::ordered_json disturbances_of(const Outcome& outcome) {
  constexpr std::int64_t late_ns = 100'000;
  std::int64_t disturbed = 0;
  std::int64_t late = 0;
  std::int64_t late_and_disturbed = 0;
  std::vector<std::int64_t> others;
  for (std::size_t i = 0; i < outcome.responses_ns.size(); ++i) {
    const bool is_late = outcome.responses_ns[i] >= late_ns;
    if (is_late) ++late;
    if (outcome.disturbed[i]) {
      ++disturbed;
      if (is_late) ++late_and_disturbed;
    } else {
      others.push_back(outcome.responses_ns[i]);
    }
  }
  nlohmann::ordered_json json{{"least_us", microseconds_of(device::min_absence)},
                              {"disturbed", disturbed},
                              {"late", late},
                              {"late_and_disturbed", late_and_disturbed}};
  if (!others.empty()) json["others_us"] = summary_of(others);
  return json;
}

void measure(Results& results, Stage& stage, const Load& load, const std::string& way, AloneRates& alone) {
  const bool quick = results.arguments().quick;
  Pace pace = pace_of(way, load);
  if (quick) pace.jobs /= 20;
  const Outcome outcome = stage.run(way, pace, true);
  nlohmann::ordered_json line{
      {"way", way},
      {"load", load.name},
      {"least_separation_us", microseconds_of(pace.least)},
      {"job_share_of_time", microseconds_of(job_time) / microseconds_of(pace.least * 3 / 2)},
      {"response_us", summary_of(outcome.responses_ns)},
      {"not_enforced", outcome.not_enforced}};
  if (outcome.bound) {
    line["bound_us"] = microseconds_of(*outcome.bound);
    line["above_bound"] = std::ranges::count_if(
        outcome.responses_ns, [&](std::int64_t response) { return response > in_ns(*outcome.bound); });
  }
  if (!outcome.disturbed.empty()) line["disturbances"] = disturbances_of(outcome);
  if (!outcome.starts_ns.empty()) {
    std::vector<std::int64_t> from_start = outcome.responses_ns;
    for (std::size_t i = 0; i < from_start.size(); ++i) from_start[i] -= outcome.starts_ns[i];
    line["until_start_us"] = summary_of(outcome.starts_ns);
    line["from_start_us"] = summary_of(from_start);  // of a rung job: from the ring
  }
  if (load.exists()) {
    const double alone_rate = alone.rate(stage, load, way, quick);
    const double plain_rate = alone.rate(stage, load, "plain", quick);
    line["load_blocks_per_s"] = outcome.load_rate;
    line["load_alone_blocks_per_s"] = alone_rate;
    line["load_alone_plain_blocks_per_s"] = plain_rate;
    line["load_share_of_alone"] = outcome.load_rate / alone_rate;
    line["load_share_of_plain"] = outcome.load_rate / plain_rate;
  }
  results.print(line);
  results.keep(way + " " + load.name, outcome.responses_ns);
}

void measure_cores(Results& results) {
  for (unsigned core = 0; core < std::thread::hardware_concurrency(); ++core) {
    Arguments on_core = results.arguments();
    on_core.core = static_cast<int>(core);
    Stage stage{loads[0], on_core};
    const Outcome outcome =
        stage.run("cores", {microseconds{330}, results.arguments().quick ? 200 : 2000}, true);
    results.print({{"way", "cores"}, {"of_core", core}, {"response_us", summary_of(outcome.responses_ns)}});
  }
}

void experiment(Results& results) {
  // Refusals are the same for all ways; `tactus doctor` shows them.
  runtime::EngineThread thread{runtime::EngineNeeds{}};
  static_cast<void>(thread.take());
  if (results.arguments().wants("cores")) {
    results.attempt({{"way", "cores"}}, [&] { measure_cores(results); });
  }
  AloneRates alone;
  for (const Load& load : loads) {
    Stage stage{load, results.arguments()};
    for (const std::string& way : ways) {
      if (!results.arguments().wants(way) || way == "cores") continue;
      results.attempt({{"way", way}, {"load", load.name}},
                      [&] { measure(results, stage, load, way, alone); });
    }
  }
}

}  // namespace
}  // namespace tactus::bench

int main(int argc, char** argv) {
  return tactus::bench::run_experiment("response", tactus::bench::ways, argc, argv,
                                       tactus::bench::experiment);
}
