#include "tactus/io/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/io/units.hpp"
#include "tactus/io/words.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/limits.hpp"
#include "tactus/model/presets.hpp"

namespace tactus {

namespace io {
namespace {

using Json = nlohmann::ordered_json;
using Properties = std::initializer_list<std::pair<std::string_view, Json>>;

Json any_of(std::vector<Json> choices) { return {{"anyOf", std::move(choices)}}; }

Json reference(std::string_view name) { return {{"$ref", "#/definitions/" + std::string{name}}}; }

/// Keys beside a `$ref` are ignored, so it goes into a list of its own.
Json described(Json schema, std::string_view description) {
  if (schema.contains("$ref")) schema = Json{{"allOf", Json::array({std::move(schema)})}};
  schema["description"] = description;
  return schema;
}

Json with_default(Json schema, Json value) {
  schema["default"] = std::move(value);
  return schema;
}

Json map_of(std::string_view description, Properties properties,
            std::initializer_list<std::string_view> required = {}) {
  Json schema{{"type", "object"}, {"description", description}, {"properties", Json::object()}};
  for (const auto& [key, value] : properties) schema["properties"][std::string{key}] = value;
  if (required.size() > 0)
    schema["required"] = Json(std::vector<std::string>{required.begin(), required.end()});
  schema["additionalProperties"] = false;
  return schema;
}

Json list_of(Json items, std::size_t least = 0) {
  Json schema{{"type", "array"}, {"items", std::move(items)}};
  if (least > 0) schema["minItems"] = least;
  return schema;
}

Json integer(std::string_view description, Range range) {
  return {{"type", "integer"}, {"description", description}, {"minimum", range.min}, {"maximum", range.max}};
}

Json integer_from(std::string_view description, std::int64_t least) {
  return {{"type", "integer"}, {"description", description}, {"minimum", least}};
}

Json boolean(std::string_view description, bool otherwise) {
  return {{"type", "boolean"}, {"description", description}, {"default", otherwise}};
}

template <typename Choices>
Json word(std::string_view description, const Choices& choices) {
  Json words = Json::array();
  for (const auto& choice : choices) words.push_back(choice.word);
  return {{"type", "string"}, {"description", description}, {"enum", std::move(words)}};
}

/// A number directly before one of the units; only 0 needs none.
Json quantity(std::string_view description, const std::vector<std::string_view>& units,
              bool zero_is_allowed) {
  std::string names;
  for (const std::string_view unit : units) names += (names.empty() ? "" : "|") + std::string{unit};
  const std::string number = "([0-9]+\\.?[0-9]*|\\.[0-9]+)";
  const Json with_unit{{"type", "string"},
                       {"pattern", "^(" + number + "(" + names + ")" + (zero_is_allowed ? "|0" : "") + ")$"}};
  if (!zero_is_allowed) return described(with_unit, description);
  return described(any_of({with_unit, Json{{"const", 0}}}), description);
}

Json definitions() {
  Json all = Json::object();
  all["name"] = {
      {"type", {"string", "number", "boolean"}}, {"minLength", 1}, {"maxLength", limits::name_characters}};
  all["duration"] = quantity("A duration with its unit, for instance 10ms", duration_units_known(), true);
  all["time"] = described(
      any_of({reference("duration"),
              Json{{"type", "array"}, {"items", reference("duration")}, {"minItems", 2}, {"maxItems", 2}}}),
      "A duration, or [best, worst]");
  all["size"] = quantity("A size with its unit, for instance 64KiB", size_units_known(), true);
  all["bandwidth"] = quantity("A size a second, for instance 12GB/s", bandwidth_units_known(), false);
  all["rate"] = quantity("A rate, for instance 30Hz", rate_units_known(), false);
  all["dimensions"] = any_of(
      {Json{{"type", "integer"}, {"minimum", 1}}, Json{{"type", "array"},
                                                       {"items", {{"type", "integer"}, {"minimum", 1}}},
                                                       {"minItems", 1},
                                                       {"maxItems", 3}}});
  Json presets_known = Json::array();
  for (const Preset& preset : presets()) presets_known.push_back(preset.name);
  all["preset"] = {{"type", "string"}, {"enum", std::move(presets_known)}};
  return all;
}

Json gpu_of_platform() {
  return map_of(
      "The GPU; what is not given is the base's",
      {{"sms", integer("Streaming multiprocessors", limits::sms)},
       {"threads_per_sm", integer("Threads that fit an SM", limits::threads_per_sm)},
       {"blocks_per_sm", integer("Blocks that fit an SM", limits::blocks_per_sm)},
       {"registers_per_sm", integer("Registers of an SM", limits::registers_per_sm)},
       {"register_unit", integer("A warp takes whole units of registers", limits::register_unit)},
       {"register_files", integer("Equal parts of an SM's registers; a warp takes its own of one of them",
                                  limits::register_files)},
       {"shared_memory_per_sm", described(reference("size"), "Shared memory of an SM")},
       {"shared_memory_unit", described(reference("size"), "A block takes whole units of shared memory")},
       {"shared_memory_reserved", described(reference("size"), "What every block takes beyond its own")},
       {"warp", integer("Threads of a warp; blocks take whole warps", limits::warp)},
       {"priority_levels", integer("Stream priorities", limits::priority_levels)},
       {"copy_engines", integer("Copies that run at once", limits::copy_engines)},
       {"sm_choice", word("Which SM takes the next block", words::sm_choices)},
       {"virtual_sms_per_sm", integer("Virtual SMs of an SM (federated)", limits::virtual_sms_per_sm)},
       {"parts_per_sm",
        integer("How many SMs of this file are one SM of the GPU: tasks may own parts of an SM (federated)",
                limits::parts_per_sm)},
       {"copy_bandwidth", described(reference("bandwidth"), "Needed for copies given in bytes")},
       {"copy_chunk",
        described(
            reference("size"),
            "Copies of more bytes are served in chunks of this size where each segment goes to a server "
            "of its own (tasks with CPU work); needs copy_bandwidth")}});
}

Json overheads() {
  const auto overhead = [](std::string_view meaning) { return described(reference("duration"), meaning); };
  return map_of(
      "What the machine adds, as measured upper bounds",
      {{"release", overhead("How late the scheduler sees a release")},
       {"launch", overhead("From the submission of GPU work to its arrival in the stream")},
       {"completion", overhead("From the end of GPU work until the scheduler knows")},
       {"copy", overhead("Added to every copy")},
       {"cpu", overhead("Added to every cpu segment")},
       {"engine",
        map_of("What the thread needs that makes all decisions, one after the other",
               {{"event", overhead("To handle one event")}, {"submit", overhead("To make one submission")}})},
       {"resident",
        map_of(
            "Of jobs that the GPU releases (dispatch: resident); default, also of each key: as for launched "
            "work",
            {{"release", overhead("From the release to the start of the work")},
             {"completion", overhead("From its end until that is noted on the device")}})},
       {"doorbell",
        map_of("Of work that a word in memory starts (dispatch: doorbell); default, also of each key: as for "
               "launched work",
               {{"launch", overhead("From the submission to the start of the work")},
                {"completion", overhead("From its end until the scheduler knows")}})}});
}

Json platform() {
  const Json cpus = described(
      any_of({integer("CPU cores in one cluster", limits::cpus),
              map_of("CPU cores by cluster",
                     {{"clusters", described(list_of(integer("Cores of a cluster", limits::cpus), 1),
                                             "Cores of each cluster")}},
                     {"clusters"})}),
      "CPU cores: a number, or {clusters: [2, 4]}");
  Json own = map_of(
      "A machine", {{"base", described(reference("preset"), "Start from this machine, change what is given")},
                    {"cpus", cpus},
                    {"overheads", overheads()},
                    {"gpu", gpu_of_platform()}});
  own["anyOf"] = Json::array(
      {Json{{"required", {"base"}}},
       Json{{"required", {"gpu"}}, {"properties", {{"gpu", {{"required", Json::array({"sms"})}}}}}}});
  return described(any_of({reference("preset"), own}),
                   "The machine: a preset (`tactus platforms`), or a map");
}

Json policy() {
  const auto window = [](std::string_view meaning) {
    return map_of(
        meaning,
        {{"offset", with_default(described(reference("duration"), "Where it begins in the period"), 0)},
         {"budget", described(reference("duration"), "How long it lasts")}},
        {"budget"});
  };
  return map_of(
      "How the tasks share the machine",
      {{"strategy", with_default(
                        word("How the GPU is shared", words::strategies()), StrategyRef {} -> name)},
       {"order", word("Which job is more urgent: edf, or fp (fixed priority); federated takes fp only. "
                      "fl (fair lateness) is for CPU cores (`cpu`), and for the strategy graph",
                      words::orders)},
       {"levels", integer("multi-stream: streams of rising urgency; at most the GPU's priority_levels",
                          limits::priority_levels)},
       {"refill", with_default(word("multi-stream: lazy, or immediate (an ideal)", words::refills), "lazy")},
       {"sm_group", with_default(integer("sm-cores: SMs that form one core", limits::sms), 1)},
       {"time_slice",
        with_default(described(reference("duration"), "time-sliced: a task's turn on the GPU"), "2ms")},
       {"reservations", map_of("sm-cores: when which tasks run; `tactus plan` finds it",
                               {{"period", described(reference("duration"), "The windows repeat with it")},
                                {"local", window("For tasks with a core of their own")},
                                {"all", window("For tasks on all SMs")}},
                               {"period"})},
       {"virtual_sms",
        Json{{"type", "object"},
             {"description", "federated: virtual SMs of each task with GPU work; `tactus plan` finds them"},
             {"additionalProperties", {{"type", "integer"}, {"minimum", 0}}}}},
       {"cpu",
        map_of("How CPU cores serve cpu segments",
               {{"order", word("Which segment goes first; default: the policy's order, fp without one",
                               words::orders)},
                {"scope", with_default(word("Which cores serve a task: its own, all, or those of its cluster",
                                            words::cpu_scopes),
                                       "partitioned")},
                {"preemptive", boolean("Whether a more urgent segment takes the core at once", true)}})},
       {"copies", map_of("How copies share the copy engines",
                         {{"order", word("Which copy goes first", words::copy_orders)}}, {"order"})},
       {"clusters", word("graph: one queue for all CPUs, or one a cluster", words::cluster_modes)},
       {"early_release", boolean("graph: nodes may start before their offset", true)},
       {"parallel_jobs", boolean("graph: successive jobs of a node may overlap", true)}});
}

Json kernel() {
  Json schema = map_of(
      "A kernel whose blocks the GPU schedules one by one",
      {{"grid", described(reference("dimensions"), "Blocks: a number, or up to three dimensions")},
       {"block",
        described(reference("dimensions"), "Threads of a block: a number, or up to three dimensions")},
       {"block_time", described(reference("time"), "How long a block runs")},
       {"shared_memory", with_default(described(reference("size"), "Of a block"), 0)},
       {"registers", with_default(integer_from("Of a block", 0), 0)},
       {"registers_per_thread", integer_from("Instead of registers: times the threads, in whole warps", 0)}},
      {"grid", "block", "block_time"});
  schema["not"] = {{"required", {"registers", "registers_per_thread"}}};
  return schema;
}

/// A time, or one for each core.
Json cpu_time() {
  const Json by_core{{"type", "object"},
                     {"description", "By core, or the first and last of several: {0: 2ms, 1-3: [3ms, 4ms]}"},
                     {"minProperties", 1},
                     {"propertyNames", {{"pattern", "^[0-9]+(-[0-9]+)?$"}}},
                     {"additionalProperties", reference("time")}};
  return described(any_of({reference("time"), by_core}), "On a CPU core");
}

Json segment() {
  const Json copy =
      described(any_of({reference("time"), map_of("A copy in bytes",
                                                  {{"bytes", described(reference("size"), "How much")},
                                                   {"direction", word("Which way", words::directions)}},
                                                  {"bytes"})}),
                "Between host and GPU: a time, or {bytes: 4MiB, direction: to-device}");
  const Json gpu = map_of(
      "Work whose time depends on how many virtual SMs it gets (federated)",
      {{"work", described(reference("time"), "Its time on one virtual SM")},
       {"overhead", with_default(described(reference("time"), "The part of it that cannot be divided"), 0)},
       {"interleave", Json{{"type", "number"},
                           {"description", "How much longer it takes beside other work on the same SM"},
                           {"minimum", 1},
                           {"default", 1}}}},
      {"work"});
  Json schema =
      map_of("A segment: a map with one key",
             {{"cpu", cpu_time()},
              {"copy", copy},
              {"kernel", reference("kernel")},
              {"gpu", gpu},
              {"exclusive", described(reference("time"), "A GPU job that occupies all of its SMs")}});
  schema["minProperties"] = 1;
  schema["maxProperties"] = 1;
  return schema;
}

/// A segment, or variants of which `tactus plan` chooses one.
Json part(const Json& variant) {
  const Json either = map_of("Variants of this part of the work; `tactus plan` chooses one",
                             {{"either", described(list_of(variant, 2), "The variants, two or more")},
                              {"variant", integer_from("The chosen one, from 0 on", 0)}},
                             {"either"});
  const Json placed = map_of(
      "CPU work on another core than the task's",
      {{"cpu", cpu_time()},
       {"core", integer("The core that serves it; clustered: its cluster", {0, limits::cpus.max - 1})}},
      {"cpu", "core"});
  return any_of({reference("segment"), either, placed});
}

Json graph() {
  const Json segment = part(reference("segment"));
  const Json parts = any_of({list_of(segment, 1), Json{{"type", "object"},
                                                       {"description", "Parts with names"},
                                                       {"minProperties", 1},
                                                       {"additionalProperties", segment}}});
  const Json coarse =
      map_of("A node of several parts",
             {{"parts", described(parts, "Segments that run one after the other, each a node")}}, {"parts"});
  Json node = segment;
  node["anyOf"].push_back(coarse);
  const Json nodes{{"type", "object"},
                   {"description", "Named nodes, each a segment or several parts"},
                   {"minProperties", 1},
                   {"additionalProperties", node}};
  const Json later = map_of("To a later job", {{"delay", integer_from("So many jobs later", 1)}}, {"delay"});
  const Json edge{{"type", "array"},
                  {"items", Json::array({reference("name"), reference("name"), later})},
                  {"additionalItems", false},
                  {"minItems", 2}};
  return map_of(
      "Nodes, and edges from predecessor to successor",
      {{"nodes", nodes},
       {"edges", described(list_of(edge), "[[from, to], ...]; [from, to, {delay: 1}]: to the next job")}},
      {"nodes"});
}

Json job() {
  const auto duration = [](std::string_view meaning) { return described(reference("duration"), meaning); };
  return map_of("What one job does in the simulator; what is not given is as --execution says",
                {{"release", duration("When it arrives, from the start on")},
                 {"late", duration("How late the scheduler sees it; at most jitter + release overhead")},
                 {"launch", duration("At most the launch overhead")},
                 {"completion", duration("At most the completion overhead")},
                 {"cpu", duration("Added to each cpu segment; at most the CPU overhead")},
                 {"time", described(any_of({reference("duration"), list_of(reference("duration"), 1)}),
                                    "Its execution time, or one for each segment")}});
}

Json task() {
  const auto duration = [](std::string_view meaning) { return described(reference("duration"), meaning); };
  const Json sm =
      described(any_of({Json{{"type", "integer"}, {"minimum", 0}, {"maximum", limits::sms.max - 1}},
                        Json{{"enum", {"all", "any"}}}}),
                "sm-cores: the core of the task, all, or any (`tactus plan` chooses)");
  Json schema = map_of(
      "What runs: one of exclusive, kernel, segments or graph",
      {{"name", described(reference("name"), "Unique among the tasks")},
       {"arrival", with_default(word("When jobs are released", words::arrivals), "periodic")},
       {"period", duration("Distance of releases; sporadic: the least distance")},
       {"rate", described(reference("rate"), "Instead of period")},
       {"deadline", duration("Relative to the release; default: the period")},
       {"offset", with_default(duration("First release"), 0)},
       {"jitter", with_default(duration("How late the scheduler may see a release"), 0)},
       {"priority", integer_from("Larger is more urgent", 0)},
       {"enqueue",
        described(reference("duration"),
                  "What a submission of its GPU work takes; default: platform.overheads.engine.submit")},
       {"dispatch",
        with_default(
            word("How its GPU work starts, where the task has SMs of its own: by a launch, by a word "
                 "in memory on which it waits there (doorbell), or by the GPU's own clock (resident)",
                 words::dispatches),
            "launch")},
       {"launcher", boolean("A thread of the task makes the submissions of its GPU work", false)},
       {"gpu_priority", integer_from("The same for its GPU work alone; default: its priority", 0)},
       {"core",
        with_default(
            described(any_of({integer("A core", {0, limits::cpus.max - 1}), Json{{"enum", {"any"}}}}),
                      "CPU core of its cpu segments; clustered: its cluster; any: `tactus plan` chooses"),
            0)},
       {"wait", with_default(word("While a copy or GPU work of a job is waited for: suspend gives the core "
                                  "away, busy holds it",
                                  words::waiting),
                             "suspend")},
       {"sm", sm},
       {"longest_block", duration("Exclusive work: longest time until it can be preempted")},
       {"preemptible", boolean("Best-effort work that can be asked to stop between its blocks", false)},
       {"time_slice", duration("time-sliced: its turn on the GPU, if another than the policy's")},
       {"stream", described(reference("name"), "as-submitted: tasks with the same name share a stream")},
       {"stream_priority",
        with_default(integer("as-submitted: 0 down to -(priority_levels - 1); smaller is more urgent",
                             {1 - limits::priority_levels.max, 0}),
                     0)},
       {"budget", duration("run: enforced execution budget")},
       {"on_overrun",
        with_default(word("run: what happens when the budget is used up", words::overrun_actions),
                     "continue")},
       {"on_miss",
        with_default(word("run: what happens after a missed deadline", words::miss_actions), "continue")},
       {"max_jobs",
        integer("So many of its jobs are in progress at once; default: as many as come", limits::max_jobs)},
       {"on_full",
        with_default(word("What happens to a release when max_jobs are in progress: the job is dropped, the "
                          "oldest that has not begun is, or who releases it waits (sporadic tasks)",
                          words::full_actions),
                     "drop-newest")},
       {"exclusive", described(reference("time"), "A GPU job that occupies all of its SMs for a time")},
       {"kernel", reference("kernel")},
       {"segments",
        described(list_of(part(any_of({reference("segment"), list_of(reference("segment"), 1)})), 1),
                  "Segments that run one after the other")},
       {"graph", graph()},
       {"jobs", described(list_of(job()), "sim: what the first jobs do, in order")}},
      {"name"});
  schema["oneOf"] = Json::array({Json{{"required", {"exclusive"}}}, Json{{"required", {"kernel"}}},
                                 Json{{"required", {"segments"}}}, Json{{"required", {"graph"}}}});
  const Json has_period = any_of({Json{{"required", {"period"}}}, Json{{"required", {"rate"}}}});
  schema["not"] = {{"required", {"period", "rate"}}};
  schema["if"] = {{"required", Json::array({"arrival"})},
                  {"properties", {{"arrival", {{"enum", {"once", "best-effort"}}}}}}};
  schema["then"] = {{"not", has_period}};
  schema["else"] = has_period;
  return schema;
}

Json chain() {
  return map_of(
      "Tasks through which data flows",
      {{"name", described(reference("name"), "Unique among the chains")},
       {"tasks", described(list_of(reference("name"), 1), "Their names, from input to output")},
       {"communication", with_default(word("How data passes from one to the next: the latest value, "
                                           "every value in order, or at releases and deadlines "
                                           "(`let`) or ends of periods (`let-period`)",
                                           words::communications),
                                      "register")},
       {"reaction",
        described(reference("duration"), "Longest time from an input to the first output that reflects it")},
       {"age", described(reference("duration"), "Longest age of an input when an output is made from it")}},
      {"name", "tasks"});
}

/// The schema of the whole file.
Json system_file() {
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "Tactus system file"}};
  schema.update(
      map_of("A machine, the tasks on it and the policy by which they share the GPU",
             {{"tactus", {{"const", 1}, {"description", "Version of this format"}}},
              {"name", described(reference("name"), "Shown in results")},
              {"platform", platform()},
              {"policy", policy()},
              {"tasks", described(list_of(reference("task"), 1), "What runs; the order breaks ties")},
              {"chains", described(list_of(chain()), "End-to-end requirements")}},
             {"tactus", "platform", "tasks"}));
  Json all = definitions();
  all["kernel"] = kernel();
  all["segment"] = segment();
  all["task"] = task();
  schema["definitions"] = std::move(all);
  return schema;
}

/// Adds the keys of maps within `schema`, which stands at `place` of a file.
void add_keys(const Json& schema, const std::string& place, std::vector<KeyMeaning>& keys) {
  for (const auto& [name, part] : schema.items()) {
    if (name == "definitions") {
      for (const auto& [of, definition] : part.items()) {
        add_keys(definition, of == "task" ? "tasks" : of == "segment" ? "segments" : of, keys);
      }
    } else if (name == "properties") {
      for (const auto& [key, value] : part.items()) {
        if (value.contains("description"))
          keys.push_back({key, place, value["description"].template get<std::string>()});
        add_keys(value, place.empty() ? key : fmt::format("{}.{}", place, key), keys);
      }
    } else if (part.is_structured()) {
      add_keys(part, place, keys);
    }
  }
}

}  // namespace

std::vector<KeyMeaning> key_meanings() {
  std::vector<KeyMeaning> all;
  add_keys(system_file(), "", all);
  std::vector<KeyMeaning> different;
  for (KeyMeaning& one : all) {
    const bool is_known = std::ranges::any_of(different, [&](const KeyMeaning& other) {
      return other.key == one.key && other.meaning == one.meaning;
    });
    if (!is_known) different.push_back(std::move(one));
  }
  return different;
}

}  // namespace io

std::string system_file_schema() {
  constexpr int indent = 2;
  return io::system_file().dump(indent) + "\n";
}

}  // namespace tactus
