// The `platform` of a system file.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <span>

#include "tactus/base/utf8.hpp"
#include "tactus/io/read_parts.hpp"
#include "tactus/model/limits.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::io {

namespace {

constexpr std::array<std::string_view, 4> platform_keys{"base", "cpus", "overheads", "gpu"};
constexpr std::array<std::string_view, 17> gpu_keys{"sms",
                                                    "threads_per_sm",
                                                    "blocks_per_sm",
                                                    "registers_per_sm",
                                                    "register_unit",
                                                    "register_files",
                                                    "warp",
                                                    "shared_memory_per_sm",
                                                    "shared_memory_unit",
                                                    "shared_memory_reserved",
                                                    "priority_levels",
                                                    "copy_engines",
                                                    "sm_choice",
                                                    "virtual_sms_per_sm",
                                                    "parts_per_sm",
                                                    "copy_bandwidth",
                                                    "copy_chunk"};
constexpr std::array<std::string_view, 1> cpus_keys{"clusters"};
constexpr std::array<std::string_view, 8> overheads_keys{"release", "launch", "completion", "copy",
                                                         "cpu",     "engine", "resident",   "doorbell"};
constexpr std::array<std::string_view, 2> resident_keys{"release", "completion"};
constexpr std::array<std::string_view, 2> doorbell_keys{"launch", "completion"};
constexpr std::array<std::string_view, 2> engine_keys{"event", "submit"};

std::optional<Platform> read_preset(const Value& value, std::string_view label, Reader& reader) {
  const std::optional<std::string> name = reader.name(value, label);
  if (!name) return std::nullopt;
  if (std::optional<Platform> preset = find_preset(*name)) return preset;
  reader.reject(ProblemId::unknown_word, value,
                fmt::format("{} {} is not a known preset", label, in_backticks(*name)), preset_hint(*name));
  return std::nullopt;
}

std::vector<std::int32_t> read_cpus(const Value& value, Reader& reader) {
  std::vector<std::int32_t> boundless = boundless_platform().clusters;
  if (value.kind == Value::Kind::scalar) {
    const std::optional<std::int32_t> cores = reader.small_integer(value, "cpus", limits::cpus);
    return cores ? std::vector{*cores} : boundless;
  }
  constexpr std::string_view example = "{clusters: [2, 4]}, or the number of cores";
  if (!reader.is_map(value, "cpus", example)) return boundless;
  Fields fields{reader, value, cpus_keys};
  const Value* clusters = fields.require("clusters", "cpus", "clusters: [2, 4]");
  if (clusters == nullptr || !reader.is_list(*clusters, "clusters", "[2, 4]")) return boundless;
  std::vector<std::int32_t> result;
  for (const Value& item : clusters->items) {
    result.push_back(reader.small_integer(item, "clusters", limits::cpus).value_or(boundless.front()));
  }
  return result;
}

/// Two durations of a map within `overheads`; a value that cannot be read is replaced by the largest.
struct PairOfTimes {
  std::string_view name;
  std::string_view example;
  std::span<const std::string_view> keys;
};

template <class Times>
Times read_pair(const Value& value, Times times, const PairOfTimes& pair,
                std::array<Duration Times::*, 2> members, Reader& reader) {
  if (!reader.is_map(value, pair.name, pair.example)) return {Duration::max(), Duration::max()};
  const Fields fields{reader, value, pair.keys};
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (fields.mentions(pair.keys[i])) times.*members.at(i) = Duration::max();
    fields.take(pair.keys[i], times.*members.at(i), &Reader::duration);
  }
  return times;
}

void read_overheads(const Value& value, Overheads& overheads, Reader& reader) {
  if (!reader.is_map(value, "overheads", "{launch: 5us}")) {
    overheads = boundless_platform().overheads;
    return;
  }
  const Fields fields{reader, value, overheads_keys};
  const auto read = [&](std::string_view key, Duration& field) {
    if (fields.mentions(key)) field = Duration::max();
    fields.take(key, field, &Reader::duration);
  };
  read("release", overheads.release);
  read("launch", overheads.launch);
  read("completion", overheads.completion);
  read("copy", overheads.copy);
  read("cpu", overheads.cpu);
  const auto read_times = [&](auto& field, auto before, const PairOfTimes& pair, const auto& members) {
    if (const Value* given = fields.find(pair.name)) {
      field = read_pair(*given, before, pair, members, reader);
    } else if (fields.mentions(pair.name)) {
      field = decltype(before){Duration::max(), Duration::max()};
    }
  };
  read_times(overheads.engine, overheads.engine, {"engine", "{event: 1us, submit: 5us}", engine_keys},
             std::array{&EngineTime::event, &EngineTime::submit});
  // What is left out is as for launched work: nothing would make bounds too small. Read after those times.
  const Duration start = saturating_add(time_at(overheads.release), overheads.launch).time_since_epoch();
  read_times(overheads.resident, overheads.resident.value_or(ResidentTime{start, overheads.completion}),
             {"resident", "{release: 1us, completion: 1us}", resident_keys},
             std::array{&ResidentTime::release, &ResidentTime::completion});
  const DoorbellTime launched{overheads.launch, overheads.completion};
  read_times(overheads.doorbell, overheads.doorbell.value_or(launched),
             {"doorbell", "{launch: 2us, completion: 3us}", doorbell_keys},
             std::array{&DoorbellTime::launch, &DoorbellTime::completion});
}

