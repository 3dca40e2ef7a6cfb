// How to test your own schedulability test with the adversary.
//
// The test below accepts a set when the densities C/D add up to at most 1. That is right for preemptive EDF
// on one processor. Is it right for GPU jobs that cannot be preempted?
#include <cstdio>
#include <optional>
#include <string>
#include <tactus/check.hpp>
#include <tactus/falsify.hpp>
#include <tactus/system.hpp>

namespace {

using namespace tactus;

/// C of a task that is one piece of exclusive work; nothing for other tasks.
std::optional<Duration> cost(const Task& task) {
  const auto* exclusive = std::get_if<ExclusiveSegment>(&task.work.nodes.front().segment);
  if (task.work.nodes.size() != 1 || exclusive == nullptr) return std::nullopt;
  return exclusive->time.worst;
}

analysis::Result density(const System& system) {
  Rational sum{0};
  analysis::Result result;
  for (const Task& task : system.tasks) {
    const std::optional<Duration> time = cost(task);
    if (!time || !task.deadline) return analysis::does_not_apply("needs exclusive work with deadlines");
    sum = sum + Rational{in_ns(*time), in_ns(*task.deadline)};
    result.tasks.push_back({task.name, task.deadline, std::nullopt, false});
  }
  const bool holds = sum <= Rational{1};
  result.verdict = holds ? analysis::Verdict::schedulable : analysis::Verdict::unproven;
  for (analysis::TaskResult& task : result.tasks) {
    task.ok = holds;
    if (holds) task.bound = task.deadline;
  }
  return result;
}

}  // namespace

int main() {
  const analysis::Analysis mine{.id = "density",
                                .title = "densities add up to at most 1",
                                .source = "folklore",
                                .needs = "exclusive work with deadlines",
                                .kind = analysis::Kind::sufficient,
                                .sound = true,
                                .run = density};
  // Systems of one stream under EDF, without delays, kernels or best-effort work.
  const falsify::Family family{.strategy = "single-stream",
                               .order = Order::edf,
                               .overheads = false,
                               .kernels = false,
                               .best_effort = false};
  const falsify::Summary summary = falsify::falsify(mine, family, {.systems = 1000, .seed = 1});
  if (!summary.broken) {
    std::puts("not broken");
    return 0;
  }
  std::fputs(falsify::replay_file(mine, *summary.broken).c_str(), stdout);
  return 1;
}
