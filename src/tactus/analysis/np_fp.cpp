// np-fp: fixed priorities without preemption in one stream.
//
// Claim: with B_i the longest job of a less urgent task, the response time of task i is
//   R_i = max over jobs k of the busy period: w_k - k T_i + C_i + J_i
//   w_k = least w with w = B_i + k C_i + sum over more urgent j of (floor((w + J_j)/T_j) + 1) C_j
// and the busy period has ceil((L + J_i)/T_i) jobs of task i, where
//   L = least L > 0 with L = B_i + sum over more urgent j and i itself of ceil((L + J_j)/T_j) C_j.
//
// Source: PRUDA, section 5.1, with the analysis of George, Rivierre and Spuri (1996). Looking at the first
// job only is unsound: jobs that are held up by the first job of i delay the next one, as in
// {(4,10,10), (4,13,14), (4,13,14)}.
//
// Model: single-stream, order fp; periodic or sporadic tasks with D <= T; chains of copies, kernels and
// exclusive work. A best-effort task is less urgent than all others.
//
// Kind: sufficient. (Tight in continuous time for sporadic tasks; it is not used to refute.)
//
// The engine: in the simple form of engine_charges.hpp as above. In the counted form C is C'', and
//   w_k = least w with w = B''_i + k C''_i + sum over more urgent j of (floor((w + J_j)/T_j) + 1) C''_j +
//   E(w) R_i = max over k of w_k - k T_i + F_i + J_i,   F_i = q_i + max(e_s(last) + C_i + V0, V with
//   e_s(last))
// L with C'' and E(L). Let the busy period begin when a job of i or more urgent becomes visible, and none
// was before. From then on until job k is decided a counted job is served, or the engine acts for one, or it
// handles a release: one that became visible meanwhile, or at most V before. From its decision the job is
// submitted within q_i + e_s(last). Meanwhile and later nothing else is submitted, so when its end becomes
// visible the burst that handles it began when the engine waited (V0) or at the end of its own last
// submission (V with that).
//
// Soundness: sound. With H the least common multiple of the periods of i and of more urgent tasks, and a
// utilisation of at most 1, w_{k + H/T_i} <= w_k + H: so H/T_i jobs are always enough, also where the busy
// period does not end.
#include "tactus/analysis/analyses.hpp"

#include "tactus/analysis/engine_charges.hpp"
#include "tactus/analysis/response_judge.hpp"

namespace tactus::analysis {

namespace {

class Responses {
 public:
  Responses(const System& system, const GpuServer& server, ServerResults& results)
      : system_{system},
        server_{server},
        results_{results},
        blocking_{less_urgent(server, &GpuTask::cost)},
        more_urgent_{server.tasks.size()},
        with_own_{server.tasks.size()} {
    if (!server.engine) return;
    add_events(more_urgent_, server.engine->load, server.engine->earlier, End::closed);
    add_events(with_own_, server.engine->load, server.engine->earlier, End::open);
  }

  /// One task after the other, most urgent first; a failure leaves nothing proven for the rest.
  void judge() {
    for (std::size_t i = 0; i < server_.tasks.size(); ++i) {
      const GpuTask& task = server_.tasks[i];
      if (task.deadline <= task.jitter) {
        fails_late_release(system_, server_, task, results_);
        return;
      }
      with_own_.add(task.cost, task.period, task.jitter);
      if (with_own_.compare_utilisation({1, 1}) > 0) {
        fail_without_end(task);
        return;
      }
      const NonPreemptiveResponse search = response_of(i, task.deadline, max_busy_jobs);
      if (search.outcome == NonPreemptiveResponse::Outcome::gave_up) {
        gives_up_response(system_, server_, task, search.limit, results_);
        return;
      }
      if (search.outcome == NonPreemptiveResponse::Outcome::passes) {
        fail(i, search);
        return;
      }
      results_.keeps_deadline(task, search.response);
      more_urgent_.add(task.cost, task.period, task.jitter);
    }
  }

 private:
  /// As far as it is no longer than `limit`, with so many jobs in the busy period at most.
  [[nodiscard]] NonPreemptiveResponse response_of(std::size_t index, Duration limit,
                                                  std::int64_t jobs_at_most) const {
    const NonPreemptiveTask task{server_.tasks[index], checked_add(blocking_[index].length, below(index)),
                                 more_urgent_, with_own_, time_to_finish(index)};
    return task.response(limit, jobs_at_most);
  }

  [[nodiscard]] Duration time_to_finish(std::size_t index) const {
    return server_.engine ? server_.engine->finish[index] : server_.tasks[index].cost;
  }

  [[nodiscard]] Duration below(std::size_t index) const {
    return server_.engine ? server_.engine->below[index] : Duration{};
  }

  void fail(std::size_t index, const NonPreemptiveResponse& search) {
    constexpr std::int64_t jobs_beyond = 1000;  // for the report only
    const GpuTask& task = server_.tasks[index];
    const NonPreemptiveResponse far = response_of(index, far_beyond(task), jobs_beyond);
    const bool has_bound = far.outcome == NonPreemptiveResponse::Outcome::found;
    const NonPreemptiveResponse& told = has_bound ? far : search;
    ResponseTerms terms;
    terms.blocking = blocking_[index];
    terms.below = below(index);
    terms.own = checked_add(checked_mul(task.cost, told.job), time_to_finish(index));
    terms.job = told.job;
    terms.length = told.length;
    terms.end = End::closed;
    if (has_bound) terms.bound = far.response;
    fails_response(system_, server_, task, more_urgent_, terms, SupplyBound::always(), results_);
  }

  /// With overheads, the tasks up to this one need more than all of the time.
  void fail_without_end(const GpuTask& task) {
    if (results_.fails_overloaded(server_)) return;
    const std::string& name = system_.tasks[task.task].name;
    results_.fails(Verdict::unproven,
                   {"the response of '" + name + "' on " + server_.name +
                        " has no bound: with what the machine adds, it and the more urgent tasks need more "
                        "than all of the time",
                    {{"server", server_.name}, {"task", name}, {"deadline_ns", task.deadline}}});
  }

  const System& system_;
  const GpuServer& server_;
  ServerResults& results_;
  std::vector<Blocking> blocking_;
  Interference more_urgent_;
  Interference with_own_;
};

}  // namespace

Result judge_np_fp(const System& system, const GpuServers& gpu) {
  return judge_servers(system, gpu, "every response time stays within its deadline",
                       [&](const GpuServer& server, ServerResults& results) {
                         Responses{system, server, results}.judge();
                       });
}

Result np_fp(const System& system) {
  GpuServers gpu = single_stream_servers(system);
  gpu.refuse(find_other_order(system, Order::fp));
  return judge_with_engine(system, gpu, judge_np_fp);
}

}  // namespace tactus::analysis
