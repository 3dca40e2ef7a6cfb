#include "support/plain_federated_analysis.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <variant>

namespace tactus::test {

namespace {

using Number = std::int64_t;
using Numbers = std::vector<Number>;
using Bound = std::optional<Number>;

/// Lower and upper bound of a segment; of copies, also their longest and last pieces.
struct Range {
  Number lo = 0;
  Number hi = 0;
  Number longest = 0;
  Number last = 0;
};

/// m CPU segments, m - 1 GPU segments, 2 (m - 1) copies: CPU 0, copy 0, GPU 0, copy 1, CPU 1, copy 2, ...
struct Plain {
  TaskIndex index = 0;
  bool best_effort = false;
  Number deadline = 0;
  Number period = 0;
  Number jitter = 0;
  std::int32_t core = 0;
  std::vector<Range> cpu;
  std::vector<Range> gpu;
  std::vector<Range> copy;
  // The same chain, cut at its CPU segments alone: run 0, CPU 0, run 1, CPU 1, ..., the last run.
  std::vector<Range> runs;            // copies and GPU work between two CPU segments
  std::vector<Number> copies_of_run;  // in the worst case
  std::vector<Range> cpu_between_runs;
  bool cpu_alone = true;  // no copies and no GPU work

  /// How long a job may take from when the scheduler may see it last.
  [[nodiscard]] Number room() const { return deadline - jitter; }
};

// --- From the model's words to numbers
// -----------------------------------------------------------------------

enum class Slot : std::uint8_t { cpu, copy, gpu };

Slot slot_of(const Segment& segment) {
  if (std::holds_alternative<CpuSegment>(segment)) return Slot::cpu;
  if (std::holds_alternative<CopySegment>(segment)) return Slot::copy;
  return Slot::gpu;
}

Number ceil_of(Number a, Number b) { return (a + b - 1) / b; }

/// Blocks of one size fill the SMs again and again until all have run.
Number plain_waves(const KernelSegment& kernel, const Gpu& gpu, Number sms) {
  const Number threads = ceil_of(kernel.block, gpu.warp) * gpu.warp;
  Number fit = std::min<Number>(gpu.blocks_per_sm, gpu.threads_per_sm / threads);
  if (kernel.shared_memory > 0) fit = std::min(fit, gpu.shared_memory_per_sm / kernel.shared_memory);
  if (kernel.registers > 0) fit = std::min(fit, gpu.registers_per_sm / kernel.registers);
  return ceil_of(kernel.grid[0] * kernel.grid[1] * kernel.grid[2], fit * sms);
}

/// Piece after piece, each with its overhead.
void add_pieces(Range& range, const CopySegment& copy, const Platform& platform) {
  const Number overhead = platform.overheads.copy.count();
  const bool cut = platform.gpu.copy_chunk && copy.bytes;
  const Number bytes = cut ? *copy.bytes : 1;
  const Number chunk = cut ? *platform.gpu.copy_chunk : 1;
  const auto until = [&](Number copied) {
    return cut ? ceil_of(copied * 1'000'000'000, *platform.gpu.copy_bandwidth) : copied * range.hi;
  };
  Number sum = 0;
  for (Number copied = 0; copied < bytes;) {
    const Number next = std::min(bytes, copied + chunk);
    range.last = until(next) - until(copied) + overhead;
    range.longest = std::max(range.longest, range.last);
    sum += range.last;
    copied = next;
  }
  range.hi = sum;
}

/// `split` virtual SMs share the work of `gpu` segments.
Range time_of(const Segment& segment, const System& system, Number virtual_sms, Number split) {
  const Overheads& overheads = system.platform.overheads;
  Range range;
  if (const auto* cpu = std::get_if<CpuSegment>(&segment)) {
    range = {cpu->time.best.count(), cpu->time.worst.count()};
    if (range.hi > 0) range.hi += overheads.cpu.count();
    return range;
  }
  if (const auto* copy = std::get_if<CopySegment>(&segment)) {
    range = {copy->time.best.count(), copy->time.worst.count()};
    if (range.hi > 0) add_pieces(range, *copy, system.platform);
    return range;
  }
  if (const auto* gpu = std::get_if<GpuSegment>(&segment)) {
    const Number overhead = gpu->overhead.worst.count();
    const Number numerator = gpu->interleave.numerator();
    const Number denominator = gpu->interleave.denominator();
    range.lo = gpu->work.best.count() / split;
    range.hi =
        ceil_of(gpu->work.worst.count() * numerator - overhead * denominator, denominator * split) + overhead;
  } else if (const auto* kernel = std::get_if<KernelSegment>(&segment)) {
    const Gpu& platform = system.platform.gpu;
    const Number waves = plain_waves(*kernel, platform, virtual_sms / platform.virtual_sms_per_sm);
    range = {kernel->block_time.best.count() * waves, kernel->block_time.worst.count() * waves};
  } else {
    const Interval& time = std::get<ExclusiveSegment>(segment).time;
    range = {time.best.count(), time.worst.count()};
  }
  range.hi += overheads.launch.count() + overheads.completion.count();
  return range;
}

/// The places of the form in their order; a place that the chain leaves out is of no length.
class Form {
 public:
  Form() { add_place(); }

  /// A segment of the kind of the one before joins it. Without pieces they become one.
  void take(Slot slot, Range time, bool in_pieces) {
    while (slots_.back() != slot) add_place();
    Range& place = times_.back();
    place.lo += time.lo;
    place.hi += time.hi;
    if (time.hi == 0) return;
    place.longest = in_pieces ? std::max(place.longest, time.longest) : place.hi;
    place.last = in_pieces ? time.last : place.hi;
  }

  /// Up to a CPU segment.
  void finish(Plain& task) {
    while (slots_.back() != Slot::cpu) add_place();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      auto& list = slots_[i] == Slot::cpu ? task.cpu : slots_[i] == Slot::gpu ? task.gpu : task.copy;
      list.push_back(times_[i]);
    }
  }

 private:
  void add_place() {
    constexpr std::array<Slot, 4> cycle{Slot::cpu, Slot::copy, Slot::gpu, Slot::copy};
    slots_.push_back(cycle.at(slots_.size() % cycle.size()));
    times_.emplace_back();
  }

  std::vector<Slot> slots_;
  std::vector<Range> times_;
};

void begin_run(Plain& task) {
  task.runs.emplace_back();
  task.copies_of_run.push_back(0);
}

void add_to_runs(Plain& task, Slot slot, Range time) {
  if (task.runs.empty()) begin_run(task);
  if (slot == Slot::cpu) {
    task.cpu_between_runs.push_back(time);
    begin_run(task);
    return;
  }
  task.runs.back().lo += time.lo;
  task.runs.back().hi += time.hi;
  if (slot == Slot::copy) task.copies_of_run.back() += time.hi;
}

std::vector<Plain> plain_tasks(const System& system, FederatedTest test) {
  std::vector<Plain> tasks;
  for (const TaskIndex index : urgency_order(system)) {
    const Task& task = system.tasks[index];
    Plain plain;
    plain.index = index;
    plain.best_effort = task.arrival == Arrival::best_effort;
    plain.core = task.core;
    if (!plain.best_effort) {
      plain.deadline = task.deadline->count();
      plain.period = task.period->count();
      plain.jitter = task.jitter.count() + system.platform.overheads.release.count();
      if (plain.deadline > plain.period) throw std::invalid_argument{"D > T"};
    }
    Number virtual_sms = system.virtual_sms.empty() ? 0 : system.virtual_sms[index].value_or(0);
    if (test == FederatedTest::mpcp) {  // the lock is for the whole GPU
      virtual_sms = Number{system.platform.gpu.sms} * system.platform.gpu.virtual_sms_per_sm;
    }
    const Number split = test == FederatedTest::rtgpu_as_published ? 2 * virtual_sms : virtual_sms;
    Form form;
    for (const Node& node : task.work.nodes) {
      const Slot slot = slot_of(node.segment);
      const Range time = time_of(node.segment, system, virtual_sms, split);
      form.take(slot, time, system.platform.gpu.copy_chunk.has_value());
      add_to_runs(plain, slot, time);
      const bool issued = slot == Slot::gpu || time.hi > 0;
      if (slot != Slot::cpu && issued) plain.cpu_alone = false;
    }
    form.finish(plain);
    tasks.push_back(plain);
  }
  return tasks;
}

// --- Sums and maxima
// -----------------------------------------------------------------------------------------

Numbers upper(const std::vector<Range>& ranges) {
  Numbers result;
  for (const Range& range : ranges) result.push_back(range.hi);
  return result;
}

Number sum(const Numbers& numbers) { return std::accumulate(numbers.begin(), numbers.end(), Number{0}); }

Number most(const Numbers& numbers) {
  Number result = 0;
  for (const Number number : numbers) result = std::max(result, number);
  return result;
}

// --- Chains
// --------------------------------------------------------------------------------------------------

struct Chain {
  Numbers executions;
  Numbers inner;  // one less than executions
  Number first_wrap = 0;
  Number later_wraps = 0;
};

/// W^h(t), then the maximum over h.
Number work_from(const Chain& chain, std::size_t h, Number t) {
  Number work = 0;
  Number now = 0;
  bool wrapped = false;
  for (std::size_t j = h; now < t;) {
    work += std::min(chain.executions[j], t - now);
    now += chain.executions[j];
    if (j + 1 < chain.executions.size()) {
      now += chain.inner[j];
      ++j;
    } else {
      now += wrapped ? chain.later_wraps : chain.first_wrap;
      wrapped = true;
      j = 0;
    }
  }
  return work;
}

Number work(const Chain& chain, Number t) {
  Number result = 0;
  for (std::size_t h = 0; h < chain.executions.size(); ++h) result = std::max(result, work_from(chain, h, t));
  return result;
}

Chain make_chain(Numbers executions, Numbers inner, Number first_wrap, Number period) {
  Chain chain{std::move(executions), std::move(inner), first_wrap, period};
  chain.later_wraps -= sum(chain.executions) + sum(chain.inner);
  if (chain.first_wrap < 0 || chain.later_wraps < 0) throw std::logic_error{"a negative gap"};
  return chain;
}

/// `x` is by when a job is done at the latest, from its release.
Chain cpu_chain(const Plain& task, Number x) {
  Numbers inner;
  for (std::size_t j = 0; j < task.gpu.size(); ++j) {
    inner.push_back(task.copy[2 * j].lo + task.gpu[j].lo + task.copy[2 * j + 1].lo);
  }
  return make_chain(upper(task.cpu), inner, task.period - x, task.period);
}

Chain copy_chain(const Plain& task, Number x) {
  Numbers inner;
  for (std::size_t j = 0; j + 1 < task.copy.size(); ++j) {
    inner.push_back(j % 2 == 0 ? task.gpu[j / 2].lo : task.cpu[(j + 1) / 2].lo);
  }
  return make_chain(upper(task.copy), inner, task.period - x + task.cpu.back().lo + task.cpu.front().lo,
                    task.period);
}

/// A run before the first CPU segment or behind the last may be of no length.
Chain request_chain(const Plain& task, Number x) {
  Numbers inner;
  for (const Range& cpu : task.cpu_between_runs) inner.push_back(cpu.lo);
  return make_chain(upper(task.runs), inner, task.period - x, task.period);
}

Number work(const std::vector<Chain>& chains, Number t) {
  Number result = 0;
  for (const Chain& chain : chains) result += work(chain, t);
  return result;
}

/// The least r with r = f(r), for a function that does not fall; nothing where it passes the limit.
Bound least_fixed_point(Number limit, const std::function<Number(Number)>& f) {
  constexpr Number few = 300;  // instants that can be tried one after the other
  Number r = 0;
  while (r <= limit && f(r) > r) r = limit <= few ? r + 1 : f(r);
  return r <= limit ? Bound{r} : std::nullopt;
}

/// The sum of all; nothing when one is missing.
Bound sum_of(const std::vector<Bound>& terms) {
  Number result = 0;
  for (const Bound& term : terms) {
    if (!term) return std::nullopt;
    result += *term;
  }
  return result;
}

void keep_least(Bound& least, const Bound& other) {
  if (other && (!least || *other < *least)) least = other;
}

// --- One task, with the bounds of all more urgent ones
// -------------------------------------------------------

struct Place {
  const std::vector<Plain>& tasks;  // most urgent first
  std::size_t k = 0;
  const Numbers& bounds;  // of tasks 0 .. k - 1, from the nominal release

