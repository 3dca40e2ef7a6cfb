#include <rapidcheck/gtest.h>

#include "support/example_schedule.hpp"
#include "support/perfetto_file.hpp"
#include "support/temporary_folder.hpp"
#include "tactus/trace/perfetto.hpp"

namespace tactus::trace {
namespace {

rc::Gen<std::pair<Time, Time>> spans() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange<std::int64_t>(0, 5000), rc::gen::inRange<std::int64_t>(0, 3000)),
      [](const std::pair<std::int64_t, std::int64_t>& span) {
        const Time start = time_at(nanoseconds(span.first));
        return std::pair{start, start + nanoseconds(span.second)};
      });
}

// Whatever comes, and in whatever order, the page gets slices that nest and finds every one of them.
RC_GTEST_PROP(PerfettoProperty, SlicesAlwaysNest, ()) {
  const System system = test::four_kernels().system;
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "trace.json";
  PerfettoExporter exporter{path, system};
  std::size_t expected = 0;
  std::size_t misses = 0;
  const auto amount = *rc::gen::inRange(0, 60);
  for (int i = 0; i < amount; ++i) {
    const auto [start, end] = *spans();
    const JobName job{*rc::gen::inRange<TaskIndex>(0, 4), static_cast<std::uint64_t>(i)};
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        exporter.on(BlockRan{.job = job, .sm = *rc::gen::inRange(0, 3), .start = start, .end = end});
        break;
      case 1:
        exporter.on(CopyRan{.job = job, .engine = *rc::gen::inRange(0, 2), .start = start, .end = end});
        break;
      case 2:
        exporter.on(OperationFinished{.job = job, .called = start, .start = start, .end = end});
        break;
      default: {
        const auto deadline = (*spans()).first;
        const bool completed = *rc::gen::arbitrary<bool>();
        exporter.on(JobEnded{.job = job,
                             .start = start,
                             .completion = completed ? end : never,
                             .deadline = deadline,
                             .missed = !completed || deadline < end});
        if (!completed || deadline < end) ++misses;
        break;
      }
    }
    ++expected;
  }
  exporter.finish(time_at(nanoseconds(4000)));

  const test::PerfettoFile file = test::read_perfetto_file(path);
  RC_ASSERT(test::find_overlap(file) == "");
  std::size_t slices = 0;
  std::size_t marked = 0;
  for (const auto& track : file.tracks) {
    for (const auto& slice : track.slices) {
      slices += slice.name == "late" || slice.event["cat"] == "waiting" ? 0U : 1U;
    }
    for (const auto& mark : track.instants) marked += mark.event["cat"] == "miss" ? 1U : 0U;
  }
  RC_ASSERT(slices == expected);
  RC_ASSERT(marked == misses);
}

}  // namespace
}  // namespace tactus::trace