void read_gpu(const Value& value, Gpu& gpu, bool has_base, Reader& reader) {
  if (!reader.is_map(value, "gpu", "{sms: 2}")) {
    gpu = boundless_platform().gpu;
    return;
  }
  const Gpu boundless = boundless_platform().gpu;
  Fields fields{reader, value, gpu_keys};
  const auto read = [&](std::string_view key, auto Gpu::*field, const auto& how) {
    if (fields.mentions(key)) gpu.*field = boundless.*field;
    fields.take(key, gpu.*field, how);
  };
  if (!has_base && fields.require("sms", "the GPU of a platform without `base`", "sms: 2") == nullptr)
    gpu.sms = boundless.sms;
  read("sms", &Gpu::sms, limits::sms);
  read("threads_per_sm", &Gpu::threads_per_sm, limits::threads_per_sm);
  read("blocks_per_sm", &Gpu::blocks_per_sm, limits::blocks_per_sm);
  read("warp", &Gpu::warp, limits::warp);
  read("priority_levels", &Gpu::priority_levels, limits::priority_levels);
  read("copy_engines", &Gpu::copy_engines, limits::copy_engines);
  read("virtual_sms_per_sm", &Gpu::virtual_sms_per_sm, limits::virtual_sms_per_sm);
  read("parts_per_sm", &Gpu::parts_per_sm, limits::parts_per_sm);
  read("registers_per_sm", &Gpu::registers_per_sm, &Reader::integer);
  read("register_unit", &Gpu::register_unit, &Reader::integer);
  read("register_files", &Gpu::register_files, limits::register_files);
  read("shared_memory_per_sm", &Gpu::shared_memory_per_sm, &Reader::size);
  read("shared_memory_unit", &Gpu::shared_memory_unit, &Reader::size);
  read("shared_memory_reserved", &Gpu::shared_memory_reserved, &Reader::size);
  if (fields.mentions("warp")) {
    const Value* warp = fields.find("warp");
    if (warp == nullptr || reader.is_rejected(*warp)) {  // then nothing is known of what a warp is given
      gpu.register_unit = boundless.register_unit;
      gpu.register_files = boundless.register_files;
    }
  }
  read("copy_bandwidth", &Gpu::copy_bandwidth, &Reader::bandwidth);
  if (const Value* given = fields.find("copy_chunk")) gpu.copy_chunk = reader.size(*given, "copy_chunk");
  fields.take("sm_choice", gpu.sm_choice, words::sm_choices);
}

}  // namespace

Platform boundless_platform() {
  const auto most = [](Range range) { return static_cast<std::int32_t>(range.max); };
  Platform platform;
  platform.clusters = {most(limits::cpus)};
  platform.overheads = {Duration::max(), Duration::max(), Duration::max(), Duration::max(), Duration{}, {}};
  platform.gpu.sms = most(limits::sms);
  platform.gpu.threads_per_sm = most(limits::threads_per_sm);
  platform.gpu.blocks_per_sm = most(limits::blocks_per_sm);
  platform.gpu.shared_memory_per_sm = limits::shared_memory_per_sm.max;
  platform.gpu.registers_per_sm = limits::registers_per_sm.max;
  platform.gpu.warp = 1;
  platform.gpu.priority_levels = most(limits::priority_levels);
  platform.gpu.virtual_sms_per_sm = 1;
  platform.gpu.copy_bandwidth = std::numeric_limits<std::int64_t>::max();
  return platform;
}

Platform read_platform(const Value& value, Reader& reader) {
  if (value.kind == Value::Kind::scalar) {
    return read_preset(value, "platform", reader).value_or(boundless_platform());
  }
  if (!reader.is_map(value, "platform", "{gpu: {sms: 2}}, or a preset such as jetson-tx2")) {
    return boundless_platform();
  }
  Fields fields{reader, value, platform_keys};
  const bool has_base = fields.mentions("base");
  Platform platform;
  if (has_base) {
    const Value* base = fields.find("base");
    const std::optional<Platform> preset =
        base == nullptr ? std::nullopt : read_preset(*base, "base", reader);
    platform = preset.value_or(boundless_platform());
  }
  if (fields.mentions("cpus")) {
    const Value* cpus = fields.find("cpus");
    platform.clusters = cpus == nullptr ? boundless_platform().clusters : read_cpus(*cpus, reader);
  }
  if (const Value* overheads = fields.find("overheads")) {
    read_overheads(*overheads, platform.overheads, reader);
  } else if (fields.mentions("overheads")) {
    platform.overheads = boundless_platform().overheads;
  }
  const Value* gpu =
      has_base ? fields.find("gpu") : fields.require("gpu", "a platform without `base`", "gpu: {sms: 2}");
  if (gpu != nullptr) {
    read_gpu(*gpu, platform.gpu, has_base, reader);
  } else if (!has_base) {
    platform.gpu = boundless_platform().gpu;
  }
  return platform;
}

}  // namespace tactus::io
