// Measures the building blocks of the CUDA device: tactus_cuda_probe [SECTION...]. One line of JSON per
// result.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "probe.hpp"
#include "tactus/device/cuda/query.hpp"

namespace tactus::probe {

void print_samples(const std::string& section, const std::string& what, std::vector<double> samples,
                   const char* unit) {
  std::sort(samples.begin(), samples.end());
  const auto rank = [&](double share) {
    if (samples.empty()) return 0.0;
    const auto position = static_cast<std::size_t>(std::ceil(share * static_cast<double>(samples.size())));
    return samples[std::max<std::size_t>(position, 1) - 1];
  };
  std::printf(R"({"section": "%s", "what": "%s", "unit": "%s", "min": %.3f, "median": %.3f, "p99": %.3f, )"
              R"("p99.9": %.3f, "max": %.3f, "count": %zu})"
              "\n",
              section.c_str(), what.c_str(), unit, rank(0), rank(0.5), rank(0.99), rank(0.999), rank(1),
              samples.size());
  std::fflush(stdout);
}

void print_value(const std::string& section, const std::string& what, double value, const char* unit) {
  std::printf(R"({"section": "%s", "what": "%s", "unit": "%s", "value": %.4f})"
              "\n",
              section.c_str(), what.c_str(), unit, value);
  std::fflush(stdout);
}

void print_text(const std::string& section, const std::string& what, const std::string& text) {
  std::printf(R"({"section": "%s", "what": "%s", "text": "%s"})"
              "\n",
              section.c_str(), what.c_str(), text.c_str());
  std::fflush(stdout);
}

namespace {

struct Section {
  const char* name;
  void (*run)();
};

constexpr Section sections[] = {
    {"launch", measure_launches}, {"partition", measure_partitions},    {"exact", check_exactly_once},
    {"stop", measure_stops},      {"throughput", measure_throughput},   {"pinning", measure_pinning},
    {"copy", measure_copies},     {"builtin", measure_builtin_kernels},
};

int run(int count, char** names) {
  if (cuda::query_platforms().empty()) {
    std::fprintf(stderr, "there is no CUDA device on this machine\n");
    return 3;
  }
  for (int i = 0; i < count; ++i) {
    const bool known = std::any_of(std::begin(sections), std::end(sections), [&](const Section& section) {
      return std::strcmp(section.name, names[i]) == 0;
    });
    if (!known) {
      std::fprintf(stderr, "unknown section '%s'\n", names[i]);
      return 2;
    }
  }
  bool failed = false;
  for (const Section& section : sections) {
    const bool wanted = count == 0 || std::any_of(names, names + count, [&](const char* name) {
                          return std::strcmp(section.name, name) == 0;
                        });
    if (!wanted) continue;
    const double begin = now_us();
    try {
      section.run();
    } catch (const std::exception& error) {  // the others may still work
      print_text(section.name, "FAILED", error.what());
      failed = true;
    }
    print_value(section.name, "time of this section", (now_us() - begin) / 1e6, "s");
  }
  return failed ? 3 : 0;
}

}  // namespace
}  // namespace tactus::probe

int main(int argc, char** argv) {
  try {
    return tactus::probe::run(argc - 1, argv + 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
