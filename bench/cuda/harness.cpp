#include "harness.hpp"

#include <cuda_runtime_api.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tactus/base/error.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/query.hpp"

namespace tactus::bench {

namespace {

constexpr int bad_usage = 2;
constexpr int failure = 3;

std::string file_name(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file{path, std::ios::binary};
  file << text;
  if (!file.flush()) throw std::runtime_error{"cannot write " + path.string()};
}

/// Nothing when the command line is wrong.
std::optional<Arguments> read_arguments(std::span<const std::string> known, std::span<char*> words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word{words[i]};
    if (word == "--quick") {
      arguments.quick = true;
    } else if (word == "--samples" && i + 1 < words.size()) {
      arguments.samples = words[++i];
    } else if (word == "--core" && i + 1 < words.size()) {
      arguments.core = std::stoi(words[++i]);
    } else if (word == "--overheads" && i + 1 < words.size()) {
      arguments.overheads = words[++i];
    } else if (std::find(known.begin(), known.end(), word) != known.end()) {
      arguments.parts.push_back(word);
    } else {
      return std::nullopt;
    }
  }
  return arguments;
}

void print_usage(const std::string& name, std::span<const std::string> known) {
  std::string parts;
  for (const std::string& part : known) parts += " " + part;
  std::fprintf(stderr,
               "usage: %s [--quick] [--samples FOLDER] [--core N] [--overheads TEXT] [PART...]\nparts:%s\n",
               name.c_str(), parts.c_str());
}

}  // namespace

std::int64_t now_ns() {
  using namespace std::chrono;
  return duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::string text(sizeof "2026-01-01T00:00:00Z", '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts));
  return text;
}

nlohmann::ordered_json summary_of(std::vector<std::int64_t> samples_ns) {
  std::sort(samples_ns.begin(), samples_ns.end());
  const auto rank = [&](double share) -> nlohmann::ordered_json {
    if (samples_ns.empty()) return nullptr;
    const auto place = static_cast<std::size_t>(std::ceil(share * static_cast<double>(samples_ns.size())));
    return microseconds_of(samples_ns[std::max<std::size_t>(place, 1) - 1]);
  };
  return {{"count", samples_ns.size()}, {"min", rank(0)},       {"median", rank(0.5)},
          {"p99", rank(0.99)},          {"p99.9", rank(0.999)}, {"max", rank(1)}};
}

int sm_count() {
  int sms = 0;
  cuda::check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "cannot read the SMs");
  return sms;
}

OnCore::OnCore(std::optional<int> core) {
  if (!core) return;
  if (const Refusal refusal = stay_on_core(*core)) throw FailureError{*refusal};
}

OnCore::~OnCore() { leave_core(); }

void leave_core() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &all);
  static_cast<void>(sched_setaffinity(0, sizeof all, &all));
}

bool Arguments::wants(const std::string& part) const {
  return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
}

void Results::print(const nlohmann::ordered_json& result) const {
  nlohmann::ordered_json line{{"experiment", experiment_}, {"at", utc_now()}};
  line.update(result);
  if (arguments_.core) line["core"] = *arguments_.core;
  if (arguments_.quick) line["quick"] = true;
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

void Results::keep(const std::string& name, std::span<const std::int64_t> samples_ns) const {
  std::string text;
  for (const std::int64_t sample : samples_ns) text += std::to_string(sample) + "\n";
  keep_text(name, "txt", text);
}

void Results::keep_text(const std::string& name, const std::string& extension,
                        const std::string& text) const {
  if (!arguments_.samples) return;
  std::filesystem::create_directories(*arguments_.samples);
  write_file(*arguments_.samples / (file_name(experiment_ + " " + name) + "." + extension), text);
}

void Results::attempt(const nlohmann::ordered_json& labels, const std::function<void()>& part) {
  try {
    part();
  } catch (const std::exception& error) {
    failed_ = true;
    nlohmann::ordered_json line = labels;
    line["failed"] = error.what();
    print(line);
  }
}

int run_experiment(const std::string& name, std::span<const std::string> known_parts, int argc, char** argv,
                   const std::function<void(Results&)>& experiment) {
  const std::span<char*> words{argv, static_cast<std::size_t>(argc)};
  std::optional<Arguments> arguments = read_arguments(known_parts, words.subspan(1));
  if (!arguments) {
    print_usage(name, known_parts);
    return bad_usage;
  }
  try {
    if (cuda::query_platforms().empty()) throw std::runtime_error{"there is no CUDA device on this machine"};
    Results results{name, std::move(*arguments)};
    experiment(results);
    return results.status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    return failure;
  }
}

}  // namespace tactus::bench
