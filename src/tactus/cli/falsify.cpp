// tactus falsify: searches for a schedule that breaks a bound.
#include "tactus/falsify/falsify.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tactus/analysis/registry.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/progress_bar.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/falsify/json.hpp"

namespace tactus::cli {

using falsify::Summary;
using falsify::Wanted;

namespace {

constexpr std::string_view examples = R"(
Generates systems near the edge of what the analysis accepts, and for each one schedules that are meant to
hurt: arrivals, execution times and delays. Nothing is proven by a campaign that breaks nothing; a broken bound
is a proof, written as a system file that `tactus sim` replays.

Examples:
  tactus falsify --analysis np-edf                        1,000 systems, 50 schedules each
  tactus falsify --analysis np-edf --systems 20000        a longer campaign
  tactus falsify --analysis np-edf-as-published -o bad.yaml    breaks within seconds; see bad.yaml
  tactus falsify --analysis np-fp --engine                only systems whose engine needs time
  tactus falsify --analysis window-sbf --rejected         systems called unschedulable: does each one miss?

A necessary test proves nothing by accepting, so it is always attacked as with --rejected.

Exit status: 0 nothing broken, 1 a bound broken (with --rejected: a system that would not miss), 2 bad input.)";

struct FalsifyOptions {
  std::string analysis;
  falsify::CampaignOptions campaign;
  std::string output;
  bool rejected = false;
  bool engine = false;
  bool json = false;
};

std::string text_of(const analysis::Analysis& analysis, const FalsifyOptions& options,
                    const Summary& summary) {
  const bool rejected = options.campaign.wanted == Wanted::rejected;
  std::string text = fmt::format(
      "{}, seed {}\n\nsystems tried     {:>14}\nsystems {:<9} {:>14}\nschedules         {:>14}\n"
      "jobs simulated    {:>14}\n",
      analysis.id, options.campaign.seed, with_thousands(summary.tried), rejected ? "rejected" : "accepted",
      with_thousands(summary.attacked), with_thousands(summary.schedules), with_thousands(summary.jobs));
  if (rejected) {
    text += fmt::format("missed a deadline {:>14}\n", with_thousands(summary.confirmed));
  }
  if (summary.closest && !rejected) {
    text += fmt::format("closest           {:>14.6f}  ({} observed, bound {})\n", summary.closest->ratio(),
                        to_text(summary.closest->observed), to_text(summary.closest->bound));
  }
  return text + "\n";
}

/// The meaning of the numbers, and the location of the counterexample.
std::string conclusion(const analysis::Analysis& analysis, const FalsifyOptions& options,
                       const Summary& summary, const std::string& file) {
  if (summary.interrupted) return "Interrupted: these are the results so far.\n";
  if (summary.broken) {
    const falsify::Closest& job = summary.broken->job;
    const std::string replay = shown(file);
    return fmt::format(
        "BROKEN: {} says {} for '{}', but job {} takes {}{}.\n{} replays it: tactus sim {}{}{}\n",
        analysis.id, to_text(job.bound), summary.broken->system.tasks[job.task].name, job.job,
        summary.broken->horizon ? "at least " : "", to_text(job.observed), replay, replay,
        summary.broken->horizon ? " --for " + to_text(*summary.broken->horizon) : "",
        falsify::execution_option(summary.broken->execution));
  }
  if (options.campaign.wanted == Wanted::rejected) {
    if (summary.confirmed == summary.attacked) return "Every one of them missed a deadline.\n";
    if (!summary.unconfirmed) {
      return fmt::format(
          "Every one of them missed a deadline, but for {} that exceed their supply by so few nanoseconds "
          "that no schedule in whole nanoseconds shows it.\n",
          with_thousands(summary.too_close));
    }
    return fmt::format("{} of them did not miss a deadline in any schedule that was tried; {} is one.\n",
                       with_thousands(summary.attacked - summary.confirmed - summary.too_close), shown(file));
  }
  if (summary.attacked < options.campaign.systems) {
    return fmt::format("Only {} of the systems tried were accepted; nothing was broken.\n",
                       with_thousands(summary.attacked));
  }
  return "Nothing was broken.\n";
}

/// Writes the counterexample or the unconfirmed system, if there is one; returns the path.
std::string write_findings(const analysis::Analysis& analysis, const FalsifyOptions& options,
                           const Summary& summary) {
  if (!summary.broken && !summary.unconfirmed) return {};
  std::string file = options.output.empty() ? fmt::format("falsified-{}.yaml", analysis.id) : options.output;
  const std::string text = summary.broken ? falsify::replay_file(analysis, *summary.broken)
                                          : falsify::system_file(analysis, *summary.unconfirmed);
  write_file(output_path(file), text);
  return file;
}

int run(FalsifyOptions options) {
  const bool is_printed = is_standard_stream(options.output);
  refuse_to_mix({{"-o -", is_printed}, {"--json", options.json}});
  const analysis::Analysis& analysis = *select_analyses({options.analysis}).front();
  if (!analysis.run_time_model.empty()) {
    throw InputError{fmt::format("'{}' cannot be attacked: it holds only if {}, and nothing plays that",
                                 analysis.id, analysis.run_time_model),
                     "`tactus analyses` lists what there is"};
  }
  const std::optional<falsify::Family> family = falsify::family_of(analysis.id);
  if (!family) {
    throw InputError{fmt::format("there are no systems to attack '{}' with yet", analysis.id),
                     "`tactus analyses` lists what there is; the np-, ms- and window- tests can be attacked"};
  }
  falsify::Family attacked = *family;
  if (options.engine) {
    if (attacked.engine == falsify::EngineNeeds::no_time) {
      throw InputError{fmt::format("'{}' does not count the time of the engine", analysis.id)};
    }
    attacked.engine = falsify::EngineNeeds::time_in_all;
  }
  // A necessary analysis proves nothing when it accepts; a system that it rejects must miss a deadline.
  const bool necessary = analysis.kind == analysis::Kind::necessary;
  if (options.rejected || necessary) {
    options.campaign.wanted = Wanted::rejected;
    attacked = falsify::exact_part(attacked);
  }
  const InterruptGuard guard;
  Summary summary;
  {
    ProgressBar progress{fmt::format("attacking {}", analysis.id)};
    options.campaign.watch = progress.watch();
    summary = falsify::falsify(analysis, attacked, options.campaign);
  }
  if (summary.fewer_threads) {
    say(fmt::format("note: only {} could be started: {}", plural(summary.threads, "thread"),
                    *summary.fewer_threads));
  }
  const std::string file = write_findings(analysis, options, summary);
  if (options.json) {
    nlohmann::ordered_json json{{"analysis", analysis.id}, {"seed", options.campaign.seed}};
    json.update(to_json(summary));
    if (!file.empty()) json["file"] = shown(file);
    print(json.dump() + "\n");
  } else {
    print_beside(is_printed,
                 text_of(analysis, options, summary) + conclusion(analysis, options, summary, file));
  }
  if (summary.interrupted) return interrupted;
  return summary.broken || summary.unconfirmed ? answer_no : answer_yes;
}

}  // namespace

