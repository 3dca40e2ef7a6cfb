// A network that stays on its SMs: 100 products of cuBLAS in every job, on 16 SMs, released by the GPU's own
// clock (`resident`) or rung by the host (`doorbell`), alone and beside saturating work on the other SMs. The
// same launched for every job (`launch`), for comparison.
#include <cublas_v2.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/cuda/job.hpp"
#include "tactus/device/cuda/memory.hpp"
#include "tactus_run.hpp"

namespace tactus::bench {

namespace {

using std::chrono::milliseconds;

const std::vector<std::string> ways{"resident", "doorbell", "launch"};
constexpr int network_sms = 16;
constexpr int products = 100;
constexpr int size = 512;
constexpr std::size_t skipped = 10;
constexpr Duration period = milliseconds{9};

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) throw FailureError{std::string{"cuBLAS: "} + what};
}

class Network {
 public:
  Network() { check(cublasCreate(&handle_), "cannot begin"); }
  ~Network() { cublasDestroy(handle_); }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  void enqueue(cudaStream_t stream) const {
    check(cublasSetStream(handle_, stream), "cannot use a stream");
    // After the stream, which resets it: without a workspace of its own cuBLAS allocates.
    check(cublasSetWorkspace(handle_, workspace_.data(), workspace_.size()), "cannot use a workspace");
    const float one = 1.0F;
    const float zero = 0.0F;
    for (int i = 0; i < products; ++i) {
      check(cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, a_.data(), size, b_.data(),
                        size, &zero, c_.data(), size),
            "cannot multiply");
    }
  }

 private:
  static constexpr std::size_t elements = std::size_t{size} * size;
  cublasHandle_t handle_ = nullptr;
  cuda::DeviceBuffer<float> a_{elements};
  cuda::DeviceBuffer<float> b_{elements};
  cuda::DeviceBuffer<float> c_{elements};
  cuda::DeviceBuffer<unsigned char> workspace_{std::size_t{32} << 20U};
};

System system_for(const std::string& way, bool is_loaded, const Results& results) {
  const int others = sm_count() - network_sms;
  std::string text =
      "tactus: 1\nplatform: " + platform_text(results.arguments().overheads) +
      "\npolicy: {strategy: federated, virtual_sms: {network: " + std::to_string(2 * network_sms) +
      (is_loaded ? ", load: " + std::to_string(2 * others) : "") +
      "}}\ntasks:\n  - {name: network, period: " + text_of(period) + ", exclusive: 6400us, dispatch: " + way +
      "}\n";
  if (is_loaded) {
    text += "  - {name: load, arrival: best-effort, kernel: {grid: " + std::to_string(20 * others) +
            ", block: 1024, block_time: 1ms}}\n";
  }
  return system_of(text);
}

void measure(Results& results, const std::string& way, bool is_loaded) {
  const Network network;
  TactusOptions options;
  options.core = results.arguments().core;
  options.bind = [&](Runtime& runtime) {
    runtime.bind("network", [&](cuda::Job& job) { network.enqueue(job.stream()); });
  };
  const std::int64_t jobs = results.arguments().quick ? 100 : 1000;
  const TactusRun run = run_tactus(system_for(way, is_loaded, results),
                                   period * (jobs + static_cast<std::int64_t>(skipped)), std::move(options));
  const std::vector<std::int64_t> responses = responses_of(run.jobs[0], skipped);
  nlohmann::ordered_json line{{"way", way},
                              {"load", is_loaded ? "blocks of 1 ms" : "none"},
                              {"kernels", "100 x cublasSgemm 512"},
                              {"response_us", summary_of(responses)},
                              {"misses", run.report.outcome.tasks[0].misses},
                              {"not_enforced", run.report.outcome.not_enforced}};
  if (const std::optional<Duration>& bound = run.report.bounds[0]; bound && results.arguments().overheads) {
    line["bound_us"] = microseconds_of(*bound);
    line["above_bound"] =
        std::ranges::count_if(responses, [&](std::int64_t response) { return response > in_ns(*bound); });
  }
  results.print(line);
  results.keep("network " + way + (is_loaded ? " loaded" : " alone"), responses);
}

void experiment(Results& results) {
  for (const std::string& way : ways) {
    if (!results.arguments().wants(way)) continue;
    for (const bool is_loaded : {false, true}) {
      results.attempt({{"way", way}, {"loaded", is_loaded}}, [&] { measure(results, way, is_loaded); });
    }
  }
}

}  // namespace
}  // namespace tactus::bench

int main(int argc, char** argv) {
  return tactus::bench::run_experiment("network", tactus::bench::ways, argc, argv, tactus::bench::experiment);
}
