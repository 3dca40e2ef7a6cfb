// The rules of the platform: GPU, CPUs, overheads.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/model/rules.hpp"
#include "tactus/model/strategy_text.hpp"

namespace tactus {

namespace {

class PlatformRules : Rules {
 public:
  using Rules::Rules;

  void check() {
    check_gpu();
    check_cpus();
    check_overheads();
  }

 private:
  void check_gpu() {
    const std::string path = "platform.gpu";
    check_range(path + ".sms", "sms", gpu_.sms, limits::sms);
    check_range(path + ".threads_per_sm", "threads_per_sm", gpu_.threads_per_sm, limits::threads_per_sm);
    check_range(path + ".blocks_per_sm", "blocks_per_sm", gpu_.blocks_per_sm, limits::blocks_per_sm);
    check_range(path + ".registers_per_sm", "registers_per_sm", gpu_.registers_per_sm,
                limits::registers_per_sm);
    check_range(path + ".warp", "warp", gpu_.warp, limits::warp);
    if (limits::warp.contains(gpu_.warp) && limits::threads_per_sm.contains(gpu_.threads_per_sm) &&
        gpu_.threads_per_sm < gpu_.warp) {
      add(ProblemId::out_of_range, path + ".threads_per_sm",
          fmt::format("an SM of {} threads cannot hold one warp of {}", gpu_.threads_per_sm, gpu_.warp),
          fmt::format("threads_per_sm must be at least {}, or the warp smaller", gpu_.warp));
    }
    check_range(path + ".register_unit", "register_unit", gpu_.register_unit, limits::register_unit);
    check_range(path + ".register_files", "register_files", gpu_.register_files, limits::register_files);
    check_size(path, "shared_memory_per_sm", gpu_.shared_memory_per_sm, limits::shared_memory_per_sm);
    check_size(path, "shared_memory_unit", gpu_.shared_memory_unit, limits::shared_memory_unit);
    check_size(path, "shared_memory_reserved", gpu_.shared_memory_reserved, limits::shared_memory_reserved);
    check_range(path + ".priority_levels", "priority_levels", gpu_.priority_levels, limits::priority_levels);
    check_range(path + ".copy_engines", "copy_engines", gpu_.copy_engines, limits::copy_engines);
    check_range(path + ".virtual_sms_per_sm", "virtual_sms_per_sm", gpu_.virtual_sms_per_sm,
                limits::virtual_sms_per_sm);
    check_parts(path + ".parts_per_sm");
    if (gpu_.copy_bandwidth && *gpu_.copy_bandwidth < 1) {
      add(ProblemId::out_of_range, path + ".copy_bandwidth",
          fmt::format("copy_bandwidth is {}/s", size_text(*gpu_.copy_bandwidth)),
          "it must be at least 1B/s; leave it out if no copy is given in bytes");
    }
    if (!gpu_.copy_chunk) return;
    if (*gpu_.copy_chunk < 1) {
      add(ProblemId::out_of_range, path + ".copy_chunk", "copy_chunk is " + size_text(*gpu_.copy_chunk),
          "it must be at least 1B; leave it out if copies are not to be cut");
    } else if (!gpu_.copy_bandwidth) {
      add(ProblemId::missing_bandwidth, path + ".copy_chunk",
          "copy_chunk is given, but the platform has no copy_bandwidth",
          "only copies given in bytes are cut; add copy_bandwidth, for instance 12GB/s");
    }
  }

  void check_size(const std::string& path, std::string_view key, std::int64_t size, const Range& range) {
    if (range.contains(size)) return;
    add(ProblemId::out_of_range, fmt::format("{}.{}", path, key),
        fmt::format("{} is {}", key, size_text(size)),
        fmt::format("allowed: {} to {}", range.min == 0 ? "0" : size_text(range.min), size_text(range.max)));
  }

  /// Parts of SMs are for tasks that own them, and make up whole SMs.
  void check_parts(const std::string& path) {
    check_range(path, "parts_per_sm", gpu_.parts_per_sm, limits::parts_per_sm);
    const StrategyFacts& strategy = *system_.policy.strategy;
    const bool is_valid = limits::parts_per_sm.contains(gpu_.parts_per_sm);
    if (!is_valid || gpu_.parts_per_sm == 1) return;
    if (has_own_sms(strategy)) {
      check_whole_sms(path);
      return;
    }
    add(ProblemId::conflicting_keys, path,
        fmt::format("parts_per_sm is {}, but tasks own no SMs under the strategy {}", gpu_.parts_per_sm,
                    in_backticks(strategy.name)),
        "leave it out, or use " + strategies_text(has_own_sms));
  }

  void check_whole_sms(const std::string& path) {
    if (!limits::sms.contains(gpu_.sms) || gpu_.sms % gpu_.parts_per_sm == 0) return;
    const std::int64_t below = gpu_.sms / gpu_.parts_per_sm * gpu_.parts_per_sm;
    const std::int64_t above = below + gpu_.parts_per_sm;
    const std::string whole = below == 0                    ? std::to_string(above)
                              : limits::sms.contains(above) ? fmt::format("{} or {}", below, above)
                                                            : std::to_string(below);
    add(ProblemId::conflicting_keys, path,
        fmt::format("sms is {}, which is no multiple of parts_per_sm, {}", gpu_.sms, gpu_.parts_per_sm),
        "`sms` counts the parts: write " + whole);
  }

  void check_cpus() {
    const std::vector<std::int32_t>& clusters = system_.platform.clusters;
    const std::string path = "platform.cpus";
    if (clusters.empty()) {
      add(ProblemId::missing_key, path + ".clusters", "the platform has no CPU cluster",
          "list the cores of each cluster, for instance clusters: [2, 4]");
    }
    bool each_is_valid = true;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      if (limits::cpus.contains(clusters[i])) continue;
      each_is_valid = false;
      add(ProblemId::out_of_range, item_path(path + ".clusters", i),
          fmt::format("a cluster of {} CPU cores", clusters[i]), allowed(limits::cpus));
    }
    if (each_is_valid && system_.platform.cpus() > limits::cpus.max) {
      add(ProblemId::out_of_range, path + ".clusters",
          fmt::format("the clusters have {} CPU cores together", system_.platform.cpus()),
          fmt::format("at most {} are allowed", limits::cpus.max));
    }
  }

  void check_overheads() {
    const Overheads& overheads = system_.platform.overheads;
    const std::string path = "platform.overheads";
    check_not_negative(path + ".release", "the release overhead", overheads.release);
    check_not_negative(path + ".launch", "the launch overhead", overheads.launch);
    check_not_negative(path + ".completion", "the completion overhead", overheads.completion);
    check_not_negative(path + ".copy", "the copy overhead", overheads.copy);
    check_not_negative(path + ".cpu", "the CPU overhead", overheads.cpu);
    check_not_negative(path + ".engine.event", "the time of an event", overheads.engine.event);
    check_not_negative(path + ".engine.submit", "the time of a submission", overheads.engine.submit);
    if (overheads.resident) {
      check_not_negative(path + ".resident.release", "the release overhead", overheads.resident->release);
      check_not_negative(path + ".resident.completion", "the completion overhead",
                         overheads.resident->completion);
    }
    if (overheads.doorbell) {
      check_not_negative(path + ".doorbell.launch", "the launch overhead", overheads.doorbell->launch);
      check_not_negative(path + ".doorbell.completion", "the completion overhead",
                         overheads.doorbell->completion);
    }
  }
};

}  // namespace

void check_platform(const System& system, std::vector<Violation>& violations) {
  PlatformRules{system, violations}.check();
}

}  // namespace tactus
