// Findings about GPUs.
#include <fmt/format.h>

#include <algorithm>

#include "tactus/machine/doctor.hpp"
#include "tactus/model/strategy_text.hpp"

namespace tactus::machine {

namespace {

/// The severity of a missing GPU depends on whether one is required.
Severity missing(Target target) { return target == Target::cuda ? Severity::fail : Severity::warn; }

std::vector<std::string> names_of(const GpuFacts& facts) {
  std::vector<std::string> names;
  if (facts.cuda && !facts.cuda->devices.empty()) {
    for (const GpuDevice& device : facts.cuda->devices) {
      names.push_back(fmt::format("{} ({} SMs)", device.name, device.sms));
    }
  } else if (facts.boards) {
    for (const GpuBoard& board : *facts.boards) names.push_back(board.name);
  }
  return names;
}

Finding check_gpu(const GpuFacts& facts, Target target) {
  const std::vector<std::string> names = names_of(facts);
  Finding finding{"gpu", "GPU", Severity::pass, fmt::format("{}", fmt::join(names, ", "))};
  const bool has_devices = facts.cuda && !facts.cuda->devices.empty();
  if (has_devices) return finding;
  finding.severity = missing(target);
  finding.meaning = "Tasks can run on the host device only.";
  if (facts.cuda && facts.cuda->failure) {
    finding.found = *facts.cuda->failure;
    finding.to_do = "Look what `nvidia-smi` says; a driver that was updated needs a restart of the machine.";
  } else if (names.empty()) {
    finding.found = "none";
    finding.to_do =
        "If the machine has one, install NVIDIA's driver (`nvidia-smi` must list it); a container needs it "
        "passed in (`--gpus all`).";
  } else if (!facts.cuda) {
    finding.found += ", but this tactus was built without CUDA";
    finding.to_do = "Build with CUDA: `cmake --preset cuda && cmake --build --preset cuda`.";
  } else {
    finding.found += ", but CUDA shows no device";
    finding.to_do = "See whether CUDA_VISIBLE_DEVICES hides it, and whether the driver fits this CUDA.";
  }
  return finding;
}

Finding check_driver(const GpuFacts& facts) {
  Finding finding{"gpu-driver", "driver", Severity::pass, ""};
  if (facts.boards && !facts.boards->empty()) finding.found = facts.boards->front().driver;
  if (facts.cuda && facts.cuda->version) {
    finding.found +=
        fmt::format("{}CUDA {}", finding.found.empty() ? "" : ", ", cuda_version_text(*facts.cuda->version));
    if (*facts.cuda->version < first_cuda_with_partitions) {
      finding.severity = Severity::warn;
      finding.meaning = fmt::format("SM partitions (green contexts) need a driver for CUDA {} or newer.",
                                    cuda_version_text(first_cuda_with_partitions));
      finding.to_do = "Install a newer driver.";
    }
  }
  return finding;
}

Finding check_persistence(const std::vector<GpuBoard>& boards) {
  Finding finding{"gpu-persistence", "persistence", Severity::pass, "on"};
  const auto is = [&](std::optional<bool> value) {
    return std::any_of(boards.begin(), boards.end(),
                       [&](const GpuBoard& board) { return board.persistence == value; });
  };
  if (is(false)) {
    finding.severity = Severity::warn;
    finding.found = "off";
    finding.meaning = "The driver lets go of an idle GPU: the first use after that takes a second or more.";
    finding.to_do = "`sudo nvidia-smi -pm 1`";
  } else if (is(std::nullopt)) {
    finding.severity = Severity::info;
    finding.found = "not shown here";
  }
  return finding;
}

Finding check_clocks(const std::vector<GpuBoard>& boards) {
  Finding finding{"gpu-clocks", "GPU clocks", Severity::pass, ""};
  for (const GpuBoard& board : boards) {
    if (!board.sm_clock_mhz || !board.max_sm_clock_mhz) continue;
    finding.found += fmt::format("{}{} of {} MHz", finding.found.empty() ? "" : ", ", *board.sm_clock_mhz,
                                 *board.max_sm_clock_mhz);
    if (*board.sm_clock_mhz < *board.max_sm_clock_mhz) {
      finding.severity = Severity::warn;
      finding.meaning =
          "Unless it is locked there, the clock moves with load and heat: a kernel can take longer than "
          "measured.";
      finding.to_do = fmt::format(
          "Lock it to a value the GPU can hold under load: `sudo nvidia-smi --lock-gpu-clocks={0},{0}` or "
          "less; undo with `--reset-gpu-clocks`.",
          *board.max_sm_clock_mhz);
    }
  }
  if (finding.found.empty()) {
    finding.severity = Severity::info;
    finding.found = "not shown here";
  }
  return finding;
}

Finding check_users(const GpuFacts& facts) {
  Finding finding{"gpu-users", "others on the GPU", Severity::pass, "none now"};
  if (!facts.processes) {
    finding.severity = Severity::info;
    finding.found = "not known";
  } else if (*facts.processes > 0) {
    finding.severity = Severity::warn;
    finding.found = fmt::format(
        "{} computing", *facts.processes == 1 ? "1 process" : fmt::format("{} processes", *facts.processes));
    finding.meaning =
        "Processes take turns on the GPU in time slices of milliseconds, which no bound counts.";
    finding.to_do = "End them, or give Tactus a GPU of its own (`nvidia-smi -c EXCLUSIVE_PROCESS` as root).";
  }
  return finding;
}

Finding check_mps(const GpuFacts& facts) {
  Finding finding{"mps", "MPS", Severity::pass, "not running"};
  if (!facts.mps) return finding;
  finding.severity = Severity::warn;
  finding.found = "its control pipe is there";
  finding.meaning =
      "Kernels of other processes can run beside those of Tactus, on the same SMs. No bound counts them.";
  finding.to_do = "Let no other process use the GPU, or stop it: `echo quit | nvidia-cuda-mps-control`.";
  return finding;
}

Finding check_split(const std::vector<GpuBoard>& boards) {
  Finding finding{"gpu-instances", "GPU instances", Severity::pass, "not split (MIG is off)"};
  if (std::any_of(boards.begin(), boards.end(), [](const GpuBoard& board) { return board.split == true; })) {
    finding.severity = Severity::info;
    finding.found = "split (MIG is on)";
    finding.meaning = "An instance has fewer SMs than the whole GPU: the system file must name those.";
  }
  return finding;
}

Finding check_priorities(const GpuDevice& device) {
  Finding finding{"stream-priorities", "stream priorities", Severity::pass,
                  fmt::format("{} levels", device.priority_levels)};
  if (device.priority_levels > 1) return finding;
  finding.severity = Severity::warn;
  finding.found = "1 level";
  finding.meaning = "An urgent kernel cannot overtake one that waits: " +
                    strategies_text([](const StrategyFacts& strategy) { return strategy.has_levels; }) +
                    " cannot run here.";
  const std::string others = strategies_text(
      [](const StrategyFacts& strategy) { return strategy.has_order && !strategy.has_levels; });
  finding.to_do = "Use " + others + ".";
  return finding;
}

Finding check_partitions(const GpuDevice& device) {
  Finding finding{"sm-partitions", "SM partitions", Severity::pass, ""};
  if (!device.partition_granularity) {
    finding.severity = Severity::info;
    finding.found = "not asked";
  } else if (*device.partition_granularity <= 0) {
    finding.severity = Severity::warn;
    finding.found = "not possible";
    finding.meaning = "Tasks cannot own SMs: a long kernel of one delays all others.";
    finding.to_do = "A newer GPU or driver; kernels written for it can still be pinned to SMs by their id.";
  } else {
    finding.found = fmt::format("in groups of {} SMs", *device.partition_granularity);
  }
  return finding;
}

}  // namespace

std::vector<Finding> check_gpus(const GpuFacts& facts, Target target) {
  std::vector<Finding> findings;
  if (target == Target::host) return findings;
  findings.push_back(check_gpu(facts, target));
  const bool has_boards = facts.boards && !facts.boards->empty();
  const bool has_devices = facts.cuda && !facts.cuda->devices.empty();
  if (!has_boards && !has_devices) return findings;
  findings.push_back(check_driver(facts));
  if (has_boards) {
    findings.push_back(check_clocks(*facts.boards));
    findings.push_back(check_persistence(*facts.boards));
    findings.push_back(check_split(*facts.boards));
  }
  if (has_devices) {
    findings.push_back(check_priorities(facts.cuda->devices.front()));
    findings.push_back(check_partitions(facts.cuda->devices.front()));
  }
  findings.push_back(check_users(facts));
  findings.push_back(check_mps(facts));
  return findings;
}

}  // namespace tactus::machine
