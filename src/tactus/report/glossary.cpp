#include "tactus/report/glossary.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace tactus::report {

namespace {

constexpr std::array<Term, 38> terms{{
    {"schedulable", "verdict", "Every deadline is met in every schedule that the file allows. It is proven."},
    {"unschedulable", "verdict",
     "Some deadline can be missed, and that is proven. Only exact and necessary analyses may say so."},
    {"unproven", "verdict",
     "Nothing is known: a sufficient analysis does not accept the system, or a necessary one does not reject "
     "it. "
     "The system may still be fine; another strategy, more slack or another analysis may prove it."},
    {"gave-up", "verdict",
     "An analysis reached a limit, such as 64 bits of nanoseconds or too long a search. Its reason names the "
     "limit. An overall verdict is never gave-up."},

    {"exact", "kind of analysis",
     "Right both ways: it accepts a system if and only if no deadline can be missed."},
    {"sufficient", "kind of analysis",
     "Right when it accepts. When it does not, nothing is known: the verdict is unproven."},
    {"necessary", "kind of analysis",
     "Right when it rejects: the verdict is unschedulable. When it does not, nothing is known."},
    {"sound", "term",
     "An analysis is sound if what it proves is true of every schedule. Published formulas that are known to "
     "break "
     "end in -as-published; they run only when named and have no say in a verdict."},

    {"as-submitted", "strategy",
     "What plain CUDA does: every job is submitted at its release, into a stream of its own or the one that "
     "its "
     "task names. The GPU decides the rest by its own rules."},
    {"single-stream", "strategy",
     "One job on the GPU at a time. The most urgent job that is ready goes next and is not interrupted."},
    {"multi-stream", "strategy",
     "Streams of rising priority, one a level. A more urgent job is submitted one level above the running "
     "one and "
     "takes over at the next block boundary."},
    {"sm-cores", "strategy",
     "SMs (or groups of them) act as cores. Tasks with a core of their own run in the local windows, gang "
     "tasks "
     "on all SMs in the windows `all`; the windows repeat with a period."},
    {"federated", "strategy",
     "Each task owns SMs for its GPU work. CPU cores serve by preemptive fixed priority, the copy engine by "
     "fixed priority, one copy at a time."},
    {"graph", "strategy",
     "Graphs of nodes on CPUs and GPU. Files are read and checked; analyses and engines for it are not built "
     "yet."},

    {"edf", "order",
     "Earliest deadline first: the job with the earliest absolute deadline is the most urgent."},
    {"fp", "order",
     "Fixed priority: larger `priority` first, then the shorter deadline, the shorter period, the order of "
     "the "
     "file. Without priorities this is deadline-monotonic."},
    {"fl", "order", "Fair lateness; for the strategy graph only."},

    {"virtual SM", "term",
     "A share of an SM. An SM counts as `virtual_sms_per_sm` of them (2 unless the platform says otherwise), "
     "since "
     "work that shares an SM with other work takes longer by `interleave`, but less than twice as long. "
     "Under "
     "`federated` tasks own virtual SMs, always whole SMs of them."},
    {"gang window", "term",
     "The part of a reservation period in which tasks on all SMs run, and nothing else: `all` in the file. A "
     "gang "
     "task needs all its SMs at once."},
    {"local window", "term",
     "The part of a reservation period in which tasks with an SM of their own run: `local` in the file."},
    {"reservation", "term",
     "Under `sm-cores`, windows of time that repeat with a period: one for tasks with a core of their own, "
     "one for "
     "tasks on all SMs."},
    {"level", "term",
     "A stream of one priority. A GPU has few (`priority_levels` of the platform); `multi-stream` uses "
     "`levels` of "
     "them, so that many jobs can be stacked on the GPU, each above the one that it preempts."},
    {"block", "term",
     "The part of a kernel that an SM runs whole. It is not interrupted: whoever is more urgent waits for it "
     "to "
     "end."},
    {"longest block", "term",
     "The longest time for which work cannot be preempted: the block time of a kernel, `longest_block` of "
     "exclusive work."},
    {"slice", "term",
     "What is submitted at once of work that must give way: one wave of blocks, or one longest_block of "
     "exclusive "
     "work."},
    {"SM", "term", "Streaming multiprocessor: the part of a GPU that runs blocks."},
    {"stream", "term", "A queue of GPU work that is done in order. Streams have priorities."},
    {"job", "term", "One release of a task: what it does until it is done. Jobs count from 0."},
    {"response time", "term", "From the release of a job to its completion, as its scheduler learns of it."},
    {"bound", "term",
     "A response time that no job of the task exceeds. It is proven. An analysis that only proves deadlines "
     "gives "
     "the deadline."},
    {"slack", "term", "Deadline less bound: how much a job has to spare in the worst case."},
    {"jitter", "term", "How late the scheduler may see a release."},
    {"blocking", "term", "Time that a job waits for less urgent work which cannot be interrupted."},
    {"interference", "term", "Time that a job waits for more urgent work."},
    {"best-effort", "term",
     "Work without deadline that fills what others leave: a new job as soon as the last one is done, always "
     "least "
     "urgent."},
    {"hyperperiod", "term",
     "The least common multiple of all periods. After it a periodic schedule repeats."},
    {"horizon", "term", "How far a simulation goes: `--for`, or two hyperperiods after the largest offset."},
    {"overheads", "term",
     "What the machine adds, as upper bounds: late releases, launches, completions, copies, CPU segments. "
     "`tactus measure overheads` finds those of a machine. Without them a proof is about an ideal one."},
}};

/// "Virtual_SMs" and "virtual sm" are the same word.
std::string folded(std::string_view word) {
  std::string result;
  for (const char c : word) {
    if (c == '_' || c == '-') {
      result += ' ';
    } else {
      result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  if (result.size() > 2 && result.ends_with('s')) result.pop_back();
  return result;
}

}  // namespace

std::span<const Term> glossary() { return terms; }

const Term* find_term(std::string_view word) {
  const auto found = std::find_if(terms.begin(), terms.end(), [wanted = folded(word)](const Term& term) {
    return folded(term.word) == wanted;
  });
  return found == terms.end() ? nullptr : &*found;
}

}  // namespace tactus::report
