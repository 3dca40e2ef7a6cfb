// tactus transform: the same system in coarser or finer pieces.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/granularity.hpp"
#include "tactus/model/limits.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

namespace {

constexpr std::string_view examples = R"(
From one description, whose nodes may list their parts, three systems that can be compared:
  fine         every part is a node of its own
  coarse       every node of the file keeps its core to its end, also while the GPU works for it
  monolithic   every job is one node, which keeps its core to its end

In a coarse or monolithic system GPU work counts as CPU time, with what it may have to wait for kernels and copies
of other cores. Its cores do not preempt.

Examples:
  tactus transform examples/graphs/cameras.yaml --to fine            the file, with every part a node
  tactus transform examples/graphs/cameras.yaml --to coarse -o coarse.yaml
  tactus check coarse.yaml                                           do the coarse nodes fit?
  tactus transform examples/graphs/cameras.yaml --to monolithic -o monolithic.yaml

Exit status: 0 done, 2 bad input.)";

struct TransformOptions {
  std::string file;
  std::string to;
  std::string output;
  bool json = false;
  OverrideOptions overrides;
};

constexpr std::array<std::string_view, 3> words{"monolithic", "coarse", "fine"};

Granularity granularity_of(const std::string& word) {
  return word == "fine"     ? Granularity::fine
         : word == "coarse" ? Granularity::coarse
                            : Granularity::monolithic;
}

std::string time_text(const Interval& time) {
  return time.best == time.worst ? to_text(time.worst)
                                 : fmt::format("{} to {}", to_text(time.best), to_text(time.worst));
}

std::string table_of(const Regrouped& result, bool colour, std::size_t width) {
  report::Table table{{"task", "node"}, {"own CPU time", "own GPU time", "waiting for others", "together"}};
  for (const NodeCost& cost : result.nodes) {
    table.add_row({cost.task, cost.node, time_text(cost.cpu), time_text(cost.gpu), to_text(cost.waiting),
                   time_text(cost.time())});
  }
  return table.to_text(colour, width);
}

std::string commented(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += begin == end ? "#\n" : fmt::format("# {}\n", text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

/// The system file, with what its times consist of.
std::string file_text(const Regrouped& result, const std::string& from, Granularity granularity) {
  if (granularity == Granularity::fine) {
    return commented(fmt::format("{}, every part a node of its own.\n", from)) +
           to_system_file(result.system);
  }
  const bool is_coarse = granularity == Granularity::coarse;
  const std::string what = fmt::format(
      "{}, {}: it keeps its core to its end, also while the GPU works for it.\n"
      "GPU times have the overheads launch, completion and copy in them. Waiting is counted for the {} "
      "cores, the\n"
      "GPU and the overheads of this file: when these change, transform anew.\n\n",
      from, is_coarse ? "every node one piece of CPU work" : "every job one piece of CPU work",
      result.system.platform.cpus());
  return commented(what + table_of(result, false, report::any_width)) + to_system_file(result.system);
}

nlohmann::ordered_json json_of(const Regrouped& result, const std::string& to) {
  const auto in_ns = [](const Interval& time) {
    return nlohmann::ordered_json::array({time.best.count(), time.worst.count()});
  };
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (const NodeCost& cost : result.nodes) {
    nodes.push_back({{"task", cost.task},
                     {"node", cost.node},
                     {"cpu_ns", in_ns(cost.cpu)},
                     {"gpu_ns", in_ns(cost.gpu)},
                     {"waiting_ns", cost.waiting.count()},
                     {"time_ns", in_ns(cost.time())}});
  }
  return {{"system", result.system.name}, {"to", to}, {"nodes", std::move(nodes)}};
}

int run(const TransformOptions& options) {
  const std::string output = options.output.empty() && !options.json ? "-" : options.output;
  const bool is_printed = is_standard_stream(output);
  refuse_to_mix({{"-o -", is_printed}, {"--json", options.json}});
  refuse_to_replace({{"-o", options.output}}, {options.file, options.overrides.chains});
  const System system = load_input(options.file, Completeness::complete, options.overrides);
  const Granularity granularity = granularity_of(options.to);
  Regrouped result = regroup(system, granularity);
  if (system.name.size() + options.to.size() < limits::name_characters) {
    result.system.name += "-" + options.to;
  }
  OutputFile file{output};
  if (!output.empty()) file.write(file_text(result, system.name, granularity));
  if (options.json) {
    print(json_of(result, options.to).dump() + "\n");
  } else if (!result.nodes.empty() && !is_printed) {
    print_text(table_of(result, wants_colour(), text_width()));
  }
  if (!output.empty() && !is_printed) say(fmt::format("system file: {}", shown(options.output)));
  return answer_yes;
}

}  // namespace

void add_transform(Verb app) {
  const Verb verb = app.add_verb("transform", "The same work in one piece, in coarse nodes or in fine ones");
  const auto options = std::make_shared<TransformOptions>();
  verb.add_option("FILE", options->file, "System file, AMALTHEA model, or - for standard input").required();
  verb.add_option("--to", options->to, "How large the pieces are")
      .one_of({words.begin(), words.end()})
      .required();
  verb.add_option("-o,--output", options->output, "Write the system file here (default: standard output)")
      .type_name("FILE");
  verb.add_flag("--json", options->json, "JSON for machines: what the times consist of");
  add_override_options(verb, options->overrides);
  verb.footer(examples);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
