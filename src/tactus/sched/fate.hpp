// What a trace says of a job that the core gave up.
#pragma once

#include "tactus/sched/job_table.hpp"
#include "tactus/trace/event.hpp"

namespace tactus::sched {

constexpr trace::Fate fate_of(Dropped why) {
  switch (why) {
    case Dropped::failed:
      return trace::Fate::failed;
    case Dropped::aborted:
      return trace::Fate::aborted;
    case Dropped::skipped:
      return trace::Fate::skipped;
    case Dropped::full:
      return trace::Fate::full;
    case Dropped::no_room:
      break;
  }
  return trace::Fate::no_room;
}

}  // namespace tactus::sched
