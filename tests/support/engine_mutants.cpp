#include "support/engine_mutants.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "tactus/analysis/engine_charges.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/analysis/window_demand.hpp"
#include "tactus/falsify/family.hpp"

namespace tactus::test {

namespace {

using analysis::CountedEngine;
using analysis::EngineLoad;
using analysis::EngineTask;
using analysis::EngineUnit;
using analysis::GpuServer;
using analysis::GpuServers;
using analysis::GpuTask;
using analysis::Result;

using Judge = Result (*)(const System&, const GpuServers&);

enum class Form : std::uint8_t { simple, counted };

/// What a mutant has that the test has not. `before` sees the servers without the engine.
struct Change {
  std::function<void(EngineLoad&)> load{};
  std::function<void(GpuServers& with_engine, const GpuServers& before, const EngineLoad&)> servers{};
};

/// One form of a sound test, without the other, with a change.
struct Original {
  const char* id;
  Judge judge;
  GpuServers (*servers)(const System&);
  EngineUnit unit = EngineUnit::job;
};

Result run(const Original& original, Form form, const Change& change, const System& system) {
  const GpuServers before = original.servers(system);
  if (!before.why_not.empty()) return analysis::does_not_apply(before.why_not);
  EngineLoad load = engine_load(system, original.unit);
  if (change.load) change.load(load);
  const std::int32_t levels = system.policy.strategy->has_levels ? system.policy.levels : 1;
  std::optional<GpuServers> charged =
      form == Form::simple ? charge_engine(before, load) : count_engine(before, load, levels);
  if (!charged) return analysis::does_not_apply("no bound");
  if (change.servers) change.servers(*charged, before, load);
  return original.judge(system, *charged);
}

class Mutants {
 public:
  void add(const Original& original, Form form, const std::string& name, Change change,
           const std::string& what, const std::string& survives_because = {}) {
    analysis::Analysis analysis = *analysis::find(original.id);
    analysis.run = [original, form, change = std::move(change)](const System& system) {
      return run(original, form, change, system);
    };
    falsify::Family family = *falsify::family_of(original.id);
    family.engine = falsify::EngineNeeds::time_in_all;
    family.dispatch = false;  // the forms below know launches only
    const std::string form_name = form == Form::simple ? "simple" : "counted";
    all_.push_back({std::string{original.id} + "/engine-" + form_name + "-" + name, what, std::move(analysis),
                    family, survives_because});
  }
  std::vector<Mutant> take() { return std::move(all_); }