  [[nodiscard]] const Plain& task() const { return tasks[k]; }
};

/// ceil((t + J)/T) C, less what of the last job cannot have run by then.
Chain textbook_chain(const Plain& task) {
  const Number cost = sum(upper(task.cpu));
  return make_chain({cost}, {}, task.period - cost - task.jitter, task.period);
}

/// CPU segments that more urgent tasks of the same core run; `x` of each. `textbook`: where no task leaves
/// the CPU nothing is carried in.
std::vector<Chain> cpu_chains(const Place& place, const Numbers& x, bool textbook) {
  std::vector<Chain> chains;
  for (std::size_t i = 0; i < place.k; ++i) {
    const Plain& task = place.tasks[i];
    if (task.core != place.task().core) continue;
    chains.push_back(textbook ? textbook_chain(task) : cpu_chain(task, x[i]));
  }
  return chains;
}

Numbers deadlines(const Place& place) {
  Numbers result;
  for (std::size_t i = 0; i < place.k; ++i) result.push_back(place.tasks[i].deadline);
  return result;
}

/// CR of every CPU segment.
std::vector<Bound> cpu_responses(const Plain& task, const std::vector<Chain>& chains) {
  std::vector<Bound> result;
  for (const Range& segment : task.cpu) {
    result.push_back(least_fixed_point(task.room(), [&](Number r) { return segment.hi + work(chains, r); }));
  }
  return result;
}

/// MR of every copy or request when it may be disturbed until its end.
std::vector<Bound> responses_until_end(const Plain& task, const Numbers& own, Number blocking,
                                       const std::vector<Chain>& chains) {
  std::vector<Bound> result;
  for (const Number length : own) {
    result.push_back(length == 0 ? Bound{0} : least_fixed_point(task.room(), [&](Number r) {
      return length + blocking + work(chains, r);
    }));
  }
  return result;
}

/// MR of every copy when it may be disturbed until its last piece starts.
std::vector<Bound> responses_until_start(const Plain& task, Number blocking,
                                         const std::vector<Chain>& chains) {
  std::vector<Bound> result;
  for (const Range& copy : task.copy) {
    if (copy.hi == 0) {
      result.emplace_back(0);
      continue;
    }
    const Bound start = least_fixed_point(
        task.room(), [&](Number s) { return blocking + copy.hi - copy.last + work(chains, s + 1); });
    result.push_back(start ? Bound{*start + copy.last} : std::nullopt);
  }
  return result;
}

Bound bound_rtgpu(const Place& place, bool ours) {
  const Plain& task = place.task();
  const Numbers x = ours ? place.bounds : deadlines(place);
  const bool textbook = std::all_of(place.tasks.begin(), place.tasks.end(),
                                    [](const Plain& one) { return one.best_effort || one.cpu_alone; });
  const std::vector<Chain> on_cpu = cpu_chains(place, x, ours && textbook);
  std::vector<Chain> on_copy;
  for (std::size_t i = 0; i < place.k; ++i) on_copy.push_back(copy_chain(place.tasks[i], x[i]));
  Number blocking = 0;
  for (std::size_t i = place.k + 1; i < place.tasks.size(); ++i) {
    for (const Range& copy : place.tasks[i].copy) blocking = std::max(blocking, copy.longest);
  }

  const Numbers own = upper(task.copy);
  const Number gpu = sum(upper(task.gpu));
  const Number cpu = sum(upper(task.cpu));
  const Bound cr = sum_of(cpu_responses(task, on_cpu));
  const Bound mr = sum_of(ours ? responses_until_start(task, blocking, on_copy)
                               : responses_until_end(task, own, blocking, on_copy));
  Bound least = sum_of({gpu, mr, cr});
  if (mr) {
    keep_least(least,
               least_fixed_point(task.room(), [&](Number r) { return gpu + *mr + cpu + work(on_cpu, r); }));
  }
  if (!ours) return least;
  const auto issued = std::count_if(own.begin(), own.end(), [](Number length) { return length > 0; });
  const Number copies = sum(own) + issued * blocking;
  if (cr) {
    keep_least(least, least_fixed_point(task.room(),
                                        [&](Number r) { return gpu + copies + *cr + work(on_copy, r); }));
  }
  keep_least(least, least_fixed_point(task.room(), [&](Number r) {
               return gpu + copies + cpu + work(on_copy, r) + work(on_cpu, r);
             }));
  return least;
}

Number largest_lower_request(const Place& place) {
  Number result = 0;
  for (std::size_t i = place.k + 1; i < place.tasks.size(); ++i) {
    result = std::max(result, most(upper(place.tasks[i].runs)));
  }
  return result;
}

Bound bound_self_suspension(const Place& place) {
  const Plain& task = place.task();
  const Numbers x = deadlines(place);
  const std::vector<Chain> on_cpu = cpu_chains(place, x, false);
  std::vector<Chain> on_device;
  for (std::size_t i = 0; i < place.k; ++i) on_device.push_back(request_chain(place.tasks[i], x[i]));
  const Bound device =
      sum_of(responses_until_end(task, upper(task.runs), largest_lower_request(place), on_device));
  Bound least = sum_of({device, sum_of(cpu_responses(task, on_cpu))});
  if (device) {
    keep_least(least, least_fixed_point(task.room(), [&](Number r) {
                 return *device + sum(upper(task.cpu)) + work(on_cpu, r);
               }));
  }
  return least;
}

/// The time of a job that waits for its copies and kernels on the CPU.
Number busy_time(const Plain& task) {
  return sum(upper(task.cpu)) + sum(upper(task.copy)) + sum(upper(task.gpu));
}

Bound bound_stgm(const Place& place) {
  const Plain& task = place.task();
  bool copies = false;
  for (std::size_t i = 0; i <= place.k; ++i) copies = copies || sum(upper(place.tasks[i].copy)) > 0;
  Number blocking = 0;
  for (std::size_t i = place.k + 1; copies && i < place.tasks.size(); ++i) {
    blocking += most(place.tasks[i].copies_of_run);
  }
  if (busy_time(task) + blocking == 0) return 0;  // no work: no jitter of others can be in its way
  return least_fixed_point(task.room(), [&](Number r) {
    Number total = busy_time(task) + blocking;
    for (std::size_t i = 0; i < place.k; ++i) {
      const Plain& other = place.tasks[i];
      total += ceil_of(r + other.jitter, other.period) * busy_time(other);
    }
    return total;
  });
}

Bound bound_mpcp(const Place& place) {
  const Plain& task = place.task();
  if (busy_time(task) == 0) return 0;
  const Number blocking = largest_lower_request(place);
  const Numbers own = upper(task.runs);
  const auto number = std::count_if(own.begin(), own.end(), [](Number length) { return length > 0; });

  const Bound one_request = least_fixed_point(task.room(), [&](Number w) {
    Number total = blocking;
    for (std::size_t i = 0; i < place.k; ++i) {
      const Plain& other = place.tasks[i];
      const Number request = sum(upper(other.runs));
      total += ((w + place.bounds[i] - request) / other.period + 1) * request;
    }
    return total;
  });
  return least_fixed_point(task.room(), [&](Number r) {
    Number on_cpu = 0;
    Number of_job = number * blocking;
    for (std::size_t i = 0; i < place.k; ++i) {
      const Plain& other = place.tasks[i];
      const Number cpu = sum(upper(other.cpu));
      const Number request = sum(upper(other.runs));
      on_cpu += ceil_of(r + place.bounds[i] - cpu, other.period) * cpu;
      of_job += ceil_of(r + place.bounds[i] - request, other.period) * request;
    }
    Number waiting = of_job;
    if (number == 0) {
      waiting = 0;
    } else if (one_request) {
      waiting = std::min(waiting, number * *one_request);
    }
    return sum(upper(task.cpu)) + sum(own) + waiting + on_cpu;
  });
}

Bound bound_of(FederatedTest test, const Place& place) {
  switch (test) {
    case FederatedTest::rtgpu:
      return bound_rtgpu(place, true);
    case FederatedTest::rtgpu_paper:
    case FederatedTest::rtgpu_as_published:
      return bound_rtgpu(place, false);
    case FederatedTest::self_suspension:
      return bound_self_suspension(place);
    case FederatedTest::stgm:
      return bound_stgm(place);
    case FederatedTest::mpcp:
      return bound_mpcp(place);
  }
  return std::nullopt;
}

}  // namespace

PlainVerdict judge_plainly(FederatedTest test, const System& system) {
  const std::vector<Plain> tasks = plain_tasks(system, test);
  PlainVerdict verdict;
  verdict.bounds.resize(tasks.size());
  verdict.ok.resize(tasks.size());
  Numbers bounds;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const Plain& task = tasks[k];
    if (task.best_effort) {
      verdict.ok[task.index] = true;
      continue;
    }
    if (!verdict.holds) continue;
    Bound bound = bound_of(test, {tasks, k, bounds});
    // Beyond T nothing is proven: the job before might still be there.
    if (bound && *bound + task.jitter > task.period) bound.reset();
    if (bound) {
      bounds.push_back(*bound + task.jitter);
      verdict.bounds[task.index] = Duration{bounds.back()};
    }
    verdict.holds = bound && bounds.back() <= task.deadline;
    verdict.ok[task.index] = verdict.holds;
  }
  return verdict;
}

