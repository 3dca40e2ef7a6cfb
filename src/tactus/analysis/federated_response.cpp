#include "tactus/analysis/federated_response.hpp"

#include <map>
#include <utility>

#include "tactus/analysis/effort.hpp"

namespace tactus::analysis {

namespace {

/// Stages on the CPU and the copy engine are the same on any number of SMs.
const Stages& any_stages(const FederatedTask& task) { return task.stages.back(); }

}  // namespace

MoreUrgent MoreUrgent::with_carry_in(const FederatedTask& task, const Stages& stages, Duration carry_in) {
  MoreUrgent result;
  result.core = task.core;
  result.period = task.period;
  result.cpu = {stages, ServerKind::cpu, task.period, carry_in};
  result.copies = {stages, ServerKind::copy, task.period, carry_in};
  if (task.event) {
    result.engine = engine_work(stages, *task.event, task.period, carry_in);
    result.patterns.push_back({&stages, carry_in});
  }
  return result;
}

MoreUrgent MoreUrgent::min_of(std::vector<MoreUrgent> several) {
  MoreUrgent result = several.front();
  const auto least_of = [&](ChainWorkload MoreUrgent::*work) {
    std::vector<ChainWorkload> all;
    for (MoreUrgent& each : several) all.push_back(std::move(each.*work));
    return ChainWorkload::min_of(std::move(all));
  };
  result.cpu = least_of(&MoreUrgent::cpu);
  result.copies = least_of(&MoreUrgent::copies);
  result.engine = least_of(&MoreUrgent::engine);
  for (std::size_t i = 1; i < several.size(); ++i) {
    result.patterns.insert(result.patterns.end(), several[i].patterns.begin(), several[i].patterns.end());
  }
  return result;
}

ChainWorkload MoreUrgent::copies_and(Duration submission) const {
  std::vector<ChainWorkload> all;
  for (const Pattern& pattern : patterns) {
    all.push_back(copies_and_submissions(*pattern.stages, submission, period, pattern.carry_in));
  }
  return ChainWorkload::min_of(std::move(all));
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
    if (stage.is_submitted()) {
      ++operations;
      submissions = checked_add(submissions, stage.submission);
    }
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
                                     std::span<const MoreUrgent* const> more_urgent, Duration blocking,
                                     const EngineBelow& engine)
    : test_{test},
      own_{any_stages(task)},
      limit_{task.deadline - task.jitter},
      blocking_{blocking},
      blocked_copies_{checked_add(own_.copies, checked_mul(blocking, own_.requests))} {
  for (const MoreUrgent* other : more_urgent) {
    if (other->core == task.core && !other->cpu.is_empty()) cpu_chains_.push_back(&other->cpu);
    if (!other->copies.is_empty()) copy_chains_.push_back(&other->copies);
  }
  if (task.event) {
    count_engine(task, more_urgent, engine);
  } else {
    find_copy_responses(test, any_stages(task));
  }
  all_chains_.insert(all_chains_.end(), cpu_chains_.begin(), cpu_chains_.end());
  all_chains_.insert(all_chains_.end(), copy_chains_.begin(), copy_chains_.end());
  find_cpu_responses();
}

/// L and LM in place of MR; the copy chains get all that the engine does (federated_engine.hpp).
void FederatedResponse::count_engine(const FederatedTask& task,
                                     std::span<const MoreUrgent* const> more_urgent,
                                     const EngineBelow& engine) {
  const Duration event = *task.event;
  if (event > Duration{}) next_release_ = task.period - task.jitter;
  Chains at_once;  // what the engine may do before the next submission of the job
  Chains meanwhile;
  for (const MoreUrgent* other : more_urgent) {
    if (!other->engine.is_empty()) at_once.push_back(&other->engine);
  }
  meanwhile = at_once;
  at_once.insert(at_once.end(), engine.releases.begin(), engine.releases.end());
  meanwhile.insert(meanwhile.end(), engine.events.begin(), engine.events.end());
  if (own_.requests > 0) {
    longer_copies_.reserve(more_urgent.size());
    for (const MoreUrgent* other : more_urgent) {
      if (other->copies.is_empty()) continue;
      longer_copies_.push_back(other->copies_and(engine.submission));
      meanwhile.push_back(&longer_copies_.back());
    }
  }
  copy_chains_ = std::move(meanwhile);
  const Duration each = checked_add(engine.submission, event);
  const std::optional<Duration> until_submitted =
      found(min_length(at_once, checked_add(each, engine.one_each), limit_), gave_up_);
  std::optional<Duration> until_copy = until_submitted;
  if (!longer_copies_.empty() || engine.copy > Duration{}) {
    until_copy.reset();
    if (!engine.has_endless_events) {
      until_copy = found(min_length(copy_chains_, checked_add(each, engine.copy), limit_), gave_up_);
    }
  }
  const Duration own = checked_add(own_.copies, own_.submissions);
  if (until_submitted && (until_copy || own_.requests == 0)) {
    const std::int64_t others = own_.operations - own_.requests + 1;
    copies_ = checked_add(own, checked_mul(*until_submitted, others));
    if (own_.requests > 0) copies_ = checked_add(*copies_, checked_mul(*until_copy, own_.requests));
  }
  blocked_copies_.reset();
  if (engine.has_endless_events) return;
  blocked_copies_ = checked_add(checked_add(own, checked_mul(each, own_.operations + 1)),
                                checked_mul(engine.copy, own_.requests));
}

std::optional<Duration> FederatedResponse::before_next_release(const std::optional<Duration>& length) const {
  const bool is_too_late = length && next_release_ && *length >= *next_release_;
  return is_too_late ? std::nullopt : length;
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
  const std::optional<Duration>& copies = each_copy ? copies_ : blocked_copies_;
  if (!copies || (each_cpu && !cpu_)) return std::nullopt;
  const Duration cpu = each_cpu ? *cpu_ : own_.cpu;
  const Duration own = checked_add(gpu, checked_add(*copies, cpu));
  if (each_copy && each_cpu) return before_next_release(own);
  const Chains& chains = each_copy ? cpu_chains_ : (each_cpu ? copy_chains_ : all_chains_);
  return before_next_release(found(min_length(chains, own, limit_), gave_up));
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

namespace {

FederatedAnswer bound_all(const FederatedTasks& tasks, FederatedTest test, std::span<const std::int64_t> sms,
                          LessUrgent less_urgent) {
  foresee_pairs(tasks.tasks.size());
  FederatedAnswer answer;
  answer.bounds.resize(tasks.tasks.size());
  answer.proven.reserve(tasks.tasks.size());
  std::vector<const MoreUrgent*> more_urgent;
  const std::vector<Blocking> blocking = copy_blocking(tasks);
  const FederatedEngine engine{tasks, less_urgent};
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    const FederatedTask& task = tasks.tasks[i];
    answer.fails = i;
    if (task.jitter > task.deadline) return answer;
    const Stages& stages = task.stages[static_cast<std::size_t>(sms[i])];
    const FederatedResponse response{test, task, more_urgent, blocking[i].length, engine.below(i)};
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

}  // namespace

FederatedAnswer bound_responses(const FederatedTasks& tasks, FederatedTest test,
                                std::span<const std::int64_t> sms) {
  FederatedAnswer answer = bound_all(tasks, test, sms, LessUrgent::in_time);
  // That a less urgent task keeps its deadline may be used only if all do.
  const bool presumed = tasks.event && answer.fails;
  return presumed ? bound_all(tasks, test, sms, LessUrgent::anything) : answer;
}

std::vector<std::int64_t> given_sms(const FederatedTasks& tasks) {
  std::vector<std::int64_t> sms;
  sms.reserve(tasks.tasks.size());
  for (const FederatedTask& task : tasks.tasks) sms.push_back(*task.sms);
  return sms;
}

}  // namespace tactus::analysis