 private:
  std::vector<Mutant> all_;
};

template <typename OfTask>
Change of_tasks(OfTask of_task) {
  return {.servers = [of_task](GpuServers& servers, const GpuServers& before, const EngineLoad& load) {
    for (std::size_t s = 0; s < servers.servers.size(); ++s) {
      for (std::size_t i = 0; i < servers.servers[s].tasks.size(); ++i) {
        of_task(servers.servers[s].tasks[i], before.servers[s].tasks[i], load);
      }
    }
  }};
}

Change of_engine(void (*of_engine)(CountedEngine&, const GpuServer& before)) {
  return {.servers = [of_engine](GpuServers& servers, const GpuServers& before, const EngineLoad&) {
    for (std::size_t s = 0; s < servers.servers.size(); ++s) {
      of_engine(*servers.servers[s].engine, before.servers[s]);
    }
  }};
}

Change of_load(void (*of_load)(EngineLoad&)) { return {.load = of_load}; }

Change best_effort_as_before() {
  return {.servers = [](GpuServers& servers, const GpuServers& before, const EngineLoad&) {
    for (std::size_t s = 0; s < servers.servers.size(); ++s) {
      servers.servers[s].best_effort_blocks = before.servers[s].best_effort_blocks;
    }
  }};
}

Change windows_as_before() {
  return {.servers = [](GpuServers& servers, const GpuServers& before, const EngineLoad&) {
    for (std::size_t s = 0; s < servers.servers.size(); ++s) {
      servers.servers[s].supply = before.servers[s].supply;
    }
  }};
}

void no_longest(EngineLoad& load) { load.longest = {}; }
void no_sources(EngineLoad& load) { load.sources.clear(); }
void nothing_under_way(EngineLoad& load) { load.under_way = 0; }
void no_first_releases(EngineLoad& load) { load.first_releases = 0; }
void one_unit_of_each(EngineLoad& load) {
  for (EngineTask& task : load.tasks) task.least_time = Duration::max();
}

const Change late_seen =
    of_tasks([](GpuTask& task, const GpuTask& before, const EngineLoad&) { task.jitter = before.jitter; });
const Change early_known = of_tasks([](GpuTask& task, const GpuTask&, const EngineLoad& load) {
  task.cost -= *until_decided(load, load.longest) * task.slices;
});

void add_simple(Mutants& list, const Original& original, const std::string& why_without_submissions = {}) {
  list.add(original, Form::simple, "seen-at-once", late_seen, "no V at the release");
  list.add(original, Form::simple, "known-at-once", early_known, "no V at the completion");
  list.add(original, Form::simple, "no-submissions",
           of_tasks([](GpuTask& task, const GpuTask& before, const EngineLoad& load) {
             task.cost = before.cost + *until_decided(load, load.longest) * task.slices;
           }),
           "no S", why_without_submissions);
}

void add_counted(Mutants& list, const Original& original) {
  list.add(original, Form::counted, "no-events",
           of_engine([](CountedEngine& engine, const GpuServer&) { engine.load.sources.clear(); }),
           "releases take no time");
  list.add(original, Form::counted, "own-events-only", of_engine([](CountedEngine& engine, const GpuServer&) {
             engine.load.sources.resize(std::min<std::size_t>(1, engine.load.sources.size()));
           }),
           "only releases of the most urgent task take time");
  list.add(original, Form::counted, "no-submissions",
           of_tasks([](GpuTask& task, const GpuTask& before, const EngineLoad& load) {
             task.cost = before.cost + load.event;
           }),
           "C'' without sigma");
  list.add(original, Form::counted, "no-completions",
           of_tasks([](GpuTask& task, const GpuTask&, const EngineLoad& load) { task.cost -= load.event; }),
           "C'' without e_h");
}

GpuServers ideal_cores(const System& system) {
  GpuServers cores = analysis::sm_core_servers(system);
  cores.refuse(find_blocks(system, cores));
  return cores;
}

}  // namespace

std::vector<Mutant> engine_mutants() {
  const Original np_fp{"np-fp", analysis::judge_np_fp, analysis::single_stream_servers};
  const Original np_edf{"np-edf", analysis::judge_np_edf, analysis::single_stream_servers};
  const Original ms_fp{"ms-fp", analysis::judge_ms_fp, analysis::multi_stream_servers};
  const Original ms_edf{"ms-edf", analysis::judge_ms_edf, analysis::multi_stream_servers};
  const Original window_fp{"window-fp", analysis::judge_window_fp, analysis::sm_core_servers,
                           EngineUnit::slice};
  const Original window_blocks{"window-blocks", analysis::judge_window_blocks, analysis::sm_core_servers,
                               EngineUnit::slice};
  Mutants list;
  for (const Original& original : {np_fp, np_edf, ms_fp, ms_edf}) {
    add_simple(
        list, original,
        "V counts the longest submission at every completion, but nothing is submitted beside the job");
    add_counted(list, original);
  }
  for (const Original& original : {window_fp, window_blocks}) {
    add_simple(list, original);
    list.add(
        original, Form::simple, "edges-at-once", windows_as_before(), "windows are seen in time",
        "a slice counts V at its release and at its end, each with all edges and the longest submission");
  }
  const Original window_sbf{"window-sbf", analysis::judge_window_sbf, ideal_cores, EngineUnit::slice};
  for (const Original& original : {window_sbf, window_fp, window_blocks}) {
    list.add(original, Form::simple, "ignored",
             {.servers = [](GpuServers& servers, const GpuServers& before,
                            const EngineLoad&) { servers = before; }},
             "the engine takes no time");
  }
  const std::string twice =
      "with one stream the only submission in progress at a release is the blocker's, which counts with S";
  for (const Original& original : {np_fp, np_edf}) {
    list.add(original, Form::simple, "no-longest", of_load(no_longest), "V without e_max", twice);
  }
  list.add(window_fp, Form::simple, "no-longest", of_load(no_longest), "V without e_max");
  for (const Original& original : {np_fp, np_edf, window_fp}) {
    list.add(original, Form::simple, "no-sources", of_load(no_sources), "V without releases");
  }
  for (const Original& original : {np_fp, window_fp}) {
    list.add(original, Form::simple, "nothing-under-way", of_load(nothing_under_way), "V without out");
  }
  for (const Original& original : {np_fp, np_edf}) {
    list.add(original, Form::simple, "best-effort-at-once", best_effort_as_before(),
             "the submission and the end of a best-effort block take no time",
             "V counts all releases, and e_max, at the release of the job and again at its end");
  }
  for (const Original& original : {window_fp, window_blocks}) {
    list.add(
        original, Form::simple, "blocks-at-once",
        of_tasks([](GpuTask& task, const GpuTask& before, const EngineLoad&) {
          task.longest_block = before.longest_block;
        }),
        "the submission and the end of a block in the way take no time",
        "V at the release is over before the block is; the largest q of the core counts the submission of "
        "the job, since it goes before that of the block, and the largest e_s that of the block");
  }
  list.add(np_fp, Form::counted, "nothing-pending",
           of_engine([](CountedEngine& engine, const GpuServer&) { engine.earlier = {}; }),
           "no releases wait to be handled when the busy period begins",
           "those of more urgent tasks belong to the busy period, and a less urgent task that is in time has "
           "a longer period; V makes the bound hold even where that task is late");
  list.add(np_fp, Form::counted, "known-at-once",
           of_engine([](CountedEngine& engine, const GpuServer& before) {
             for (std::size_t i = 0; i < engine.finish.size(); ++i) {
               engine.finish[i] -= *until_decided(engine.load, Duration{});
               engine.finish[i] = std::max(engine.finish[i], before.tasks[i].cost);
             }
           }),
           "no V0 at the end");
  list.add(np_fp, Form::counted, "nothing-under-way", of_load(nothing_under_way), "V and V0 without out");
  list.add(np_fp, Form::counted, "best-effort-at-once", best_effort_as_before(),
           "the submission and the end of a best-effort block take no time");
  for (const Original& original : {np_fp, np_edf, ms_fp, ms_edf}) {
    list.add(original, Form::counted, "no-first-releases", of_load(no_first_releases),
             "first releases of best-effort tasks are no events");
  }
  list.add(window_fp, Form::simple, "no-first-releases", of_load(no_first_releases),
           "first releases of best-effort tasks are no events");
  list.add(ms_fp, Form::simple, "one-unit-of-each", of_load(one_unit_of_each), "q without 1 + floor(q/g)",
           "a unit that goes first under multi-stream is counted as a more urgent job besides");
  for (const Original& original : {ms_fp, ms_edf}) {
    list.add(original, Form::counted, "nothing-below", of_engine([](CountedEngine& engine, const GpuServer&) {
               std::fill(engine.below.begin(), engine.below.end(), Duration{});
             }),
             "no Lo");
  }
  return list.take();
}

}  // namespace tactus::test