namespace {

/// Tries all values of the `place`-th task of `order` and of those behind it.
bool find_allocation(FederatedTest test, System& system, const std::vector<TaskIndex>& order,
                     std::size_t place, Number sms) {
  if (place == order.size()) return judge_plainly(test, system).holds;
  const TaskIndex task = order[place];
  const Number unit = system.platform.gpu.virtual_sms_per_sm;
  if (system.tasks[task].arrival == Arrival::best_effort) {
    return find_allocation(test, system, order, place + 1, sms);
  }
  if (!uses_gpu(system.tasks[task].work)) {
    system.virtual_sms[task] = 0;
    return find_allocation(test, system, order, place + 1, sms);
  }
  for (Number own = 1; own <= sms; ++own) {
    system.virtual_sms[task] = own * unit;
    if (find_allocation(test, system, order, place + 1, sms - own)) return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::int64_t>> first_allocation(FederatedTest test, const System& system) {
  System tried = system;
  tried.virtual_sms.resize(system.tasks.size());
  Number sms = system.platform.gpu.sms;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (system.tasks[task].arrival != Arrival::best_effort) continue;
    const Number least = uses_gpu(system.tasks[task].work) ? system.platform.gpu.virtual_sms_per_sm : 0;
    if (!tried.virtual_sms[task]) tried.virtual_sms[task] = least;
    sms -= *tried.virtual_sms[task] / system.platform.gpu.virtual_sms_per_sm;
  }
  if (!find_allocation(test, tried, urgency_order(system), 0, sms)) return std::nullopt;
  Numbers result;
  for (const std::optional<std::int64_t>& value : tried.virtual_sms) result.push_back(value.value_or(0));
  return result;
}

}  // namespace tactus::test
