// What runs the work: streams with priorities, SM sets, copy engines, CPU cores, and a clock.
//
// The scheduler core decides, an engine carries its commands to a device, and the device tells what became
// of them. A device is used by one thread; only `now` and `wake` may be called by others, too.
#pragma once

#include <cstdint>
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

/// What a device has to know before it starts. What is referred to outlives the run.
struct Setup {
  const System& system;
  const sched::Draws& draws;                       // how long built-in work takes
  std::vector<std::vector<std::int32_t>> sm_sets;  // by id; 0 is all SMs
  std::uint32_t streams = 0;                       // those that outlive jobs
  std::vector<sched::Lane> lanes;                  // what copies and GPU work may be submitted to
  std::vector<sched::CpuLane> cpu_lanes;           // and CPU work
  std::uint32_t max_pending = 0;                   // jobs in progress
  bool dedicated_sms = false;                      // SM sets are GPUs of their own
  bool refills_lazily = false;                     // see Strategy::refills_lazily
  const Bindings* bindings = nullptr;              // null: everything is built-in
  bool engine_has_core = false;                    // no thread of the device may use the engine's
  trace::Fanout* trace = nullptr;                  // told from `poll`, `wait` and `close` alone
};

/// The setup that a strategy asks for.
Setup make_setup(const System& system, const sched::Draws& draws, const sched::Core& core,
                 trace::Fanout& trace);

/// How many streams a job may have to itself.
std::size_t own_streams_of_job(const Setup& setup);

/// A segment of a job to be started.
struct Request {
  sched::SubmissionId id;
  TaskIndex task = 0;
  std::uint64_t number = 0;  // of the job
  Time release{};
  Time deadline = never;
  ServerKind server = ServerKind::gpu;
  sched::Cores cores{};
  sched::StreamId stream = sched::own_stream;
  std::uint32_t level = 0;
  sched::SmSetId sms = 0;
  sched::Urgency urgency{};
  sched::Extent extent = sched::Extent::whole;
  sched::Stretch stretch{};
};

Request make_request(const sched::Submit& submit, const sched::JobRow& job);

/// A spin of this length before every instant leaves no time to sleep.
inline constexpr Duration always_spins = std::chrono::hours{1};

class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  Device(Device&&) = delete;
  Device& operator=(Device&&) = delete;
  virtual ~Device() = default;

  /// What it can enforce for a system.
  [[nodiscard]] virtual sched::Capabilities capabilities(const System& system) const = 0;

  /// Whether `wait` keeps its core busy, always or while there is work.
  [[nodiscard]] virtual bool waits_busily() const { return false; }

  /// Makes everything ready; InputError or FailureError when it cannot. Time begins. From here to `close`
  /// nothing is allocated or locked. Nor is anything thrown on a device in real time, whose functions say so
  /// by `noexcept`; in virtual time the instants may leave 64 bits, which is thrown (OverflowError).
  virtual void open(const Setup& setup) = 0;

  /// The instant that is being handled. A real device reads its clock, a simulated one moves in `wait`. Any
  /// thread may ask while the device is open.
  [[nodiscard]] virtual Time now() noexcept = 0;

  /// Makes `wait` return soon. Any thread may call it.
  virtual void wake() noexcept {}

  /// What was submitted goes to work. Returns at `until`, or earlier when there may be something to poll.
  virtual void wait(Time until) = 0;

  /// What was submitted goes to work. Whether more happens at this very instant, as it may in virtual time.
  virtual bool settle() { return false; }

  /// Appends Finished, Stopped and Failed for what has become known since the last call.
  virtual void poll(sched::Events& events) = 0;

  /// The scheduler has chosen, and submissions follow. What goes on by itself meanwhile has done so.
  virtual void before_submissions() {}
  virtual void submit(const Request& request) = 0;
  /// Something is heard of the operation soon: Stopped, or Finished when it was too late. What cannot be
  /// stopped goes on to its end.
  virtual void request_stop(sched::SubmissionId operation) = 0;

  /// Nothing more will be asked of a job. Answers when its first part began; `never` when none did.
  virtual Time job_over(sched::JobId job) noexcept = 0;

  /// Ends whatever is under way, in order; nothing runs when it returns. `job_over` may still be asked.
  virtual void close() = 0;

  /// What the device could not enforce on this machine, for people.
  [[nodiscard]] virtual std::vector<std::string> not_enforced() const { return {}; }
  /// When the thread that called `wait` was not running, as far as it could see. Of the run that is on, or
  /// was last.
  [[nodiscard]] virtual Absences absences() const { return {}; }
  /// What went wrong with the first operation that failed; empty when none did.
  [[nodiscard]] virtual std::string failure() const { return {}; }
};

/// What an engine calls on its dispatch path throws nothing, by its type.
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
                       std::is_nothrow_invocable<decltype(&Kind::job_over), Kind&, sched::JobId>>;

}  // namespace tactus::device