void add_falsify(Verb app) {
  const Verb verb = app.add_verb("falsify", "Tries to break the bounds of an analysis by simulation");
  const auto options = std::make_shared<FalsifyOptions>();
  verb.add_option("--analysis", options->analysis, "The analysis to attack (`tactus analyses` lists them)")
      .type_name("ANALYSIS")
      .required();
  constexpr std::int64_t most = 1'000'000'000;
  verb.add_option("--systems", options->campaign.systems, "How many accepted systems to attack")
      .between(std::int64_t{1}, most)
      .capture_default();
  verb.add_option("--schedules", options->campaign.schedules, "How many schedules to try for each")
      .between(std::int64_t{1}, most)
      .capture_default();
  verb.add_option("--seed", options->campaign.seed, "The same seed gives the same campaign")
      .between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max())
      .capture_default();
  verb.add_option("--threads", options->campaign.threads, "0: as many as there are cores")
      .between(0, 1024)
      .capture_default();
  verb.add_option("-o,--output", options->output, "Where a broken system is written (-: standard output)")
      .type_name("FILE");
  verb.add_flag("--rejected", options->rejected,
                "Attack systems that the analysis calls unschedulable: each must miss a deadline");
  verb.add_flag("--engine", options->engine, "Attack only systems in which the engine needs time");
  verb.add_flag("--json", options->json, "JSON for machines");
  verb.footer(examples);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
