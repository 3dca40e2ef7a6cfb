#include "tactus/analysis/federated_response.hpp"

#include <map>
#include <utility>

#include "tactus/analysis/effort.hpp"

namespace tactus::analysis {

namespace {

/// Stages on the CPU and the copy engine are the same on any number of SMs.
const Stages& any_stages(const FederatedTask& task) { return task.stages.back(); }

}  // namespace

MoreUrgent MoreUrgent::of(const FederatedTask& task, ChainWorkload cpu, ChainWorkload copies) {
  MoreUrgent result;
  result.core = task.core;
  result.cpu = std::move(cpu);
  result.copies = std::move(copies);
  return result;
}

MoreUrgent MoreUrgent::with_carry_in(const FederatedTask& task, const Stages& stages, Duration carry_in) {
  return of(task, {stages, ServerKind::cpu, task.period, carry_in},
            {stages, ServerKind::copy, task.period, carry_in});
}

MoreUrgent::MoreUrgent(FederatedTest test, const FederatedTask& task, const Stages& stages,
                       Duration response) {
  if (test == FederatedTest::rtgpu_paper) {
    *this = with_carry_in(task, stages, task.deadline);
  } else if (task.among_such) {
    const OwnWork own{stages};
    *this = with_carry_in(task, {{ServerKind::cpu, {own.cpu, own.cpu}}}, own.cpu + task.jitter);
  } else {
    *this = with_carry_in(task, stages, response + task.jitter);
  }
}

OwnWork::OwnWork(const Stages& stages) {
  for (const Stage& stage : stages) {
    if (!stage.is_issued()) continue;
    switch (stage.server) {
      case ServerKind::cpu:
        cpu = checked_add(cpu, stage.time.worst);
        cpu_stages.push_back(stage.time.worst);
        break;
      case ServerKind::copy:
        copies = checked_add(copies, stage.time.worst);
        ++requests;
        break;
      case ServerKind::gpu:
        gpu = checked_add(gpu, stage.time.worst);
        break;
    }
  }
}

FederatedResponse::FederatedResponse(FederatedTest test, const FederatedTask& task,
                                     std::span<const MoreUrgent* const> more_urgent, Duration blocking)
    : test_{test},
      own_{any_stages(task)},
      limit_{task.deadline - task.jitter},
      blocking_{blocking},
      blocked_copies_{checked_add(own_.copies, checked_mul(blocking, own_.requests))} {
  for (const MoreUrgent* other : more_urgent) {
    if (other->core == task.core && !other->cpu.is_empty()) cpu_chains_.push_back(&other->cpu);
    if (!other->copies.is_empty()) copy_chains_.push_back(&other->copies);
  }
  all_chains_.insert(all_chains_.end(), cpu_chains_.begin(), cpu_chains_.end());
  all_chains_.insert(all_chains_.end(), copy_chains_.begin(), copy_chains_.end());
  find_copy_responses(test, any_stages(task));
  find_cpu_responses();
}

std::optional<Duration> FederatedResponse::found(const FixedPoint& point, bool& gave_up) const {
  if (point.found()) return Duration{point.length};
  gave_up = gave_up || point.outcome == FixedPoint::Outcome::gave_up;
  return std::nullopt;
}

void FederatedResponse::find_copy_responses(FederatedTest test, const Stages& stages) {
  copies_ = Duration{};
  if (own_.requests == 0) return;
  std::optional<Duration> start;  // of a copy of one chunk
  if (test == FederatedTest::rtgpu) start = latest_copy_start(Duration{});
  for (const Stage& stage : stages) {
    if (stage.server != ServerKind::copy || !stage.is_issued()) continue;
    std::optional<Duration> response;
    if (test == FederatedTest::rtgpu_paper) {
      response = found(min_length(copy_chains_, checked_add(stage.time.worst, blocking_), limit_), gave_up_);
    } else {
      const Duration before = stage.time.worst - stage.last_chunk;
      response = before == Duration{} ? start : latest_copy_start(before);
      if (response) response = checked_add(*response, stage.last_chunk);
    }
    if (!response) {
      copies_.reset();
      return;
    }
    copies_ = checked_add(*copies_, *response);
  }
}

/// When the last chunk of a copy starts at the latest, after so much of it.
std::optional<Duration> FederatedResponse::latest_copy_start(Duration before) {
  return found(latest_start(copy_chains_, checked_add(blocking_, before), limit_), gave_up_);
}

void FederatedResponse::find_cpu_responses() {
  cpu_ = Duration{};
  std::map<Duration, std::optional<Duration>> known;  // long chains have few different lengths
  for (const Duration stage : own_.cpu_stages) {
    const auto [place, is_new] = known.try_emplace(stage);
    if (is_new) place->second = found(min_length(cpu_chains_, stage, limit_), gave_up_);
    const std::optional<Duration>& response = place->second;
    if (!response) {
      cpu_.reset();
      return;
    }
    cpu_ = checked_add(*cpu_, *response);
  }
}

std::optional<Duration> FederatedResponse::form(std::size_t index, Duration gpu, bool& gave_up) const {
  const bool each_copy = index == 0 || index == 1;
  const bool each_cpu = index == 0 || index == 2;
  if ((each_copy && !copies_) || (each_cpu && !cpu_)) return std::nullopt;
  const Duration copies = each_copy ? *copies_ : blocked_copies_;
  const Duration cpu = each_cpu ? *cpu_ : own_.cpu;
  const Duration own = checked_add(gpu, checked_add(copies, cpu));
  if (each_copy && each_cpu) return own;
  const Chains& chains = each_copy ? cpu_chains_ : (each_cpu ? copy_chains_ : all_chains_);
  return found(min_length(chains, own, limit_), gave_up);
}

FederatedBounds FederatedResponse::bounds(Duration gpu) const {
  FederatedBounds result;
  result.gave_up = gave_up_;
  for (std::size_t i = 0; i < last_form(); ++i) {
    result.forms[i] = form(i, gpu, result.gave_up);
    if (result.forms[i] && (!result.least || *result.forms[i] < *result.least))
      result.least = result.forms[i];
  }
  return result;
}

bool FederatedResponse::holds(Duration gpu) const {
  bool gave_up = false;
  for (std::size_t i = 0; i < last_form(); ++i) {
    const std::optional<Duration> response = form(i, gpu, gave_up);
    if (response && *response <= limit_) return true;
  }
  return false;
}

std::vector<Blocking> copy_blocking(const FederatedTasks& tasks) {
  std::vector<Blocking> blocking(tasks.tasks.size());
  Blocking longest{tasks.background_copy, std::nullopt};
  for (std::size_t i = tasks.tasks.size(); i > 0; --i) {
    const FederatedTask& task = tasks.tasks[i - 1];
    blocking[i - 1] = longest;
    for (const Stage& stage : any_stages(task)) {
      if (stage.server == ServerKind::copy) longest.consider(stage.longest_chunk, task.task);
    }
  }
  return blocking;
}

FederatedAnswer bound_responses(const FederatedTasks& tasks, FederatedTest test,
                                std::span<const std::int64_t> sms) {
  foresee_pairs(tasks.tasks.size());
  FederatedAnswer answer;
  answer.bounds.resize(tasks.tasks.size());
  answer.proven.reserve(tasks.tasks.size());
  std::vector<const MoreUrgent*> more_urgent;
  const std::vector<Blocking> blocking = copy_blocking(tasks);
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    const FederatedTask& task = tasks.tasks[i];
    answer.fails = i;
    if (task.jitter > task.deadline) return answer;
    const Stages& stages = task.stages[static_cast<std::size_t>(sms[i])];
    const FederatedResponse response{test, task, more_urgent, blocking[i].length};
    FederatedBounds bounds = response.bounds(OwnWork{stages}.gpu);
    if (bounds.least && *bounds.least <= task.period - task.jitter) {
      answer.bounds[i] = *bounds.least + task.jitter;
    }
    if (!bounds.least || *bounds.least > response.limit()) {
      answer.gave_up = bounds.gave_up;
      answer.failed = bounds;
      return answer;
    }
    answer.proven.emplace_back(test, task, stages, *bounds.least);
    more_urgent.push_back(&answer.proven.back());
  }
  answer.fails.reset();
  return answer;
}

std::vector<std::int64_t> given_sms(const FederatedTasks& tasks) {
  std::vector<std::int64_t> sms;
  sms.reserve(tasks.tasks.size());
  for (const FederatedTask& task : tasks.tasks) sms.push_back(*task.sms);
  return sms;
}

}  // namespace tactus::analysis
