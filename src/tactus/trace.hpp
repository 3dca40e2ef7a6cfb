// What happened in a schedule, simulated or real: events, and observers of them.
//
// An `Observer` of your own is told of the kinds of events that it wants. `Statistics` has response times and
// misses of every task, `Recorder` keeps events in a fixed order, `PerfettoExporter` writes a trace file for
// ui.perfetto.dev. Give them to `sim::simulate` or `Runtime::observe`.
#pragma once

#include "tactus/trace/event.hpp"
#include "tactus/trace/observer.hpp"
#include "tactus/trace/perfetto.hpp"
#include "tactus/trace/recorder.hpp"
#include "tactus/trace/statistics.hpp"
