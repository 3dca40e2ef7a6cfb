#include "tactus/report/glossary.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace tactus::report {

namespace {

constexpr std::array<Term, 88> terms{{
    {"SM", "term", "The machine",
     "Streaming multiprocessor: the part of a GPU that runs blocks. It has room for so many threads, blocks, "
     "registers and so much shared memory."},
    {"virtual SM", "term", "The machine",
     "An equal share of an SM, `virtual_sms_per_sm` of which make up an SM (2 unless the platform says "
     "otherwise). With two on an SM, two blocks of the same task run there at once, each slowed down by its "
     "neighbour (`interleave`). Under `federated` a task owns whole SMs, or parts of them (`parts_per_sm`); "
     "its work is counted in virtual SMs."},
    {"copy engine", "term", "The machine",
     "The part of a GPU that copies between host and device: one copy at a time, from beginning to end, or "
     "in chunks."},
    {"server", "term", "The machine",
     "What executes segments: a CPU core, a copy engine, or SMs (all of them, a core of `sm-cores`, or those "
     "that a task owns)."},
    {"platform", "term", "The machine",
     "CPU cores, GPU and overheads, as a system file says them. A preset is one that has a name: `tactus "
     "platforms` lists them."},
    {"overheads", "term", "The machine",
     "Delays that the machine adds, as upper bounds: late releases, launches, completions, copies, CPU "
     "segments. `tactus measure overheads` finds those of a machine. Without them a proof is about an ideal "
     "machine. The `overhead` of `gpu` work is something else: the part of the work that more virtual SMs do "
     "not make shorter."},
    {"compute capability", "term", "The machine",
     "NVIDIA's number for what an SM of a GPU can hold and do; cc in tables."},

    {"task", "term", "The work", "Work that comes again and again; each time it is a job."},
    {"job", "term", "The work", "One release of a task: what it does until it is done. Jobs count from 0."},
    {"release", "term", "The work",
     "The instant at which a job may begin. The nominal release is the planned one, before jitter and "
     "overheads."},
    {"period", "term", "The work",
     "The time from one release of a task to the next; of sporadic tasks the least such time. `rate: 20Hz` "
     "is another way to say `period: 50ms`."},
    {"deadline", "term", "The work",
     "How long after its nominal release a job must be done. Without `deadline` it is the period."},
    {"response time", "term", "The work",
     "From the nominal release of a job to its completion, as its scheduler learns of it."},
    {"jitter", "term", "The work", "How late the scheduler may see a release."},
    {"segment", "term", "The work",
     "A part of a job: on a CPU core (`cpu`), a `copy`, or on the GPU (`kernel`, `gpu`, `exclusive`)."},
    {"chain", "term", "The work",
     "Segments that run one after the other (`segments`). The `chains` of a file are something else: effect "
     "chains."},
    {"effect chain", "term", "The work",
     "Tasks through which data flows, from the one that samples an input to the one that makes the output: "
     "an "
     "entry of `chains`. Its tasks have releases of their own."},
    {"register", "communication", "The work",
     "A job reads the latest value of its predecessor in an effect chain when it starts, and publishes its "
     "own "
     "when it is done. A value may be read several times, or never."},
    {"queue", "communication", "The work",
     "Every value that a task of an effect chain publishes is kept until a job of the next one takes it, the "
     "oldest first, one a job, when it starts. A job that finds none passes nothing on."},
    {"let", "communication", "The work",
     "Logical execution time: a job of an effect chain reads at its nominal release and publishes at its "
     "deadline, whenever it runs in between."},
    {"let-period", "communication", "The work",
     "Logical execution time as in many automotive models: a job of an effect chain reads at its nominal "
     "release and publishes a period later, whatever its deadline."},
    {"node", "term", "The work",
     "A segment in the graph of a job: it begins when all nodes before it are done. In a chain every node "
     "has at most one successor."},
    {"coarse node", "term", "The work",
     "A node of a graph that lists its parts, which are nodes of their own. `tactus transform --to coarse` "
     "makes one node of them, which keeps its core while the GPU works for it."},
    {"stage", "term", "The work",
     "In analyses of chains: adjacent segments of one kind (CPU, copy, GPU), which count as one."},
    {"request", "term", "The work",
     "What a task asks a server for at once. In the analyses of a GPU that one task has at a time: a run "
     "of copies and GPU work between two CPU segments."},
    {"submission", "term", "The work",
     "What the scheduler hands to a server at once: a segment or a part of it, such as a slice or a chunk. "
     "It is in flight until the scheduler knows that it has ended."},
    {"resident", "dispatch", "The work",
     "The work of a task stays on its SMs for the whole run, and the GPU's own clock releases its jobs. The "
     "engine has no part in it."},
    {"doorbell", "dispatch", "The work",
     "The work of a task stays on its SMs, and the engine starts a job through a word in memory, instead of "
     "a "
     "launch."},
    {"kernel", "term", "The work", "A program on the GPU. Its grid is all of its blocks."},
    {"block", "term", "The work",
     "A group of at most 1024 threads of a kernel that one SM runs whole. It is not interrupted: whoever is "
     "more urgent waits for it to end."},
    {"wave", "term", "The work", "As many blocks of a kernel as fit the SMs at once."},
    {"runnable", "term", "The work",
     "Of an AMALTHEA model: a piece of work that tasks call. What it takes is counted in ticks, cycles of "
     "the "
     "processing unit (core or GPU) that executes it."},
    {"label", "term", "The work", "Of an AMALTHEA model: data in memory that runnables read and write."},
    {"work", "term", "The work",
     "Of a `gpu` segment: its time on one virtual SM. On v of them it takes about work * interleave / v."},
    {"interleave", "term", "The work",
     "Of a `gpu` segment: how much longer its work takes beside other work on the same SM; 1 (the default) "
     "is no longer at all."},
    {"exclusive work", "term", "The work",
     "GPU work of which only the time is known. It has its SMs to itself."},
    {"longest block", "term", "The work",
     "The longest time for which work cannot be preempted: the block time of a kernel, `longest_block` of "
     "exclusive work."},
    {"slice", "term", "The work",
     "The part of GPU work that is submitted at once where more urgent work may have to go first: one wave "
     "of blocks, or one longest_block of exclusive work. A time slice (`time_slice`) is something else: "
     "the turn of a task under `time-sliced`."},
    {"chunk", "term", "The work",
     "A part of a copy of at most `copy_chunk` bytes. Between two chunks a more urgent copy may go first. "
     "Only the analyses window-chunks use the word as their paper does: a part of a window that a job can "
     "use."},
    {"best-effort", "term", "The work",
     "Work without deadline that fills what others leave: a new job as soon as the last one is done, always "
     "least urgent."},
    {"gang task", "term", "The work", "A task that runs on all SMs at once."},

    {"strategy", "term", "Sharing",
     "How tasks share the GPU: `strategy` of the `policy`, as-submitted where a file says none. `tactus "
     "compare FILE` tries all that take it."},
    {"as-submitted", "strategy", "Sharing",
     "What plain CUDA does: every job is submitted at its release, into a stream of its own or the one that "
     "its task names. The GPU decides the rest by its own rules."},
    {"single-stream", "strategy", "Sharing",
     "One job on the GPU at a time. The most urgent job that is ready goes next and is not interrupted."},
    {"multi-stream", "strategy", "Sharing",
     "Streams of rising priority, one a level. A more urgent job is submitted one level above the running "
     "one and takes over at the next block boundary."},
    {"sm-cores", "strategy", "Sharing",
     "SMs (or groups of them) act as cores. Tasks with a core of their own run in the local windows, gang "
     "tasks on all SMs in the windows `all`; the windows repeat with a period."},
    {"federated", "strategy", "Sharing",
     "Each task owns SMs for its GPU work. CPU cores serve by preemptive fixed priority, the copy engine by "
     "fixed priority, one copy at a time, unless the policy says otherwise."},
    {"time-sliced", "strategy", "Sharing",
     "Each task is a process of its own and has the GPU in turns of a fixed length (`time_slice`): what "
     "several plain programs get that share no context. Tasks without GPU work are left out of the round."},
    {"graph", "strategy", "Sharing",
     "Graphs of nodes on CPUs and GPU. Every node is a task of its own: it is released a fixed time after "
     "its job, has a priority point of its own on cores that many share, and its kernels go to the GPU as "
     "they come."},
    {"order", "term", "Sharing", "Who goes first: `order` of the `policy`, edf or fp."},
    {"edf", "order", "Sharing",
     "Earliest deadline first: the job with the earliest absolute deadline is the most urgent."},
    {"fp", "order", "Sharing",
     "Fixed priority: larger `priority` first, then the shorter deadline, the shorter period, the order of "
     "the file. Without priorities this is deadline-monotonic."},
    {"fl", "order", "Sharing",
     "Fair lateness: EDF with deadlines that are earlier by (m - 1) / m of a job's CPU time, on m cores; for "
     "CPU cores (`policy.cpu`)."},
    {"stream", "term", "Sharing", "A queue of GPU work that is done in order. Streams have priorities."},
    {"lane", "term", "Sharing",
     "A combination of stream, urgency and SMs to which a strategy submits work. A device prepares all lanes "
     "before a run."},
    {"level", "term", "Sharing",
     "A stream of one priority. A GPU has few (`priority_levels` of the platform); `multi-stream` uses "
     "`levels` of them, so that many jobs can be stacked on the GPU, each above the one that it preempts."},
    {"core", "term", "Sharing",
     "Of the GPU, under `sm-cores`: one SM, or a group of them, that serves one task at a time. Elsewhere: a "
     "core of the CPU."},
    {"reservation", "term", "Sharing",
     "Under `sm-cores`, windows of time that repeat with a period: one for tasks with a core of their own, "
     "one for tasks on all SMs."},
    {"window", "term", "Sharing",
     "An interval of every reservation period in which some of the tasks may run: a local window or a gang "
     "window."},
    {"local window", "term", "Sharing",
     "The part of a reservation period in which tasks with an SM of their own run: `local` in the file."},
    {"gang window", "term", "Sharing",
     "The part of a reservation period in which tasks on all SMs run, and nothing else: `all` in the file. A "
     "gang task needs all its SMs at once."},
    {"partition", "term", "Sharing", "SMs that belong to one task alone."},
    {"division", "term", "Sharing", "Of the SMs: how many each task gets where tasks own SMs."},

    {"schedulable", "verdict", "Answers",
     "Every deadline is met in every schedule that the file allows, and every limit of an effect chain is "
     "kept. "
     "It is proven."},
    {"unschedulable", "verdict", "Answers",
     "Some deadline can be missed, or some limit of an effect chain passed, and that is proven."},
    {"unproven", "verdict", "Answers",
     "Neither is proven: a sufficient analysis does not accept the system, or a necessary one does not "
     "reject it. The system may still be fine; another strategy, more slack or another analysis may prove "
     "it."},
    {"gave-up", "verdict", "Answers",
     "An analysis reached a limit, such as 64 bits of nanoseconds or too long a search. Its reason names the "
     "limit. An overall verdict is never gave-up."},
    {"analysis", "term", "Answers",
     "A method that judges a system, also called a test. `tactus analyses` lists them."},
    {"exact", "kind of analysis", "Answers",
     "Right both ways: it accepts a system if and only if no deadline can be missed."},
    {"sufficient", "kind of analysis", "Answers",
     "Right when it accepts. When it does not, nothing is known: the verdict is unproven."},
    {"necessary", "kind of analysis", "Answers",
     "Right when it rejects: the verdict is unschedulable. When it does not, nothing is known."},
    {"sound", "term", "Answers",
     "An analysis is sound if what it proves is true of every schedule: it never accepts a system that can "
     "miss a deadline."},
    {"as published", "term", "Answers",
     "A formula as its paper prints it, kept although it is unsound. It runs only when named and does not "
     "count for a verdict."},
    {"run-time model", "term", "Answers",
     "How tasks would have to share the machine for an analysis to be about them."},
    {"bound", "term", "Answers",
     "A response time that no job of the task exceeds. It is proven. Where an analysis proves the deadline "
     "and no shorter time, tables say holds instead."},
    {"holds", "term", "Answers",
     "In the place of a bound: it is proven that the task meets its deadline, but no shorter time is known."},
    {"slack", "term", "Answers",
     "Deadline less bound: how much a job has to spare in the worst case. Another word for margin."},
    {"margin", "term", "Answers",
     "Deadline less bound: how much a job has to spare in the worst case. Another word for slack."},
    {"can shrink", "term", "Answers",
     "What `tactus plan` finds: how much shorter the deadline of this one task could be, all others as they "
     "are, so that the plan is still proven."},
    {"reaction time", "term", "Answers",
     "Of an effect chain: the time from an input to the first output that reflects it. It includes the wait "
     "until the first task samples the input; where that task is sporadic, its release is the input."},
    {"data age", "term", "Answers",
     "Of an effect chain: the time from the sampling of an input to an output that is made from it, when "
     "that "
     "output is published."},
    {"misses", "term", "Answers",
     "Jobs that were not done at their deadlines; of an effect chain, reaction times and ages beyond the "
     "limit, also reaction times that are not over at the end; `seen` counts those that are."},
    {"p99", "term", "Answers", "The 99th percentile: 99 of 100 response times are at most this long."},
    {"blocking", "term", "Answers",
     "Time that a job waits for less urgent work which cannot be interrupted."},
    {"interference", "term", "Answers", "Time that a job waits for more urgent work."},
    {"adversary", "term", "Answers", "`tactus falsify`: it looks for a schedule that breaks a bound."},
    {"hyperperiod", "term", "Answers",
     "The least common multiple of all periods. After it a periodic schedule repeats."},
    {"horizon", "term", "Answers",
     "How far a simulation goes: `--for`, or two hyperperiods after the largest offset. Where that is too "
     "long: two cycles of the rates, or 1,000 jobs of the slowest task but no more than 10 s and 1,000,000 "
     "jobs in all, unless four of the slowest take longer and are not too many. Where nothing repeats: until "
     "all jobs are done."},
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
