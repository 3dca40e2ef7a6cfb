// The interface of devices: streams with priorities, SM sets, copy engines, CPU cores, and a clock.
//
// The scheduler core decides, an engine passes its commands to a device, and the device reports the results.
// A device is used by one thread; only `now` and `wake` may be called by others.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/device/absences.hpp"
#include "tactus/device/job.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sched/capabilities.hpp"
#include "tactus/sched/command.hpp"
#include "tactus/sched/event.hpp"
#include "tactus/sched/strategy.hpp"

namespace tactus::sched {
class Core;
class Draws;
}  // namespace tactus::sched
namespace tactus::trace {
class Fanout;
}  // namespace tactus::trace

namespace tactus::device {

class AssumptionWatch;

/// What a device needs to know before a run. References must outlive the run.
struct Setup {
  const System& system;
  const sched::Draws& draws;                       // execution times of work without a binding
  std::vector<std::vector<std::int32_t>> sm_sets;  // by id; 0 is all SMs
  std::uint32_t streams = 0;                       // number of streams that outlive jobs
  std::vector<sched::Lane> lanes;                  // lanes for copies and GPU work
  std::vector<sched::CpuLane> cpu_lanes;           // lanes for CPU work
  std::vector<TaskIndex> resident{};               // tasks whose jobs the device releases
  Duration head_start{};                           // the clock starts so long before the first instant
  std::uint32_t max_pending = 0;                   // largest number of jobs in progress
  bool dedicated_sms = false;                      // SM sets act as separate GPUs
  bool refills_lazily = false;                     // see Strategy::refills_lazily
  /// The SM sets on which a segment may run. Only before the run: it allocates.
  std::function<std::vector<sched::SmSetId>(TaskIndex task, std::uint32_t segment)> sm_sets_of{};
  const Bindings* bindings = nullptr;      // null: nothing is bound
  bool engine_has_core = false;            // threads of the device must avoid the engine's core
  trace::Fanout* trace = nullptr;          // called only from `poll`, `wait`, `take_resident`, `close`
  AssumptionWatch* assumptions = nullptr;  // told how long bound functions took; may be null
};

/// The setup for the strategy of a system.
Setup make_setup(const System& system, const sched::Draws& draws, const sched::Core& core,
                 trace::Fanout& trace);

/// The largest number of submissions that jobs in progress can have in flight. InputError when the named
/// device cannot keep track of so many.
std::size_t max_submissions(const Setup& setup, const std::string& device);

/// The largest number of streams that belong to one job.
std::size_t own_streams_of_job(const Setup& setup);

/// A submission and its job.
struct Request : sched::Submit {
  TaskIndex task = 0;
  std::uint64_t number = 0;
  Time release{};
  Time deadline = never;
  std::uint32_t place = 0;  // of the job among those of its task (sched/places.hpp)
};

/// A job that the device has released itself is over.
struct ResidentJob {
  TaskIndex task = 0;
  std::uint64_t number = 0;
  Time start{};
  Time end{};
  bool failed = false;
  std::uint64_t lost_before = 0;  // so many jobs before it are over, and nothing else is known of them
};

/// With this spin time before every instant a thread never sleeps.
inline constexpr Duration always_spins = std::chrono::hours{1};

class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  /// What the device can enforce for a system.
  [[nodiscard]] virtual sched::Capabilities capabilities(const System& system) const = 0;

  /// Whether `wait` spins, always or while there is work.
  [[nodiscard]] virtual bool waits_busily() const { return false; }

  /// Prepares the run and starts its clock; InputError or FailureError when it cannot. From here to `close`
  /// nothing allocates or takes a lock. A device in real time does not throw either (its functions are
  /// `noexcept`); in virtual time an instant may overflow 64 bits (OverflowError).
  virtual void open(const Setup& setup) = 0;

  /// The current instant: a real device reads its clock, a simulated one advances in `wait`. Any thread may
  /// call this while the device is open.
  [[nodiscard]] virtual Time now() noexcept = 0;

  /// Makes `wait` return soon. Any thread may call this.
  virtual void wake() noexcept {}

  /// Starts what was submitted. Returns at `until`, or earlier when there may be something to poll.
  virtual void wait(Time until) = 0;

  /// Starts what was submitted. True if more events happen at the current instant, which is possible in
  /// virtual time.
  virtual bool settle() { return false; }

  /// Appends Finished, Stopped and Failed events that have become known since the last call.
  virtual void poll(sched::Events& events) = 0;

  /// The next job that is over of those that the device releases itself; nothing when there is none. `wait`
  /// does not return for them.
  virtual std::optional<ResidentJob> take_resident() noexcept { return std::nullopt; }

  /// Called right before submissions. A device that refills lazily dispatches the work it already has now.
  virtual void before_submissions() {}
  virtual void submit(const Request& request) = 0;
  /// Asks a submission to stop. The answer is Stopped, or Finished if it completed first. Work that cannot be
  /// stopped runs to its end.
  virtual void request_stop(sched::SubmissionId submission) = 0;

  /// Holds a core for a job until `job_over`. A device without CPU cores has none to hold.
  virtual void hold_core(const sched::HoldCore& /*hold*/) {}

  /// The job is over for the device. Returns when its first submission started; `never` if none did.
  virtual Time job_over(sched::JobId job) noexcept = 0;

  /// Ends all work in flight; nothing runs when it returns. `job_over` may still be called.
  virtual void close() = 0;

  /// What the device could not enforce on this machine, as messages for users.
  [[nodiscard]] virtual std::vector<std::string> not_enforced() const { return {}; }
  /// When the thread that called `wait` was not running, as far as it could detect. For the current or the
  /// last run.
  [[nodiscard]] virtual Absences absences() const { return {}; }
  /// The message of the first failed submission; empty when none failed.
  [[nodiscard]] virtual std::string failure() const { return {}; }
};

/// Checks at compile time that the functions on the dispatch path are `noexcept`.
template <class Kind>
inline constexpr bool dispatches_without_throwing =
    std::conjunction_v<std::is_nothrow_invocable<decltype(&Kind::now), Kind&>,
                       std::is_nothrow_invocable<decltype(&Kind::wake), Kind&>,
                       std::is_nothrow_invocable<decltype(&Kind::wait), Kind&, Time>,
                       std::is_nothrow_invocable<decltype(&Kind::settle), Kind&>,
                       std::is_nothrow_invocable<decltype(&Kind::poll), Kind&, sched::Events&>,
                       std::is_nothrow_invocable<decltype(&Kind::before_submissions), Kind&>,
                       std::is_nothrow_invocable<decltype(&Kind::submit), Kind&, const Request&>,
                       std::is_nothrow_invocable<decltype(&Kind::request_stop), Kind&, sched::SubmissionId>,
                       std::is_nothrow_invocable<decltype(&Kind::hold_core), Kind&, const sched::HoldCore&>,
                       std::is_nothrow_invocable<decltype(&Kind::job_over), Kind&, sched::JobId>>;

}  // namespace tactus::device
