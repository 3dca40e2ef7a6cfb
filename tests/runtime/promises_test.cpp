// What must not throw says so in its type.
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "tactus/base/ring.hpp"
#include "tactus/device/device.hpp"
#include "tactus/device/host/doorbell.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/runtime/release_calls.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/sched/cutting.hpp"
#include "tactus/sched/job_map.hpp"
#include "tactus/sched/job_table.hpp"
#include "tactus/sched/strategy.hpp"
#include "tactus/trace/guarded_observer.hpp"
#include "tactus/trace/relay.hpp"

namespace tactus {
namespace {

template <class Function, class... Arguments>
constexpr bool never_throws = std::is_nothrow_invocable_v<Function, Arguments...>;

using sched::JobId;
using sched::JobRow;
using sched::JobTable;
using sched::Strategy;
using sched::SubmissionId;

// The scheduler core and its strategies.
static_assert(never_throws<decltype(&sched::Core::step), sched::Core&, Time, std::span<const sched::Event>,
                           sched::Commands&>);
static_assert(never_throws<decltype(&Strategy::on_released), Strategy&, JobId, const JobRow&>);
static_assert(never_throws<decltype(&Strategy::on_finished), Strategy&, SubmissionId, const JobRow&, bool>);
static_assert(never_throws<decltype(&Strategy::on_ready), Strategy&, SubmissionId, const JobRow&>);
static_assert(never_throws<decltype(&Strategy::on_stopped), Strategy&, SubmissionId, const JobRow&>);
static_assert(never_throws<decltype(&Strategy::forget), Strategy&, JobId, const JobRow&>);
static_assert(never_throws<decltype(&Strategy::on_demoted), Strategy&, JobId, const JobRow&>);
static_assert(never_throws<decltype(&Strategy::schedule), Strategy&, Time, const JobTable&, sched::Pass&,
                           sched::Commands&>);
static_assert(never_throws<decltype(&sched::Pass::may_submit), sched::Pass&, JobId>);
static_assert(never_throws<decltype(&JobTable::find), const JobTable&, JobId>);
static_assert(never_throws<decltype(&JobTable::close), JobTable&, JobId>);
static_assert(never_throws<decltype(&JobTable::mark_finished), JobTable&, SubmissionId>);
static_assert(never_throws<decltype(&JobTable::join), JobTable&, SubmissionId>);
static_assert(never_throws<decltype(&JobTable::is_ready), const JobTable&, SubmissionId>);
static_assert(never_throws<decltype(&JobTable::note_submitted), JobTable&, SubmissionId>);
static_assert(never_throws<decltype(&JobTable::note_landed), JobTable&, SubmissionId>);
static_assert(never_throws<decltype(&sched::JobMap<int>::open), sched::JobMap<int>&, JobId, std::size_t>);
static_assert(never_throws<decltype(&sched::Cutting::stretch), const sched::Cutting&, TaskIndex,
                           const sched::Submit&, const sched::SegmentProgress&>);

// What any thread may call. The devices of real time assert in their sources that the rest of them does not
// throw either.
static_assert(never_throws<decltype(&device::Device::now), device::Device&>);
static_assert(never_throws<decltype(&device::Device::wake), device::Device&>);
static_assert(never_throws<decltype(&runtime::Executive::release), runtime::Executive&, TaskIndex>);
static_assert(never_throws<decltype(&runtime::Executive::stop), runtime::Executive&>);
static_assert(never_throws<decltype(&runtime::ReleaseCalls::ask), runtime::ReleaseCalls&, Time>);
static_assert(never_throws<decltype(&runtime::ReleaseCalls::take), runtime::ReleaseCalls&>);

// Between threads.
using Numbers = Ring<int>;
static_assert(never_throws<decltype(&Numbers::push), Numbers&, const int&, std::size_t>);
static_assert(never_throws<decltype(&Numbers::front), Numbers&>);
static_assert(never_throws<decltype(&Numbers::pop), Numbers&>);
static_assert(never_throws<decltype(&device::host::Doorbell::ring), device::host::Doorbell&>);
static_assert(noexcept(std::declval<trace::Relay&>().on(std::declval<const trace::JobEnded&>())));
static_assert(noexcept(std::declval<trace::GuardedObserver&>().on(std::declval<const trace::JobEnded&>())));

TEST(Promises, HoldWhenThisCompiles) { SUCCEED(); }

}  // namespace
}  // namespace tactus
