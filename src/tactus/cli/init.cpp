// tactus init: writes a first system file, with comments, that every verb accepts.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "tactus/base/error.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view examples = R"(
The file is complete: check, sim, plan and run take it as it is, on this machine's threads and on a GPU. It is
never written over one that is there.

Examples:
  tactus init                                     system.yaml, for a start
  tactus init robot.yaml --platform h200          another machine (`tactus platforms` lists them)
  tactus init chains.yaml --strategy federated    chains over CPU, copies and GPU
  tactus init -                                   to standard output

Exit status: 0 done, 2 the file is there already or a name is wrong, 3 it cannot be written.)";

struct InitOptions {
  std::string file = "system.yaml";
  std::string platform = "jetson-tx2";
  std::string strategy = "multi-stream";
};

constexpr std::string_view head =
    R"(# A first system. docs/format.md explains every key.
#   tactus check {file}               says whether every deadline holds
#   tactus sim {file} --picture       shows what happens
#   tactus run {file} --device host   does it on threads of this machine
tactus: 1
name: {name}

# The machine: a preset (`tactus platforms` lists them), and what a run adds to
# the work on it. These overheads are generous guesses: `tactus measure
# overheads --device host` (or cuda) finds those of your machine.
platform:
  base: {platform}
  overheads: {{release: 1ms, launch: 1ms, completion: 1ms, copy: 1ms, cpu: 1ms}}
)";

constexpr std::string_view streams_policy = R"(
# Who shares the GPU how. single-stream: one job at a time. multi-stream: a more
# urgent job takes over at the next block boundary. fp: by priority (without
# `priority`, the shorter deadline is the more urgent one); edf: by deadline.
policy: {{strategy: {strategy}, order: fp}}
)";

constexpr std::string_view kernel_tasks = R"(
tasks:
  - name: control
    period: 50ms                 # or `rate: 20Hz`
    deadline: 25ms               # without it: the period
    # A launch of 2 blocks of 256 threads; a block takes 1 ms on an SM.
    kernel: {grid: 2, block: 256, block_time: 1ms}
  - name: detector
    period: 100ms
    kernel: {grid: 8, block: 512, block_time: [1ms, 2ms]}  # best, worst case
  - name: mapper
    arrival: best-effort         # again and again, when nothing else is to do
    kernel: {grid: 4, block: 256, block_time: 500us}
)";

constexpr std::string_view windows_policy = R"(
# SMs are cores. Every 25 ms there is a window in which tasks run on a core each
# (local), and one in which a gang task has all of them. Leave `reservations`
# out and `tactus plan` finds them.
policy:
  strategy: sm-cores
  order: edf
  reservations:
    period: 25ms
    local: {offset: 0ms, budget: 15ms}
    all: {offset: 15ms, budget: 10ms}
)";

constexpr std::string_view core_tasks = R"(
tasks:
  - name: control
    period: 50ms                 # or `rate: 20Hz`; the deadline, too
    sm: 0                        # its core; `any`: `tactus plan` chooses
    # A launch of one block of 256 threads that takes 1 ms.
    kernel: {grid: 1, block: 256, block_time: 1ms}
  - name: detector
    period: 100ms
    sm: all                      # a gang task
    kernel: {grid: 4, block: 512, block_time: [1ms, 2ms]}  # best, worst case
  - name: mapper
    arrival: best-effort         # again and again, when nothing else is to do
    sm: 1
    kernel: {grid: 4, block: 256, block_time: 500us}
)";

constexpr std::string_view chains = R"(
# Every task with GPU work owns SMs, counted in virtual SMs (two an SM here).
# CPU cores and the copy engine serve by priority. Leave `virtual_sms` out and
# `tactus plan` finds how many each task needs.
policy: {strategy: federated, virtual_sms: {detector: 2}}

tasks:
  - name: control
    period: 50ms                 # or `rate: 20Hz`
    deadline: 25ms               # without it: the period
    segments: [{cpu: [500us, 1ms]}]    # best and worst case
  - name: detector
    period: 100ms
    segments:                    # one after the other
      - {cpu: 1ms}
      - {copy: 1ms}
      # work: its time on one virtual SM
      - {gpu: {work: [8ms, 12ms], overhead: 100us}}
      - {copy: 500us}
      - {cpu: 1ms}
)";

/// Whether it can be written to the file without quotes.
bool is_plain(std::string_view name) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./ ";
  return !name.empty() && name.find_first_not_of(plain) == std::string_view::npos && name.front() != '-' &&
         name.front() != ' ' && name.back() != ' ';
}

std::string text_of(const InitOptions& options) {
  const std::string stem = fs::path{options.file}.stem().string();
  std::string text =
      fmt::format(fmt::runtime(head), fmt::arg("file", is_plain(options.file) ? options.file : "FILE"),
                  fmt::arg("name", is_plain(stem) ? stem : "system"), fmt::arg("platform", options.platform));
  if (options.strategy == "federated") return text + std::string{chains};
  if (options.strategy == "sm-cores") return text + std::string{windows_policy} + std::string{core_tasks};
  return text + fmt::format(fmt::runtime(streams_policy), fmt::arg("strategy", options.strategy)) +
         std::string{kernel_tasks};
}

void require_platform(const std::string& name) {
  if (!find_preset(name)) {
    throw InputError{fmt::format("--platform: there is no platform '{}'", name), preset_hint(name)};
  }
}

/// Creates the file only if it does not exist, atomically, so that no other file is overwritten.
void write_new(const std::string& path, const std::string& text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "wx"), std::fclose};
  if (!file && errno == EEXIST) {
    throw InputError{fmt::format("{}: is there already", path), "give another name, or remove it first"};
  }
  const auto complain = [&] {
    throw FailureError{
        fmt::format("{}: cannot be written: {}", path, std::generic_category().message(errno))};
  };
  if (!file) complain();
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0) {
    std::error_code ignored;
    fs::remove(path, ignored);
    complain();
  }
}

int run(const InitOptions& options) {
  require_platform(options.platform);
  const std::string text = text_of(options);
  if (options.file == "-") {
    print(text);
    return answer_yes;
  }
  write_new(options.file, text);
  say(fmt::format(
      "system file: {}\nNext:\n  tactus check {}\n  tactus sim {} --picture\n  tactus run {} --device host",
      options.file, options.file, options.file, options.file));
  return answer_yes;
}

}  // namespace

void add_init(Verb app) {
  const Verb verb = app.add_verb("init", "A first system file to begin with, with comments");
  const auto options = std::make_shared<InitOptions>();
  verb.add_option("FILE", options->file, "Where it goes (default system.yaml); - for standard output");
  verb.add_option("--platform", options->platform, "The machine (default jetson-tx2)").type_name("PLATFORM");
  verb.add_option(
          "--strategy", options->strategy,
          "How the GPU is shared: single-stream, multi-stream, sm-cores or federated (default multi-stream)")
      .one_of({"single-stream", "multi-stream", "sm-cores", "federated"});
  verb.footer(examples);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
