// tactus measure: times of kernels and copies, and the overheads of the machine, as entries for a system
// file.
#include "tactus/cli/measure.hpp"

#include "tactus/base/utf8.hpp"
#include "tactus/cli/devices.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/io/units.hpp"

namespace tactus::cli {

namespace {

constexpr std::string_view verb_help = R"(
A bound holds on a machine whose numbers are in the system file. This verb measures them and prints an entry
that is ready to be pasted.

  tactus measure overheads    what the machine adds: platform: {overheads: ...}
  tactus measure kernel       GPU work against SMs, interleaving:  gpu: {work: ..., overhead: ..., interleave: ...}
  tactus measure copy         copies against their size: copy_bandwidth and the copy overhead

A measured maximum is no proof of a worst case. The margin rule says what is added to it; it is printed and
written beside every entry: `max*1.2` (the default), `max`, `p99.9`, or either with another factor. All are
rounded up to a microsecond. Measure on the machine, as the user and under the load that will be there.

`tactus measure VERB --help` says more about each.

Examples:
  tactus measure overheads --device host
  tactus measure kernel --kernel compute
  tactus measure copy -o copies.yaml)";

}  // namespace

void add_measure_options(Verb verb, MeasureOptions& options, const char* samples) {
  verb.add_option("--samples", options.samples, samples).type_name("N");
  verb.add_option("--margin", options.margin,
                  "What becomes of the samples: max*1.2 (default), max, p99.9, max*F");
  verb.add_option("-o,--output", options.output, "Write the entry to this file, too").type_name("FILE");
  verb.add_flag("--json", options.json, "JSON for machines");
}

int samples_of(const std::string& text, int usual) {
  if (text.empty()) return usual;
  constexpr std::int64_t most = 10'000'000;
  const io::Parsed<std::int64_t> parsed = io::parse_integer(text);
  if (!parsed.value || *parsed.value < 1 || *parsed.value > most) {
    throw InputError{"--samples: '" + text + "' is no number of samples", "from 1 to 10000000"};
  }
  return static_cast<int>(*parsed.value);
}

EntryFile::EntryFile(const std::string& path) : path_{path}, file_{is_standard_stream(path) ? "" : path} {
  if (is_standard_stream(path)) throw InputError{"-o -: the entry is printed anyway", "leave it out"};
}

void EntryFile::finish(const std::string& entry) {
  file_.write(entry);
  if (!path_.empty()) say("entry: " + shown(path_));
}

const measure::Measurements& gpu_measurements() {
  require_built_in(cuda_device, "; `tactus measure overheads --device host` works without");
  return *cuda_device.measurements;
}

bool is_interrupted() { return InterruptGuard::flag().load(); }

int end_interrupted() {
  say("interrupted: nothing was written");
  return interrupted;
}

void show(const MeasureOptions& options, const std::string& json, const std::string& text) {
  print(options.json ? json + "\n" : text);
}

void add_measure(Verb app) {
  const Verb verb =
      app.add_verb("measure", "Times of kernels, copies and overheads, ready for a system file");
  verb.require_verb();
  verb.footer(verb_help);
  add_measure_overheads(verb);
  add_measure_kernel(verb);
  add_measure_copy(verb);
}

}  // namespace tactus::cli
